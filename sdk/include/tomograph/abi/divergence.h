/* Thread divergence: the cost when threads of a warp follow different branches (Lemeire, Cornelis, Segers 2016,
 * section V-D and Fig. 5).
 *
 * One CTA of `warps` warps runs on each SM. In each pass of a loop thread t follows branch (t / width) % 4 of four; all
 * branches hold the same number of dependent fused multiply-adds (fma.rn.f32). The long body has branches with twice
 * as many instructions and is otherwise the same.
 *
 * Experiment id "tomograph.divergence/1". Parameters are I64 arrays of one element:
 *
 *   width          number of consecutive threads that follow the same branch (convItems in the paper), 1 to 1024
 *   warps          number of warps of the CTA, 1 to 32
 *   body           TOMOGRAPH_SHORT_BODY, TOMOGRAPH_LONG_BODY of instruction.h
 *   passes         number of passes of the loop, 1 to 65536
 *   repetitions    1 to 1024, as in instruction.h
 *   trial          distinguishes further repetitions
 *
 * The answer has the arrays of instruction.h; `instructions` counts the instructions that each thread executed.
 */
#ifndef TOMOGRAPH_ABI_DIVERGENCE_H
#define TOMOGRAPH_ABI_DIVERGENCE_H

#define TOMOGRAPH_DIVERGENCE_ID "tomograph.divergence/1"

enum { TOMOGRAPH_DIVERGENCE_BRANCHES = 4 };

#endif
