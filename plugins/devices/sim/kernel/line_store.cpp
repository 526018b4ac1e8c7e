#include "sim/kernel/line_store.hpp"

#include <algorithm>

namespace tomograph::sim::timed {

LineStore::LineStore(const Cache& cache, std::vector<std::int64_t> set_ways)
    : set_(cache.index, cache.line_size, set_ways), first_{0} {
  for (const std::int64_t ways : set_ways) first_.push_back(first_.back() + static_cast<std::uint32_t>(ways));
  lines_.resize(first_.back());
}

LineStore::Line* LineStore::find(std::uint64_t address) {
  if (lines_.empty()) return nullptr;
  const std::uint32_t set = set_(address);
  Line* const found = std::find_if(begin_of(set), end_of(set), [&](const Line& line) { return line.address == address; });
  return found == end_of(set) ? nullptr : found;
}

std::uint32_t LineStore::use(std::uint64_t address, std::uint32_t wanted) {
  Line* const line = find(address);
  if (line == nullptr) return 0;
  line->used = ++clock_;
  return line->valid & wanted;
}

LineStore::Evicted LineStore::fill(std::uint64_t address, std::uint32_t sectors, bool written) {
  if (lines_.empty()) return {address, written ? sectors : 0};
  Evicted evicted;
  Line* line = find(address);
  if (line == nullptr) {
    const std::uint32_t set = set_(address);
    line = std::min_element(begin_of(set), end_of(set), [](const Line& a, const Line& b) { return a.used < b.used; });
    evicted = {line->address, line->modified};
    *line = {.address = address};
  }
  line->valid |= sectors;
  if (written) line->modified |= sectors;
  line->used = ++clock_;
  return evicted;
}

}  // namespace tomograph::sim::timed
