#include "sim/l2_lines/timed_loads.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "sim/experiment_noise.hpp"
#include "sim/l2_lines/line_loads.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

using Bank = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

Bank bank_of(const MemoryPlace& place) { return {place.home, place.slice, place.bank}; }

/// Cycles that a load waits for one of the same bank, so many cycles before it: until that one's row is closed. Loads
/// of one row at once are served together.
std::int64_t wait(const MemoryChannel& channel, const MemoryPlace& first, const MemoryPlace& second,
                  std::int64_t apart) {
  if (bank_of(first) != bank_of(second)) return 0;
  const bool finds_it_open = first.row == second.row && (apart == 0 || channel.open_row_cycles > 0);
  return finds_it_open ? 0 : std::max(channel.conflict_cycles - apart, std::int64_t{0});
}

/// Which row is open in each bank.
class OpenRows {
 public:
  explicit OpenRows(const MemoryChannel& channel) : channel_(&channel) {}

  void open(const MemoryPlace& place) { rows_[bank_of(place)] = place.row; }
  /// Cycles that a load saves.
  [[nodiscard]] std::int64_t saved(const MemoryPlace& place) const {
    const auto row = rows_.find(bank_of(place));
    return row != rows_.end() && row->second == place.row ? channel_->open_row_cycles : 0;
  }

 private:
  const MemoryChannel* channel_;
  std::map<Bank, std::uint64_t> rows_;
};

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
  OpenRows rows(channel);
  const auto load = [&](std::int64_t line, const MemoryPlace& place, std::int64_t now) {
    const std::uint32_t number = used.number_of(line);
    return loads.time(loads.miss(number, program.sm), number, program.sm) + refresh_left(channel, place.bank, now) -
           rows.saved(place);
  };
  l2_lines::LoadsResult result;
  std::int64_t time = 0;
  const std::int64_t apart = program.apart.value_or(0);
  for (auto line = program.lines.begin(); line != program.lines.end(); line += program.width) {
    // The translation comes with a load that hits.
    time += gpu.l2.latency + static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(program.rest));
    const MemoryPlace first = map_.place(program.memory, line[0]);
    const std::int64_t first_cycles = load(line[0], first, time);
    std::int64_t latency = first_cycles;
    std::int64_t passed = first_cycles;
    if (program.width == 1) {
      rows.open(first);
    } else {
      const MemoryPlace second = map_.place(program.memory, line[1]);
      const bool served_together = apart == 0 && bank_of(first) == bank_of(second) && first.row == second.row;
      if (!served_together) rows.open(first);
      const std::int64_t cycles = load(line[1], second, time + apart) + wait(channel, first, second, apart);
      latency = program.apart ? cycles : std::max(first_cycles, cycles);
      passed = std::max(first_cycles, apart + cycles);
      rows.open(second);
    }
    result.start.push_back(time);
    result.latency.push_back(static_cast<std::uint32_t>(latency));
    time += passed;
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
