/* Shared access: warps that load from, or copy within, shared memory at given offsets.
 *
 * The lanes of a warp follow *streams*. A stream is a chain of dependent accesses: each of its loads takes its address
 * from the value that its load before brought, which is the same address again. So a warp has as many loads under way
 * as it has streams (its instruction-level parallelism), and one stream of one warp takes the latency of a load for
 * each access. All lanes of a stream access memory in one instruction, at the offsets given for each lane.
 *
 * Experiment id "tomograph.shared_access/1". Parameters are I64 arrays, of one element but for `offset`; those marked
 * * may be absent, with the default given.
 *
 *   offset           byte offsets in the shared memory of the CTA, one for each lane that takes part, at most 32. The
 *                    other lanes of each warp do not exist
 *   width*           bytes that a lane accesses at once: 4, 8 or 16. All offsets and shifts are multiples of it. 4
 *   operation*       TOMOGRAPH_SHARED_LOAD; TOMOGRAPH_SHARED_COPY: each load is followed by a store of what it brought
 *   streams*         1, 2, 4, 6 or 8; all lanes' offsets are shifted by `shift.stream` from stream to stream. 1
 *   accesses         loads of each stream, all of them timed in total
 *   warps*           of a CTA, at most 32; all offsets are shifted by `shift.warp` from warp to warp. 1
 *   ctas*            that share an SM, each with its own shared memory. They start together. 1
 *   shift.stream*    bytes, 0
 *   shift.warp*      bytes, 0
 *   shift.store*     bytes from where a lane loads to where it stores. Stores lie behind all loads. 0 if there are none
 *   bytes            shared memory of a CTA, which holds all that is accessed
 *   bank_mode*       0: the banks as they are; else the width in bytes that they are set to
 *   trial*           distinguishes repetitions, 0
 *
 * The experiment runs on all SMs at the same time, on each the same. What the device has no room for is UNSUPPORTED:
 * more shared memory, warps or CTAs than an SM can hold at a time. So is a bank mode that it does not have.
 *
 * Answer:
 *   cycles           F64, raw cycles of all accesses, from the start of the first to the arrival of the last on the
 *                    SM: one element for each SM that ran the experiment, at least one
 *   overhead         F64, cycles that the same program takes without any access (subtract it)
 */
#ifndef TOMOGRAPH_ABI_SHARED_ACCESS_H
#define TOMOGRAPH_ABI_SHARED_ACCESS_H

#define TOMOGRAPH_SHARED_ACCESS_ID "tomograph.shared_access/1"

/* Operations. Values are frozen. */
enum { TOMOGRAPH_SHARED_LOAD = 0, TOMOGRAPH_SHARED_COPY = 1 };

#endif
