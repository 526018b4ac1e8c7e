/* Streaming: how fast many threads read, write or copy memory.
 *
 * On each participating SM, a number of resident CTAs pass over a footprint repeatedly. A warp moves one tile after the
 * other, each of `ilp` x 32 x `element` consecutive bytes: first `ilp` independent loads, each of `element` bytes per
 * thread, then their uses (the stores of a copy). So at most SMs x CTAs x threads x ilp x element bytes are in flight.
 * Tiles are distributed in turn to the warps of a group. Each tile belongs to the same warp in every pass, so no two
 * SMs ever move the same bytes (with a queued footprint: not within one pass).
 *
 * Experiment id "tomograph.streaming/1". Parameters are I64 arrays of one element, except `sm`. Those marked * are
 * optional and have the given default.
 *
 *   operation      TOMOGRAPH_STREAM_READ, TOMOGRAPH_STREAM_WRITE, TOMOGRAPH_STREAM_COPY
 *   load*          how reads and copies load: TOMOGRAPH_STREAM_CA (1st level caches may hold it), TOMOGRAPH_STREAM_CG
 *                  (past them); CG. Stores are plain ones, st.global.wb. Reads also through other paths:
 *                  TOMOGRAPH_STREAM_NC (ld.global.nc), TOMOGRAPH_STREAM_TEXTURE (texels of a linear texture),
 *                  TOMOGRAPH_STREAM_CONSTANT (see below)
 *   element        bytes that one thread moves with one instruction: 1, 2, 4, 8 or 16; 4, 8 or 16 through other paths
 *   ilp            independent instructions in a row: 1, 2, 4 or 8
 *   threads        of a CTA, a multiple of 32, at most 1024
 *   ctas_per_sm    CTAs on each SM at the same time. If fewer fit, fewer run, and the answer gives their number
 *   sm*            numbers of the participating SMs, each once; default: all
 *   bytes          footprint: size of the source, or of the written memory. A copy's destination has the same size and
 *                  is separate. Rounded down to whole turns of the groups, but to at least one
 *   deal*          TOMOGRAPH_STREAM_INTERLEAVED: all warps form one group, which shares the footprint tile by tile;
 *                  TOMOGRAPH_STREAM_SLICED: each SM has its own contiguous slice, 1/SMs of it;
 *                  TOMOGRAPH_STREAM_QUEUED: when the warps of a CTA have moved their tiles, the CTA takes the next ones
 *                  in the order of the footprint. So the bytes in flight are close together, and fast SMs move more
 *                  than slow ones; default: INTERLEAVED
 *   warm_passes*   passes before the timed ones, which fill the caches, 1
 *   passes         timed passes
 *   carveout*      bytes of shared memory to ask for beside the L1 cache; -1: the device's default
 *   trial*         distinguishes repetitions, 0
 *
 * Constant caches serve one address per instruction. So with TOMOGRAPH_STREAM_CONSTANT all threads of a warp load the
 * same element: a tile has `ilp` x `element` bytes, and every warp passes over the whole footprint, which lies in
 * constant memory. `deal` must be INTERLEAVED and changes nothing.
 *
 * A path that the device lacks, or a footprint that the path cannot address, is UNSUPPORTED.
 *
 * Time begins when the last CTA has warmed up. It ends when the last byte was read or its write was acknowledged. It
 * does not include the start of the program.
 *
 * Answer:
 *   elapsed        F64, nanoseconds from the first start to the last end over all SMs
 *   cycles         F64, cycles from the first start to the last end on each SM, in the order of `sm` (ascending if
 *                  that was absent)
 *   clock          F64, Hz of the SM clock during the passes
 *   moved          I64, bytes read plus bytes written by the timed passes of all SMs, equal for each SM unless queued.
 *                  What a warp loads from one address counts once
 *   footprint      I64, `bytes` after rounding
 *   ctas_per_sm    I64, number of CTAs that ran on each SM
 */
#ifndef TOMOGRAPH_ABI_STREAMING_H
#define TOMOGRAPH_ABI_STREAMING_H

#define TOMOGRAPH_STREAMING_ID "tomograph.streaming/1"

/* Values are frozen. */
enum { TOMOGRAPH_STREAM_READ = 0, TOMOGRAPH_STREAM_WRITE = 1, TOMOGRAPH_STREAM_COPY = 2 };
enum {
  TOMOGRAPH_STREAM_CA = 0,
  TOMOGRAPH_STREAM_CG = 1,
  TOMOGRAPH_STREAM_NC = 2,
  TOMOGRAPH_STREAM_TEXTURE = 3,
  TOMOGRAPH_STREAM_CONSTANT = 4
};
enum { TOMOGRAPH_STREAM_INTERLEAVED = 0, TOMOGRAPH_STREAM_SLICED = 1, TOMOGRAPH_STREAM_QUEUED = 2 };

#endif
