#include "sim/gpu/shared_memory.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr std::int64_t word = 4;

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
  const std::int64_t room = memory.size_per_sm - memory.reserved_per_block;
  if (auto broken = at_most("shared_memory.size_per_block", memory.size_per_block, room)) return broken;
  if (auto broken = power_of_two("shared_memory.bank_width", memory.bank_width)) return broken;
  for (const std::int64_t mode : memory.modes) {
    if (mode >= word && memory.bank_width % mode == 0) continue;
    return Violation{"shared_memory.modes", "holds " + std::to_string(mode) +
                                                ", which is no multiple of 4 that divides bank_width, " +
                                                std::to_string(memory.bank_width)};
  }
  return std::nullopt;
}

}  // namespace tomograph::sim
