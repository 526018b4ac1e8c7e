/* Lines of the L2 cache, one by one: how long each takes from each SM, how fast SMs load a few of them together, which
 * of them a walk over others evicts, and how long one or two take at a certain time. The first two show the slices of
 * an L2: the distance from an SM depends on the slice, and lines of one slice share its rate. The third shows its sets.
 * The fourth shows the memory behind it.
 *
 * The lines lie in memory that the device keeps for these experiments: `pages` pages of 2 MiB. Line n begins at byte
 * n * line_size. From its first use until the device is closed, a line keeps its physical address as long as no
 * experiment asks for more pages than any before it.
 *
 * Experiment id "tomograph.l2_latency/1". Parameters are I64 arrays, of one element unless said otherwise:
 *
 *   pages          1 to 512
 *   line_size      bytes from line to line, a power of two from 32 to 4096
 *   lines          numbers of lines, 1 to 2^20 of them. All should fit in the L2
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
 *   atomic         1: each load is an atomic addition of 0 to the line's first 4 bytes by one thread of the warp, and
 *                  its result is waited for as a load's. 0 or absent: loads
 *
 * For each set on its own: each load of warp w reads the first 4 bytes of a line of the set, from line w on in turn.
 * Warps do not wait for their loads but at the end, as far as the device can.
 *
 * Answer:
 *   rate           F64, by set, loads per cycle of all SMs together
 *   cycles         F64, by set, mean over the SMs of the cycles that they took
 *
 * Experiment id "tomograph.l2_eviction/1". A list of tests, one after the other in the order given. Parameters:
 *
 *   pages          a power of two from 1 to 512
 *   line_size      as above
 *   step           an odd number. Place n is line n * step modulo the number of lines of all pages. So a run of places
 *                  is a run of lines if the step is 1, and else lies scattered over all pages
 *   target.runs    by test: number of runs of lines (not places) that are its targets, 1 to 2048
 *   target.first   by test and run: its first line
 *   target.count   by test and run: its number of lines, at least 1. All tests together have at most 2^23 targets
 *   walk.runs      by test: number of runs of places that it walks, 0 to 2048
 *   walk.first     by test and run: its first place
 *   walk.count     by test and run: its number of places, at least 1
 *   walks          times that each test walks all its runs, 1 to 64
 *   observers      numbers of the SMs that load targets, at least one, in ascending order
 *   walkers        numbers of the SMs that walk, at least one, in ascending order
 *   limit          a target whose last load took more cycles is late
 *   trial          distinguishes repetitions
 *
 * A test has three parts, and all SMs have ended one before the next begins. First the observers load the targets,
 * each a consecutive share of them, and then load them once more. Then the walkers load the lines of the walk with
 * ld.global.cg: one SM in the order of the runs, each load after the one before has returned; several SMs many at once,
 * in no certain order. At last the observers load their shares again and time each load. The time should contain no TLB
 * miss: an observer may load the first line of a page before it times others of that page. So no target should be a
 * page's first line.
 * A device may refuse, as unsupported, programs of which more than 2^20 targets are late.
 *
 * Answer:
 *   late           U32, the late targets in ascending order, counted over all tests
 *   latency        U32, cycles of their last loads less the overhead of timing
 *
 * Experiment id "tomograph.l2_loads/1". One thread of one SM loads lines step by step. Parameters:
 *
 *   pages          1 to 512
 *   line_size      as above
 *   lines          lines in order, 1 to 2^20 of them
 *   width          consecutive lines that one step loads at once, 1 or 2. The number of lines is a multiple of it
 *   apart          optional, with a width of 2: cycles from the first load of a step to the second, 0 to 65536. The
 *                  latency is that of the second load alone
 *   sm             number of the SM
 *   rest           before each step the thread rests for a pseudo-random number of cycles below this, 1 to 65536
 *   trial          distinguishes repetitions
 *
 * Before each step its lines leave the L2 (discard.global.L2), so that memory serves all loads; what the lines hold is
 * lost. A line of the step before may stay. A device on which nothing makes lines leave refuses, as unsupported. The
 * loads are ld.global.cg. The next step follows when all lines of one have come. The time should contain no TLB miss:
 * the thread may load the first lines of the pages before it times others. So no line should be a page's first.
 *
 * Answer:
 *   start          I64, by step, cycles from the start of the program to that of the loads
 *   latency        U32, by step, cycles until all its lines have come, or of the load that `apart` selects, less the
 *                  overhead of timing
 *   seconds        F64, one element: time that passed, by a clock of constant rate
 *   cycles         I64, one element: cycles of the SM that passed meanwhile
 */
#ifndef TOMOGRAPH_ABI_L2_LINES_H
#define TOMOGRAPH_ABI_L2_LINES_H

#include "version.h"

#define TOMOGRAPH_L2_LATENCY_ID "tomograph.l2_latency/1"
#define TOMOGRAPH_L2_CONTENTION_ID "tomograph.l2_contention/1"
#define TOMOGRAPH_L2_EVICTION_ID "tomograph.l2_eviction/1"
#define TOMOGRAPH_L2_LOADS_ID "tomograph.l2_loads/1"

#endif
