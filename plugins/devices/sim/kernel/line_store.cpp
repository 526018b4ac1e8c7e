#include "sim/kernel/line_store.hpp"

#include <algorithm>

namespace tomograph::sim::timed {

LineStore::LineStore(const Cache& cache, std::vector<std::int64_t> set_ways)
    : set_(cache.index, cache.line_size, set_ways), first_{0} {
  for (const std::int64_t ways : set_ways) first_.push_back(first_.back() + static_cast<std::uint32_t>(ways));
  lines_.resize(first_.back());
}

std::span<LineStore::Line> LineStore::set_of(std::uint64_t address) {
  const std::uint32_t set = set_(address);
  return {lines_.begin() + first_[set], lines_.begin() + first_[set + 1]};
}

std::uint32_t LineStore::use(std::uint64_t address, std::uint32_t wanted) {
  if (lines_.empty()) return 0;
  const std::span<Line> set = set_of(address);
  const auto line = std::ranges::find(set, address, &Line::address);
  if (line == set.end()) return 0;
  std::rotate(set.begin(), line, line + 1);
  return set.front().valid & wanted;
}

LineStore::Evicted LineStore::fill(std::uint64_t address, std::uint32_t sectors, bool written) {
  if (lines_.empty()) return {address, written ? sectors : 0};
  const std::span<Line> set = set_of(address);
  auto line = std::ranges::find(set, address, &Line::address);
  Evicted evicted;
  if (line == set.end()) {
    --line;
    evicted = {line->address, line->modified};
    *line = {address};
  }
  std::rotate(set.begin(), line, line + 1);
  set.front().valid |= sectors;
  if (written) set.front().modified |= sectors;
  return evicted;
}

}  // namespace tomograph::sim::timed
