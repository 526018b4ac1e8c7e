#ifndef TOMOGRAPH_SIM_L2_LINES_MEMORY_MAP_HPP
#define TOMOGRAPH_SIM_L2_LINES_MEMORY_MAP_HPP

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/chase/hierarchy.hpp"
#include "sim/options.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::sim {

/// Where a line lies in memory. Each slice of each partition has a channel.
struct MemoryPlace {
  std::uint32_t home;
  std::uint32_t slice;
  std::uint64_t bank;
  std::uint64_t row;
};

/// Places of lines. Runs of a channel's lines fall into its banks in turn, begun anew at another bank for as many runs
/// as there are banks. As many such rounds as a row has runs fill one row of each bank. Each page begins a row.
class MemoryMap {
 public:
  /// Both outlive this. The GPU has a description of its channels before `place` is called.
  MemoryMap(const Hierarchy& hierarchy, const Options& options) : hierarchy_(&hierarchy), options_(&options) {}

  [[nodiscard]] MemoryPlace place(const l2_lines::Memory& memory, std::int64_t line);

 private:
  /// By line of a page: how many before it share its channel.
  [[nodiscard]] const std::vector<std::uint32_t>& ranks(const l2_lines::Memory& memory, std::int64_t page);

  const Hierarchy* hierarchy_;
  const Options* options_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint32_t>> ranks_;  ///< by page and line size
};

}  // namespace tomograph::sim

#endif
