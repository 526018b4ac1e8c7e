/* Transfers between memories: GPUs of one host, and the host.
 *
 * Each transfer moves `bytes` from one place to another, `passes` times back to back. All transfers of an experiment
 * begin together. Places:
 *
 *   0, 1, ...            memory of the GPU of this number; fact device.gpus lists them
 *   TOMOGRAPH_PINNED     page-locked memory of the host
 *   TOMOGRAPH_PAGEABLE   ordinary memory of the host; its transfer must be the only one
 *
 * Experiment id "tomograph.transfer/1". Parameters are I64 arrays, those below the line of one element:
 *
 *   from, to       places, one element for each transfer; they differ, and one of them is a GPU
 *   --
 *   engine         TOMOGRAPH_COPY_ENGINE: asynchronous copies. TOMOGRAPH_SMS: a kernel, one transfer. If `to` is the
 *                  GPU of the device, its SMs read `from` (ld.global.cg) and drop what they read. If `from` is, they
 *                  write registers to `to` (st.global.wb). When they begin, their L2 holds nothing of it
 *   bytes          of each transfer, a multiple of 4096
 *   passes         1 to 256
 *   ctas_per_sm    CTAs of 512 threads on each SM, of 64 B in flight per thread: 1, 2 or 4. Copies ignore it
 *   trial          distinguishes repetitions. Each three of pageable memory use another processor of the host
 *
 * Answer, one element for each transfer:
 *   elapsed        F64, nanoseconds from the begin of its first pass to the end of its last. Pageable memory: with the
 *                  call of the copy
 *
 * Places that cannot reach each other in this way are UNSUPPORTED.
 */
#ifndef TOMOGRAPH_ABI_TRANSFER_H
#define TOMOGRAPH_ABI_TRANSFER_H

#define TOMOGRAPH_TRANSFER_ID "tomograph.transfer/1"

/* Values are frozen. */
enum { TOMOGRAPH_PINNED = -1, TOMOGRAPH_PAGEABLE = -2, TOMOGRAPH_MANAGED = -3 };
enum { TOMOGRAPH_COPY_ENGINE = 0, TOMOGRAPH_SMS = 1 };

#endif
