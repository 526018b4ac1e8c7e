#include "lru_cache.hpp"

#include <algorithm>
#include <bit>

namespace tomograph::kernel {

namespace {

/// Spreads consecutive lines and lines at any stride over the sets: the upper bits of a product with the golden ratio
/// (Fibonacci hashing, Knuth 1973, section 6.4). The lower ones depend on few bits of the number.
std::uint64_t hashed(std::uint64_t number) { return (number * 0x9e3779b97f4a7c15ULL) >> 40; }

}  // namespace

LruCache::LruCache(const CacheShape& shape, std::int64_t unit)
    : units_per_line_(static_cast<std::uint64_t>(shape.line / unit)) {
  const std::int64_t lines = shape.size / shape.line;
  ways_ = static_cast<std::size_t>(std::min(lines, shape.ways));
  lines_.resize(ways_ == 0 ? 0 : static_cast<std::size_t>(lines) / ways_ * ways_);
}

LruCache::Line* LruCache::set_of(std::uint64_t number) {
  return lines_.data() + hashed(number) % (lines_.size() / ways_) * ways_;
}

LruCache::Line* LruCache::find(std::uint64_t number) {
  if (lines_.empty()) return nullptr;
  Line* const set = set_of(number);
  Line* const found = std::find_if(set, set + ways_, [&](const Line& line) { return line.number == number; });
  return found == set + ways_ ? nullptr : found;
}

bool LruCache::look_up(std::uint64_t unit) {
  Line* const line = find(unit / units_per_line_);
  if (line == nullptr || (line->valid >> (unit % units_per_line_) & 1) == 0) return false;
  line->used = ++clock_;
  return true;
}

LruCache::Outcome LruCache::use(std::uint64_t unit, bool writes) {
  if (lines_.empty()) return {false, writes ? 1 : 0};
  const std::uint64_t number = unit / units_per_line_;
  const std::uint64_t bit = std::uint64_t{1} << (unit % units_per_line_);
  Outcome outcome;
  Line* line = find(number);
  if (line == nullptr) {
    Line* const set = set_of(number);
    line = std::min_element(set, set + ways_, [](const Line& a, const Line& b) { return a.used < b.used; });
    outcome.written_back = std::popcount(line->modified);
    *line = {number, 0, 0, 0};
  }
  outcome.hit = (line->valid & bit) != 0;
  line->valid |= bit;
  if (writes) line->modified |= bit;
  line->used = ++clock_;
  return outcome;
}

}  // namespace tomograph::kernel
