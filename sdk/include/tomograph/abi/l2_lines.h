/* Lines of the L2 cache, one by one: how long each takes from each SM, and how fast SMs load a few of them together.
 * Both show the slices of an L2: the distance from an SM depends on the slice, and lines of one slice share its rate.
 *
 * The lines lie in memory that the device keeps for these experiments: `pages` pages of 2 MiB. Line n begins at byte
 * n * line_size. From its first use until the device is closed, a line keeps its physical address as long as no
 * experiment asks for more pages than any before it. All lines of an experiment should fit in the L2.
 *
 * Experiment id "tomograph.l2_latency/1". Parameters are I64 arrays, of one element unless said otherwise:
 *
 *   pages          1 to 64
 *   line_size      bytes from line to line, a power of two from 32 to 4096
 *   lines          numbers of lines, 1 to 2^20 of them
 *   sms            numbers of the SMs whose latencies are wanted, in ascending order; empty: all
 *   rounds         loads of each line by each SM, an even number from 2 to 24
 *   trial          distinguishes repetitions
 *
 * One thread on every SM loads the lines with ld.global.cg, in its own order, and times each load. The first load of a
 * line does not count.
 *
 * Answer. Each half of the rounds gives the mean of the middle half of a line's latencies.
 *   latency        U32, by SM and then by line: mean of the two halves less the overhead of timing, in whole cycles
 *   noise          F64, by SM: standard deviation of `latency` before it was rounded, from the differences between the
 *                  halves: half the median of their sizes, as the deviation of a normal distribution
 *   cycles         F64, by SM, cycles that all loads took
 *
 * Experiment id "tomograph.l2_contention/1". Parameters as above, and:
 *
 *   lines          lines of all sets, one set after the other
 *   count          number of lines of each set, at least 1
 *   sms            SMs that load; empty: all
 *   warps          warps on each SM, 1 to 32
 *   loads          loads of each warp, 1 to 65536
 *
 * For each set on its own: each load of warp w reads the first 4 bytes of a line of the set, from line w on in turn.
 * Warps do not wait for their loads but at the end, as far as the device can.
 *
 * Answer:
 *   rate           F64, by set, loads per cycle of all SMs together
 *   cycles         F64, by set, mean over the SMs of the cycles that they took
 */
#ifndef TOMOGRAPH_ABI_L2_LINES_H
#define TOMOGRAPH_ABI_L2_LINES_H

#include "version.h"

#define TOMOGRAPH_L2_LATENCY_ID "tomograph.l2_latency/1"
#define TOMOGRAPH_L2_CONTENTION_ID "tomograph.l2_contention/1"

#endif
