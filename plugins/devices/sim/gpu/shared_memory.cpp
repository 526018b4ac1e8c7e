#include "sim/gpu/shared_memory.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr std::int64_t warp_lanes = 32;
constexpr std::int64_t word = 4;

struct Range {
  const char* key;
  double value;
  double low;
  double high;
};

std::string text(double value) {
  std::string digits = std::to_string(value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

Broken out_of_range(const Range& range) {
  if (range.value >= range.low && range.value <= range.high) return std::nullopt;
  return Violation{std::string("shared_memory.") + range.key,
                   "is " + text(range.value) + ", must lie in [" + text(range.low) + ", " + text(range.high) + "]"};
}

/// Passes of lanes that are served together.
std::int64_t group_passes(const SharedMemory& memory, std::int64_t interleave, std::int64_t width,
                          std::span<const std::int64_t> offsets) {
  std::set<std::pair<std::int64_t, std::int64_t>> touched;  // bank and row
  std::vector<std::int64_t> rows(static_cast<std::size_t>(memory.banks));
  std::int64_t most = 0;
  for (const std::int64_t offset : offsets) {
    for (std::int64_t address = offset; address < offset + width; address += word) {
      const std::int64_t bank = address / interleave % memory.banks;
      if (!touched.emplace(bank, address / (memory.banks * memory.bank_width)).second) continue;
      most = std::max(most, ++rows[static_cast<std::size_t>(bank)]);
    }
  }
  return most;
}

}  // namespace

std::optional<std::int64_t> SharedMemory::interleave(std::int64_t mode) const {
  if (mode == 0) return modes.empty() ? bank_width : modes.front();
  if (std::ranges::find(modes, mode) == modes.end()) return std::nullopt;
  return mode;
}

std::int64_t passes(const SharedMemory& memory, std::int64_t interleave, std::int64_t width,
                    std::span<const std::int64_t> offsets) {
  const auto group = static_cast<std::size_t>(memory.phase_lanes);
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < offsets.size(); first += group) {
    sum += group_passes(memory, interleave, width, offsets.subspan(first, std::min(group, offsets.size() - first)));
  }
  return sum;
}

SharedMemory read_shared_memory(const Section& section) {
  section.expect_only({"size_per_sm", "size_per_block", "reserved_per_block", "max_warps", "max_ctas", "banks",
                       "bank_width", "modes", "phase_lanes", "latency", "conflict_cycles", "pass_cycles", "schedulers",
                       "issue_cycles", "sigma"});
  SharedMemory memory;
  memory.size_per_sm = section.integer("size_per_sm");
  memory.size_per_block = section.integer("size_per_block", memory.size_per_sm);
  memory.reserved_per_block = section.integer("reserved_per_block", 0);
  memory.max_warps = section.integer("max_warps", memory.max_warps);
  memory.max_ctas = section.integer("max_ctas", memory.max_ctas);
  memory.banks = section.integer("banks");
  memory.bank_width = section.integer("bank_width");
  if (section.has("modes")) memory.modes = section.integers("modes");
  memory.phase_lanes = section.integer("phase_lanes", memory.phase_lanes);
  memory.latency = section.integer("latency");
  memory.conflict_cycles = section.number("conflict_cycles");
  memory.pass_cycles = section.number("pass_cycles", memory.pass_cycles);
  memory.schedulers = section.integer("schedulers", memory.schedulers);
  memory.issue_cycles = section.number("issue_cycles", memory.issue_cycles);
  memory.sigma = section.number("sigma", memory.sigma);
  return memory;
}

Broken violation(const SharedMemory& memory) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const Range ranges[] = {
      {"size_per_sm", number(memory.size_per_sm), 1024, 1 << 24},
      {"size_per_block", number(memory.size_per_block), 1024,
       number(memory.size_per_sm) - number(memory.reserved_per_block)},
      {"reserved_per_block", number(memory.reserved_per_block), 0, number(memory.size_per_sm)},
      {"max_warps", number(memory.max_warps), 1, 1024},
      {"max_ctas", number(memory.max_ctas), 1, 1024},
      {"banks", number(memory.banks), 1, 1024},
      {"bank_width", number(memory.bank_width), 4, 64},
      {"phase_lanes", number(memory.phase_lanes), 1, warp_lanes},
      {"latency", number(memory.latency), 1, 1e6},
      {"conflict_cycles", memory.conflict_cycles, 0, 1e6},
      {"pass_cycles", memory.pass_cycles, 0, 1e6},
      {"schedulers", number(memory.schedulers), 1, 64},
      {"issue_cycles", memory.issue_cycles, 0, 1e6},
      {"sigma", memory.sigma, 0, 1000},
  };
  for (const Range& range : ranges) {
    if (auto broken = out_of_range(range)) return broken;
  }
  if (!is_power_of_two(memory.bank_width)) return Violation{"shared_memory.bank_width", "must be a power of two"};
  for (const std::int64_t mode : memory.modes) {
    if (mode >= word && memory.bank_width % mode == 0) continue;
    return Violation{"shared_memory.modes", "holds " + std::to_string(mode) +
                                                ", which is no multiple of 4 that divides bank_width, " +
                                                std::to_string(memory.bank_width)};
  }
  return std::nullopt;
}

}  // namespace tomograph::sim
