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

/// SMs and slices are simulated one after the other, each for as many cycles as a message takes there and back: nothing
/// that the others do meanwhile can reach it. Without a queue of all events, each works on data that stay in the
/// processor's cache.
class Simulation {
 public:
  Simulation(const Gpu& gpu, const KernelRun& run) : gpu_(gpu), run_(run), network_(gpu, run.sms.size()) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(gpu.l2.slices); ++i) slices_.emplace_back(gpu, network_, i);
    for (std::uint32_t i = 0; i < run.sms.size(); ++i) sms_.emplace_back(gpu, run, network_, i);
    warm();
  }

  KernelTimes run() {
    Cycle now = 0;
    for (std::size_t turn = 0; !is_idle(); ++turn) {
      now += network_.turn();
      run_all(sms_, turn, now);
      run_all(slices_, turn, now + network_.ways().to_slice);
    }
    return times();
  }

 private:
  /// Of messages that arrive in the same cycle, that of the part simulated first is served first. So each part is the
  /// first in turn.
  template <typename Parts>
  static void run_all(Parts& parts, std::size_t first, Cycle until) {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[(first + i) % parts.size()].run(until);
  }

  [[nodiscard]] bool is_idle() const {
    return network_.is_idle() && std::ranges::all_of(sms_, &Sm::is_idle) &&
           std::ranges::all_of(slices_, &L2Slice::is_idle);
  }

  [[nodiscard]] KernelTimes times() const {
    KernelTimes times;
    double timed = 0;
    for (const Sm& sm : sms_) {
      times.cycles.push_back(sm.end());
      times.instructions += sm.instructions();
      times.timed_latency += sm.timed_cycles();
      timed += sm.timed_loads();
      times.section_cycles.push_back(sm.section_cycles());
    }
    if (timed > 0) times.timed_latency /= timed;
    for (const L2Slice& slice : slices_) {
      times.l2_misses += slice.misses();
      times.row_misses += slice.row_misses();
    }
    return times;
  }

  /// Of several passes only the last one counts, so that one is made, and of a footprint beyond the L2 only the end.
  void warm() {
    if (run_.warm_passes == 0) return;
    const auto line = static_cast<std::uint64_t>(gpu_.l2.cache.line_size);
    const auto capacity = static_cast<std::uint64_t>(gpu_.l2.cache.lines() * gpu_.l2.partitions) * line;
    const std::uint64_t end = run_.trace->launch().footprint / line * line;
    for (std::uint64_t address = end > 4 * capacity ? end - 4 * capacity : 0; address < end; address += line) {
      slices_[network_.slice(address)].warm(address);
    }
  }

  const Gpu& gpu_;
  const KernelRun& run_;
  Network network_;
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
