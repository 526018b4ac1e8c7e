/* Streaming: how fast many threads read, write or copy memory.
 *
 * On each SM that takes part, a number of CTAs run at the same time, all resident, and pass over a footprint again and
 * again. A warp moves one tile after the other, `ilp` x 32 x `element` consecutive bytes: first `ilp` loads that do not
 * wait for each other, each of `element` bytes per thread, then their uses (the stores of a copy). So at most SMs x
 * CTAs x threads x ilp x element bytes are asked for at any time. Tiles are dealt out in turn to the warps of a group;
 * each tile belongs to the same warp in every pass, so no two SMs ever move the same bytes (if the footprint is queued,
 * not within a pass).
 *
 * Experiment id "tomograph.streaming/1". Parameters are I64 arrays of one element, but `sm`; those marked * may be
 * absent, with the default given.
 *
 *   operation      TOMOGRAPH_STREAM_READ, TOMOGRAPH_STREAM_WRITE, TOMOGRAPH_STREAM_COPY
 *   load*          how reads and copies load: TOMOGRAPH_STREAM_CA (1st level caches may hold it), TOMOGRAPH_STREAM_CG
 *                  (past them); CG. Stores are plain ones, st.global.wb
 *   element        bytes that one thread moves with one instruction: 1, 2, 4, 8 or 16
 *   ilp            independent instructions in a row: 1, 2, 4 or 8
 *   threads        of a CTA, a multiple of 32, at most 1024
 *   ctas_per_sm    CTAs on each SM at the same time. Where fewer fit, fewer run, and the answer says how many
 *   sm*            numbers of the SMs that take part, each once; all
 *   bytes          footprint: size of the source, or of what is written. A copy's destination is as large and
 *                  elsewhere. Rounded down to a number of whole turns of the groups, but to no less than one
 *   deal*          TOMOGRAPH_STREAM_INTERLEAVED: all warps are one group, which shares the footprint tile by tile;
 *                  TOMOGRAPH_STREAM_SLICED: each SM has its own contiguous slice, 1/SMs of it;
 *                  TOMOGRAPH_STREAM_QUEUED: CTAs that are done with the tiles of their warps take the next ones in
 *                  the order of the footprint, so that what is in flight lies close together and fast SMs do more
 *                  than slow ones; INTERLEAVED
 *   warm_passes*   passes before the clocks are read, which fill caches with what they can hold, 1
 *   passes         passes that are timed
 *   carveout*      bytes of shared memory to ask for beside the L1 cache; -1: the device's default
 *   trial*         distinguishes repetitions, 0
 *
 * Time begins when the last CTA has warmed up, and ends when the last byte was read or its write was acknowledged. The
 * start of the program is not part of it.
 *
 * Answer:
 *   elapsed        F64, nanoseconds from the first begin to the last end, of all SMs
 *   cycles         F64, cycles from the first begin to the last end on each SM, in the order of `sm` (ascending if
 *                  that was absent)
 *   clock          F64, Hz of the SM clock during the passes
 *   moved          I64, bytes read plus bytes written by the timed passes of all SMs; the same by each, unless queued
 *   footprint      I64, `bytes` as rounded
 *   ctas_per_sm    I64, CTAs that ran on each SM
 */
#ifndef TOMOGRAPH_ABI_STREAMING_H
#define TOMOGRAPH_ABI_STREAMING_H

#define TOMOGRAPH_STREAMING_ID "tomograph.streaming/1"

/* Values are frozen. */
enum { TOMOGRAPH_STREAM_READ = 0, TOMOGRAPH_STREAM_WRITE = 1, TOMOGRAPH_STREAM_COPY = 2 };
enum { TOMOGRAPH_STREAM_CA = 0, TOMOGRAPH_STREAM_CG = 1 };
enum { TOMOGRAPH_STREAM_INTERLEAVED = 0, TOMOGRAPH_STREAM_SLICED = 1, TOMOGRAPH_STREAM_QUEUED = 2 };

#endif
