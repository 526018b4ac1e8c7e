#include "sim/kernel/simulation.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "sim/kernel/l2_slice.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim::timed {

namespace {

void require_possible(const Gpu& gpu, const KernelRun& run) {
  if (!gpu.timing) throw Refused(TOMOGRAPH_UNSUPPORTED, "the description of this GPU has no timing");
  if (std::ranges::max(run.sms) >= gpu.sm_count) {
    throw std::invalid_argument("an SM takes part that the GPU does not have");
  }
  const kernel::Launch& launch = run.trace->launch();
  const std::int64_t warps = static_cast<std::int64_t>(launch.warps_per_cta) * launch.ctas_per_sm;
  if (warps > gpu.timing->max_warps || launch.ctas_per_sm > gpu.timing->max_ctas) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "fewer CTAs fit on an SM");
  }
  if (gpu.dram.size && launch.footprint > static_cast<std::uint64_t>(*gpu.dram.size)) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the footprint is larger than the memory");
  }
}

class Simulation {
 public:
  Simulation(const Gpu& gpu, const KernelRun& run) : gpu_(gpu), run_(run) {
    const auto slices = static_cast<std::uint32_t>(gpu.l2.slices);
    for (std::uint32_t i = 0; i < slices; ++i) channels_.emplace_back(gpu, traffic_, i);
    for (std::uint32_t i = 0; i < slices; ++i) slices_.emplace_back(gpu, traffic_, channels_[i], i);
    for (std::uint32_t i = 0; i < run.sms.size(); ++i) sms_.emplace_back(gpu, run, traffic_, i);
    warm();
  }

  KernelTimes run() {
    for (Sm& sm : sms_) sm.start();
    traffic_.events.run([this](const Event& event) { handle(event); });
    KernelTimes times;
    double timed = 0;
    for (const Sm& sm : sms_) {
      times.cycles.push_back(sm.end());
      times.instructions += sm.instructions();
      times.timed_latency += sm.timed_cycles();
      timed += sm.timed_loads();
    }
    if (timed > 0) times.timed_latency /= timed;
    for (const L2Slice& slice : slices_) times.l2_misses += slice.misses();
    for (const DramChannel& channel : channels_) times.row_misses += channel.row_misses();
    return times;
  }

 private:
  /// Of several passes only the last one counts, so that one is made, and of a footprint beyond the L2 only the end.
  void warm() {
    if (run_.warm_passes == 0) return;
    const auto line = static_cast<std::uint64_t>(gpu_.l2.cache.line_size);
    const auto capacity = static_cast<std::uint64_t>(gpu_.l2.cache.lines() * gpu_.l2.partitions) * line;
    const std::uint64_t end = run_.trace->launch().footprint / line * line;
    for (std::uint64_t address = end > 4 * capacity ? end - 4 * capacity : 0; address < end; address += line) {
      slices_[slice_of(address, static_cast<std::uint64_t>(gpu_.timing->l2.interleave), slices_.size())].warm(address);
    }
  }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::schedule: return sms_[event.unit].schedule(event.item);
      case EventKind::access_l1: return sms_[event.unit].access_l1();
      case EventKind::at_slice: return slices_[event.unit].arrive(event.item);
      case EventKind::at_channel: return channels_[event.unit].arrive(event.item);
      case EventKind::choose_request: channels_[event.unit].choose(); return slices_[event.unit].resume();
      case EventKind::from_memory: return slices_[event.unit].from_memory(event.item);
      case EventKind::at_sm: return sms_[event.unit].at_port(event.item);
      case EventKind::reply: return sms_[event.unit].reply(event.item);
      case EventKind::load_done: return sms_[event.unit].load_done(event.item);
      case EventKind::warp_done: return sms_[event.unit].warp_done(event.item);
    }
  }

  const Gpu& gpu_;
  const KernelRun& run_;
  Traffic traffic_;
  std::deque<DramChannel> channels_;
  std::deque<L2Slice> slices_;
  std::deque<Sm> sms_;
};

}  // namespace

Cycle KernelTimes::longest() const { return cycles.empty() ? 0 : std::ranges::max(cycles); }

KernelTimes simulate(const Gpu& gpu, const KernelRun& run) {
  require_possible(gpu, run);
  return Simulation(gpu, run).run();
}

}  // namespace tomograph::sim::timed
