/* Instruction throughput: how fast an SM executes one type of instruction at a given occupancy.
 *
 * `ctas` CTAs of `warps` warps run on an SM at the same time. Every thread executes the instruction in `ilp`
 * chains: each instruction reads only the result of the one before it in its chain. The chains are unrolled into the
 * body of a loop with `passes` passes. The long body has twice as many instructions as the short one and is otherwise
 * the same. So the difference of two experiments that differ only in `body` is the time of the instructions, without
 * the time of the loop, of reading the clock and of the start.
 *
 * Experiment id "tomograph.instruction/1". Parameters are I64 arrays of one element:
 *
 *   type           TOMOGRAPH_FP32_ADD and so on
 *   ilp            independent chains in each thread: 1, 2 or 4
 *   warps          number of warps of a CTA, 1 to 32
 *   ctas           number of CTAs that an SM holds at the same time, 1 to 32. The device enforces it by the shared
 *                  memory of each CTA: floor(shared memory of the SM / ctas), less the part that the system reserves
 *                  for each CTA (Lemeire, Cornelis, Segers 2016, Eq. 2)
 *   body           TOMOGRAPH_SHORT_BODY, TOMOGRAPH_LONG_BODY
 *   passes         number of passes of the loop, 1 to 65536
 *   repetitions    1 to 1024. A repetition is a run of all CTAs on one SM. Repetitions use different SMs; if there are
 *                  more repetitions than SMs, some run on one SM one after the other
 *   trial          distinguishes further repetitions
 *
 * Answer, with one element per repetition:
 *   cycles         U32, clock of the SM from the start of its first CTA to the end of its last
 *   sm             U32, number of the SM
 *   ctas           U32, CTAs that ran on the SM
 *   concurrent     U32, largest number of CTAs at the same time
 * and with one element:
 *   instructions   I64, instructions of the type that each thread executed between start and end
 *
 * A device refuses as unsupported a type that it does not have, and an occupancy that exceeds its limits.
 */
#ifndef TOMOGRAPH_ABI_INSTRUCTION_H
#define TOMOGRAPH_ABI_INSTRUCTION_H

#define TOMOGRAPH_INSTRUCTION_ID "tomograph.instruction/1"

/* Types of instructions. Values are frozen. */
enum {
  TOMOGRAPH_FP32_ADD = 0,         /* add.rn.f32 */
  TOMOGRAPH_FP32_FMA = 1,         /* fma.rn.f32 */
  TOMOGRAPH_INT32_ADD = 2,        /* add.s32 of three operands */
  TOMOGRAPH_INT32_MAD = 3,        /* mad.lo.s32 */
  TOMOGRAPH_FP64_FMA = 4,         /* fma.rn.f64 */
  TOMOGRAPH_FP16X2_FMA = 5,       /* fma.rn.f16x2 */
  TOMOGRAPH_SPECIAL = 6,          /* a special function that the hardware has: rsqrt.approx.ftz.f32 */
  TOMOGRAPH_SPECIAL_SOFTWARE = 7, /* one without hardware, a sequence of instructions counted as one: cosf */
  TOMOGRAPH_CONSTANT_LOAD = 8     /* ld.const.u32 of a word that all lanes of a warp load, and that gives the address of
                                     the next load: its own. Each chain has a word in the same line */
};

/* Values are frozen. */
enum { TOMOGRAPH_SHORT_BODY = 0, TOMOGRAPH_LONG_BODY = 1 };

#endif
