#include "sim/l2_lines/memory_map.hpp"

#include "sim/l2_lines/pages.hpp"
#include "sim/random.hpp"

namespace tomograph::sim {

MemoryPlace MemoryMap::place(const l2_lines::Memory& memory, std::int64_t line) {
  const MemoryChannel& channel = *hierarchy_->gpu.dram.channel;
  const std::uint64_t address = physical_address(*hierarchy_, *options_, memory, line);
  const std::int64_t page = line / memory.lines_per_page();
  const auto rank = ranks(memory, page)[static_cast<std::size_t>(line % memory.lines_per_page())];
  const auto banks = static_cast<std::uint64_t>(channel.banks);
  const auto run = rank * static_cast<std::uint64_t>(memory.line_size) / static_cast<std::uint64_t>(channel.run);
  const std::uint64_t round = run / banks;
  const auto first_round = address / l2_lines::page_bytes * static_cast<std::uint64_t>(memory.lines_per_page());
  const std::uint64_t bank = (run + mix(first_round + round)) % banks;
  const std::uint64_t row = first_round + round / static_cast<std::uint64_t>(channel.row / channel.run);
  return {hierarchy_->home(address), hierarchy_->slice_of(address), bank, row};
}

const std::vector<std::uint32_t>& MemoryMap::ranks(const l2_lines::Memory& memory, std::int64_t page) {
  const auto [known, is_new] = ranks_.try_emplace({page, memory.line_size});
  std::vector<std::uint32_t>& ranks = known->second;
  if (!is_new) return ranks;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lines_of_channel;
  const std::int64_t first = page * memory.lines_per_page();
  for (std::int64_t line = first; line < first + memory.lines_per_page(); ++line) {
    const std::uint64_t address = physical_address(*hierarchy_, *options_, memory, line);
    ranks.push_back(lines_of_channel[{hierarchy_->home(address), hierarchy_->slice_of(address)}]++);
  }
  return ranks;
}

}  // namespace tomograph::sim
