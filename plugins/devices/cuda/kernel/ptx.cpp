#include "cuda/kernel/ptx.hpp"

#include <fmt/format.h>

#include "cuda/kernel/ptx_addresses.hpp"
#include "cuda/kernel/ptx_loop.hpp"
#include "cuda/kernel/task.hpp"

namespace tomograph::cuda {

namespace {

/// Timeouts, in cycles: 0.5 ms at 2 GHz for all CTAs to be placed, 10 s for the slowest to be ready.
constexpr std::int64_t placement_timeout = 1'000'000;
constexpr std::int64_t ready_timeout = 20'000'000'000;
/// Nanoseconds from the last CTA's arrival to the start: as many as 4,000 CTAs take to read one word, one after
/// another. Without it, they would start as late after each other, 1,500 cycles of a full H200.
constexpr std::int64_t until_start = 32'000;
/// Bit of a rendezvous that a CTA which does not come sets, so that no other waits for it: more than all CTAs.
constexpr std::uint32_t given_up = 1U << 31U;

/// PTX ISA 6.4 (CUDA 10.1) suffices for everything here; the driver compiles it for any later GPU.
std::string header(std::int64_t compute_capability) {
  constexpr std::int64_t turing = 75;
  return fmt::format(".version 6.4\n.target {}\n.address_size 64\n.extern .shared .align 16 .b8 shared[];\n",
                     compute_capability >= turing ? "sm_75" : "sm_50");
}

std::string declaration(std::size_t steps) {
  return fmt::format(R"(.visible .entry {}(
  .param .u64 ranks, .param .u64 rendezvous, .param .u64 occupied, .param .u64 times, .param .u64 sink,
  .param .u32 unlikely_sum, .param .u32 zero_word, .param .u32 factor_word, .param .u32 sm_limit, .param .u32 sm_number,
  .param .u32 cta_places, .param .u32 cta_number, .param .u32 iteration_number, .param .align 8 .b8 accesses[{}])
.maxntid 1024, 1, 1
{{
.reg .pred p, q, is_first;
.reg .b32 tid, lane, warp, warps, threads, sm, rank, slot, seen, all, sms, cta_limit, ctas, place, places, cta;
.reg .b32 thread, thread_step, i, last, timed, combined, x, y, zero, factor, unlikely, shared_base, shared_at;
.reg .b64 a, b, own, begin, now, begin_ns, begin_clock, end_ns, end_clock, latency;
)",
                     kernel_entry, steps * sizeof(KernelAccess));
}

/// Adds 1 to the word at [a] and waits until it is `all`. p says whether that happened within `timeout` cycles.
std::string arrive_and_wait(const char* label, std::int64_t timeout) {
  return fmt::format(R"(atom.global.add.u32 seen, [a], 1;
mov.u64 begin, %clock64;
{0}_WAIT:
ld.volatile.global.u32 seen, [a];
setp.ge.u32 p, seen, all;
@p bra {0}_DONE;
mov.u64 now, %clock64;
sub.u64 now, now, begin;
setp.lt.u64 q, now, {1};
@q bra {0}_WAIT;
{0}_DONE:
setp.eq.u32 p, seen, all;
)",
                     label, timeout);
}

/// Claims a place on this SM. The grid fills all SMs, so that each gets enough CTAs. Those in the lowest warp slots
/// keep their places: a slot belongs to a scheduler, and neighbours to different ones, so that schedulers share the
/// warps as evenly as if no others had been launched. In the order of arrival, 14 CTAs of one warp left 9 of them to
/// one scheduler of an H200. Surplus CTAs exit only after all CTAs have been placed, because another CTA would take
/// their room.
std::string claim() {
  return fmt::format(R"(mov.u32 tid, %tid.x;
and.b32 lane, tid, 31;
shr.u32 warp, tid, 5;
mov.u32 threads, %ntid.x;
shr.u32 warps, threads, 5;
ld.param.u32 zero, [zero_word];
ld.param.u32 factor, [factor_word];
ld.param.u32 unlikely, [unlikely_sum];
ld.param.u32 sms, [sm_number];
ld.param.u32 cta_limit, [cta_places];
ld.param.u32 ctas, [cta_number];
setp.eq.u32 is_first, tid, 0;
@!is_first bra CLAIMED;
mov.u32 rank, -1;
mov.u32 slot, cta_limit;
mov.u32 sm, %smid;
ld.param.u32 x, [sm_limit];
setp.ge.u32 p, sm, x;
@p bra ARRIVE;
mul.wide.u32 b, sm, 4;
ld.param.u64 a, [ranks];
add.u64 a, a, b;
ld.global.cg.u32 rank, [a];
setp.lt.s32 p, rank, 0;
@p bra ARRIVE;
mov.u64 own, 1;
mov.u32 x, %warpid;
shl.b64 own, own, x;
ld.param.u64 a, [occupied];
add.u64 a, a, b;
add.u64 a, a, b;
red.global.or.b64 [a], own;
membar.gl;
ARRIVE:
ld.param.u64 a, [rendezvous];
mov.u32 all, %nctaid.x;
{}setp.lt.s32 q, rank, 0;
@q bra CHOSEN;
@p bra PLACED;
atom.global.or.b32 seen, [a+4], {};
bra CHOSEN;
PLACED:
ld.param.u64 a, [occupied];
add.u64 a, a, b;
add.u64 a, a, b;
ld.volatile.global.b64 a, [a];
sub.u64 own, own, 1;
and.b64 a, a, own;
popc.b64 slot, a;
CHOSEN:
st.shared.u32 [shared], rank;
st.shared.u32 [shared+4], slot;
CLAIMED:
bar.sync 0;
ld.shared.u32 rank, [shared];
ld.shared.u32 slot, [shared+4];
setp.ge.u32 p, slot, cta_limit;
@p bra END;
mul.lo.u32 places, sms, cta_limit;
mad.lo.u32 place, slot, sms, rank;
mul.lo.u32 thread_step, places, threads;
mov.u32 shared_base, shared;
mad.lo.u32 shared_at, tid, 4, shared_base;
mov.u32 combined, tid;
mov.u32 timed, 0;
mov.u32 last, 1;
)",
                     arrive_and_wait("PLACING", placement_timeout), given_up);
}

