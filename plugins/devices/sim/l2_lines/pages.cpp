#include "sim/l2_lines/pages.hpp"

#include <algorithm>

#include "sim/random.hpp"

namespace tomograph::sim {

std::uint64_t physical_address(const Hierarchy& hierarchy, const Options& options, const l2_lines::Memory& memory,
                               std::int64_t line) {
  const auto page = static_cast<std::uint64_t>(line / memory.lines_per_page());
  const auto pages = static_cast<std::uint64_t>(
      std::max(hierarchy.gpu.dram.size.value_or(std::int64_t{1} << 36) / l2_lines::page_bytes, std::int64_t{1}));
  const std::uint64_t key = mix(options.seed);
  const std::uint64_t physical = (hierarchy.gpu.dram.contiguous ? key % pages + page : mix(key + page)) % pages;
  return physical * l2_lines::page_bytes +
         static_cast<std::uint64_t>(line % memory.lines_per_page() * memory.line_size);
}

}  // namespace tomograph::sim
