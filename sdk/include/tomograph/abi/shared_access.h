/* Shared access: warps load from shared memory, store to it, or copy within it, at given offsets.
 *
 * The lanes of a warp follow *streams*. A stream is a chain of dependent accesses: each load takes its address from the
 * value that the previous load returned, which is the same address again. So the number of loads in flight of a warp is
 * its number of streams (its instruction-level parallelism), and an access of one stream of one warp takes the latency
 * of a load. Stores alone depend on nothing: they follow each other as fast as they are issued, and end when a load
 * behind the last one has returned. All lanes of a stream access memory in one instruction, each at its own offset.
 *
 * Experiment id "tomograph.shared_access/1". Parameters are I64 arrays, of one element except `offset`. Those marked
 * * are optional and have the given default.
 *
 *   offset           byte offsets in the shared memory of the CTA, one for each active lane, at most 32. Warps have
 *                    no other lanes
 *   width*           bytes that a lane accesses at once: 4, 8 or 16. All offsets and shifts are multiples of it. 4
 *   operation*       TOMOGRAPH_SHARED_LOAD; TOMOGRAPH_SHARED_COPY: each load is followed by a store of its value;
 *                    TOMOGRAPH_SHARED_STORE: stores take the place of loads
 *   streams*         1, 2, 4, 6 or 8; all lanes' offsets are shifted by `shift.stream` from stream to stream. 1
 *   accesses         loads (stores, without loads) of each stream, all of them timed in total
 *   warps*           of a CTA, at most 32; all offsets are shifted by `shift.warp` from warp to warp. 1
 *   ctas*            number of CTAs on an SM, each with its own shared memory. They start together. 1
 *   shift.stream*    bytes, 0
 *   shift.warp*      bytes, 0
 *   shift.store*     distance in bytes from the load of a lane to its store. Stores lie behind all loads. 0 without
 *                    stores
 *   bytes            shared memory of a CTA, which contains all accesses
 *   bank_mode*       0: the banks are left unchanged; otherwise the bank width in bytes to set
 *   trial*           distinguishes repetitions, 0
 *
 * The experiment runs on all SMs at the same time. It is UNSUPPORTED if an SM cannot hold so much shared memory or so
 * many warps or CTAs at a time, or if the device does not have the bank mode.
 *
 * Answer:
 *   cycles           F64, raw cycles of all accesses, from the start of the first to the arrival of the last on the
 *                    SM: one element for each SM that ran the experiment, at least one
 *   overhead         F64, cycles of the same program without accesses (subtract it)
 */
#ifndef TOMOGRAPH_ABI_SHARED_ACCESS_H
#define TOMOGRAPH_ABI_SHARED_ACCESS_H

#define TOMOGRAPH_SHARED_ACCESS_ID "tomograph.shared_access/1"

/* Operations. Values are frozen. */
enum { TOMOGRAPH_SHARED_LOAD = 0, TOMOGRAPH_SHARED_COPY = 1, TOMOGRAPH_SHARED_STORE = 2 };

#endif
