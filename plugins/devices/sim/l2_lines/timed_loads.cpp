#include "sim/l2_lines/timed_loads.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/experiment_noise.hpp"
#include "sim/l2_lines/line_loads.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

/// Whether one of two lines must wait until the other's row is closed.
bool conflict(const MemoryPlace& one, const MemoryPlace& other) {
  const bool same_channel = one.home == other.home && one.slice == other.slice;
  return same_channel && one.bank == other.bank && one.row != other.row;
}

/// Cycles until a bank no longer refreshes. Banks refresh at different times.
std::int64_t refresh_left(const MemoryChannel& channel, std::uint64_t bank, std::int64_t time) {
  if (channel.refresh_cycles == 0) return 0;
  const auto phase = static_cast<std::int64_t>(mix(bank) % static_cast<std::uint64_t>(channel.refresh_period));
  return std::max(channel.refresh_cycles - (time + phase) % channel.refresh_period, std::int64_t{0});
}

}  // namespace

l2_lines::LoadsResult L2Loads::run(const l2_lines::Loads& program, const Experiment& experiment) {
  const Gpu& gpu = hierarchy_->gpu;
  if (!gpu.dram.channel) throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU's memory channels are not described");
  if (program.sm >= gpu.sm_count) {
    throw std::invalid_argument("the program names an SM that the device does not have");
  }
  const MemoryChannel& channel = *gpu.dram.channel;
  UsedLines used(*hierarchy_, options_, {program.memory}, numbers_);
  for (const std::int64_t line : program.lines) static_cast<void>(used.number_of(line));
  Random random(noise_seed(experiment, options_));
  LineLoads loads(*hierarchy_, options_, used, Random(random.next()));
  l2_lines::LoadsResult result;
  std::int64_t time = 0;
  for (std::size_t first = 0; first < program.lines.size(); first += static_cast<std::size_t>(program.width)) {
    // The translation comes with a load that hits.
    time += gpu.l2.latency + static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(program.rest));
    std::int64_t slowest = 0;
    std::vector<MemoryPlace> places;
    for (std::size_t i = first; i < first + static_cast<std::size_t>(program.width); ++i) {
      const std::uint32_t line = used.number_of(program.lines[i]);
      places.push_back(map_.place(program.memory, program.lines[i]));
      std::int64_t cycles = loads.time(loads.miss(line, program.sm), line, program.sm);
      cycles += refresh_left(channel, places.back().bank, time);
      if (conflict(places.front(), places.back())) cycles += channel.conflict_cycles;
      slowest = std::max(slowest, cycles);
    }
    result.start.push_back(time);
    result.latency.push_back(static_cast<std::uint32_t>(slowest));
    time += slowest;
  }
  result.cycles = time;
  result.seconds = static_cast<double>(time) / (static_cast<double>(gpu.sm_clock_mhz) * 1e6);
  return result;
}

std::vector<Answer> L2Loads::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_loads(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program, experiment));
  });
}

}  // namespace tomograph::sim
