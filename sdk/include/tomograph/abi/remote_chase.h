/* Remote chase: the latency of memory beyond the GPU's own.
 *
 * One thread follows a ring of `nodes` addresses, `stride` bytes apart, in the order of memory. Each access needs the
 * result of the one before it. Before the first run, the ring is followed for `steps` accesses, except in managed
 * memory.
 *
 * Experiment id "tomograph.remote_chase/1". Parameters are I64 arrays of one element:
 *
 *   place          where the ring lies, as in transfer.h: a GPU, TOMOGRAPH_PINNED, or TOMOGRAPH_MANAGED: managed memory
 *                  that the host wrote last, so that the first access to a page is a fault. Then runs x steps is
 *                  nodes
 *   operation      TOMOGRAPH_REMOTE_LOAD (ld.global.cv), TOMOGRAPH_REMOTE_ATOMIC (atom.sys.global.add of 0)
 *   nodes          2 to 1048576
 *   stride         bytes, a multiple of 8, at most 2097152
 *   steps          accesses of a run, 1 to 65536
 *   runs           1 to 64
 *   trial          distinguishes repetitions
 *
 * Answer:
 *   cycles         F64, one element for each run: SM cycles of all its accesses
 *   clock          F64, Hz of the SM clock during the runs
 *
 * A place that loads or atomics of the GPU cannot reach is UNSUPPORTED.
 */
#ifndef TOMOGRAPH_ABI_REMOTE_CHASE_H
#define TOMOGRAPH_ABI_REMOTE_CHASE_H

#include "transfer.h"

#define TOMOGRAPH_REMOTE_CHASE_ID "tomograph.remote_chase/1"

/* Values are frozen. */
enum { TOMOGRAPH_REMOTE_LOAD = 0, TOMOGRAPH_REMOTE_ATOMIC = 1 };

#endif