/// Waits for all places of the kernel and for their common start, the latest that one of them asks for, then reads the
/// clock. Before the untimed phase it does nothing.
std::string begin_phase() {
  return fmt::format(R"(setp.eq.u32 p, timed, 0;
@p bra READY;
@!is_first bra MEET;
ld.param.u64 a, [rendezvous];
mov.u64 b, %globaltimer;
add.u64 b, b, {};
red.global.max.u64 [a+8], b;
membar.gl;
add.u64 a, a, 4;
mov.u32 all, places;
{}selp.u32 x, 1, 0, p;
st.shared.u32 [shared+8], x;
ld.volatile.global.u64 b, [a+4];
AWAIT_START:
mov.u64 begin_ns, %globaltimer;
setp.lt.u64 q, begin_ns, b;
@q bra AWAIT_START;
MEET:
bar.sync 0;
ld.shared.u32 x, [shared+8];
setp.eq.u32 p, x, 0;
@p bra END;
mov.u64 begin_clock, %clock64;
READY:
)",
                     until_start, arrive_and_wait("MEETING", ready_timeout));
}

/// Ends a phase: all results count as used. The untimed phase is followed by the timed one, which it leaves no stores
/// to wait for.
std::string end_phase(const std::string& all_results) {
  return fmt::format(R"(DONE:
{}setp.eq.u32 p, combined, unlikely;
ld.param.u64 a, [sink];
@p st.global.u32 [a], combined;
bar.sync 0;
setp.ne.u32 p, timed, 0;
@p bra FINISH;
membar.gl;
mov.u32 timed, 1;
ld.param.u32 last, [iteration_number];
bra PHASE;
FINISH:
mov.u64 end_clock, %clock64;
)",
                     all_results);
}

std::string record() {
  return fmt::format(R"(ld.param.u64 a, [times];
mul.wide.u32 b, rank, {};
add.u64 a, a, b;
setp.eq.u32 p, lane, 0;
@p red.global.add.u64 [a+40], latency;
@!is_first bra END;
mov.u64 end_ns, %globaltimer;
not.b64 begin_ns, begin_ns;
not.b64 begin_clock, begin_clock;
red.global.max.u64 [a], begin_ns;
red.global.max.u64 [a+8], end_ns;
red.global.max.u64 [a+16], begin_clock;
red.global.max.u64 [a+24], end_clock;
mov.u64 b, 1;
red.global.add.u64 [a+32], b;
END:
ret;
}}
)",
                     sizeof(KernelTimes));
}

}  // namespace

std::string ptx_of(const kernel::Kernel& kernel, std::int64_t compute_capability) {
  const AddressCode addresses(kernel);
  const LoopCode loop(kernel, addresses);
  std::string text = header(compute_capability) + declaration(kernel.loop.size());
  text += addresses.registers() + loop.registers();
  text += claim() + addresses.once() + loop.once();
  text += "PHASE:\nmov.u32 cta, place;\nmad.lo.u32 thread, place, threads, tid;\nmov.u64 latency, 0;\n";
  text += addresses.of_place() + addresses.of_cta() + begin_phase();
  text += "setp.ge.u32 p, cta, ctas;\n@p bra DONE;\nCTA:\nmov.u32 i, 0;\n";
  text += "LOOP:\n.pragma \"nounroll\";\n" + loop.body();
  text += "add.u32 i, i, 1;\nsetp.lt.u32 p, i, last;\n@p bra LOOP;\n";
  text += "add.u32 cta, cta, places;\nsetp.ge.u32 p, cta, ctas;\n";
  text += "setp.eq.u32 q, timed, 0;\nor.pred p, p, q;\n@p bra DONE;\n";
  text += "bar.sync 0;\nadd.u32 thread, thread, thread_step;\n" + addresses.next_cta() + addresses.of_cta();
  text += "bra CTA;\n";
  return text + end_phase(loop.combine_all()) + record();
}

}  // namespace tomograph::cuda
