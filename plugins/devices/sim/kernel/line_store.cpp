#include "sim/kernel/line_store.hpp"

#include <algorithm>

namespace tomograph::sim::timed {

LineStore::LineStore(const Cache& cache, std::vector<std::int64_t> set_ways)
    : set_(cache.index, cache.line_size, set_ways), first_{0} {
  for (const std::int64_t ways : set_ways) first_.push_back(first_.back() + static_cast<std::uint32_t>(ways));
  addresses_.resize(first_.back(), nothing);
  lines_.resize(first_.back());
}

std::uint32_t LineStore::find(std::uint64_t address, std::uint32_t set) const {
  std::uint32_t line = first_[set];
  while (line < first_[set + 1] && addresses_[line] != address) ++line;
  return line;
}

std::uint32_t LineStore::oldest(std::uint32_t set) const {
  std::uint32_t oldest = first_[set];
  for (std::uint32_t line = oldest + 1; line < first_[set + 1]; ++line) {
    if (lines_[line].used < lines_[oldest].used) oldest = line;
  }
  return oldest;
}

std::uint32_t LineStore::use(std::uint64_t address, std::uint32_t wanted) {
  if (lines_.empty()) return 0;
  const std::uint32_t set = set_(address);
  const std::uint32_t line = find(address, set);
  if (line == first_[set + 1]) return 0;
  lines_[line].used = ++clock_;
  return lines_[line].valid & wanted;
}

LineStore::Evicted LineStore::fill(std::uint64_t address, std::uint32_t sectors, bool written) {
  if (lines_.empty()) return {address, written ? sectors : 0};
  Evicted evicted;
  const std::uint32_t set = set_(address);
  std::uint32_t line = find(address, set);
  if (line == first_[set + 1]) {
    line = oldest(set);
    evicted = {addresses_[line], lines_[line].modified};
    addresses_[line] = address;
    lines_[line] = {};
  }
  lines_[line].valid |= sectors;
  if (written) lines_[line].modified |= sectors;
  lines_[line].used = ++clock_;
  return evicted;
}

}  // namespace tomograph::sim::timed
