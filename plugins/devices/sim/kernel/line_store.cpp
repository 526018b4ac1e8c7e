#include "sim/kernel/line_store.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace tomograph::sim::timed {

namespace {

/// The mask of a line's number that gives its set, if the index is so plain; otherwise 0.
std::uint64_t plain_mask(const Cache& cache, std::uint64_t sets) {
  if (!std::has_single_bit(sets)) return 0;
  if (cache.index.kind == Index::Kind::modulo) return sets - 1;
  std::uint64_t bits = 0;
  for (const std::uint64_t mask : index_masks(cache.index)) bits |= mask;
  const bool is_plain = cache.index.kind == Index::Kind::bits && std::ranges::is_sorted(cache.index.bits) &&
                        bits == (sets - 1) * static_cast<std::uint64_t>(cache.line_size);
  return is_plain ? sets - 1 : 0;
}

}  // namespace

LineStore::LineStore(const Cache& cache, std::vector<std::int64_t> set_ways)
    : set_(cache.index, cache.line_size, set_ways),
      line_shift_(std::countr_zero(static_cast<std::uint64_t>(cache.line_size))),
      sectors_(static_cast<int>(cache.line_size / 32)),
      number_mask_(~Line{0} << 2 * sectors_),
      plain_mask_(plain_mask(cache, set_ways.size())),
      ways_(std::move(set_ways)),
      most_ways_(ways_.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(ways_))),
      lines_(ways_.size() * most_ways_, number_mask_) {
  if (std::ranges::adjacent_find(ways_, std::ranges::not_equal_to()) == ways_.end()) ways_.clear();
}

LineStore::Set LineStore::set_of(std::uint64_t address) {
  const std::uint64_t set = plain_mask_ != 0 ? address >> line_shift_ & plain_mask_ : set_(address);
  return Set(lines_).subspan(set * most_ways_, ways_.empty() ? most_ways_ : static_cast<std::size_t>(ways_[set]));
}

std::size_t LineStore::find(Set set, Line line) const {
  const auto found = std::find_if(set.begin(), set.end() - 1, [&](Line one) { return is_same(one, line); });
  return static_cast<std::size_t>(found - set.begin());
}

LineStore::Line& LineStore::moved_to_front(Set set, std::size_t position) {
  const Line line = set[position];
  std::copy_backward(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(position),
                     set.begin() + static_cast<std::ptrdiff_t>(position) + 1);
  return set[0] = line;
}

std::uint32_t LineStore::valid(std::uint64_t address, std::uint32_t wanted) {
  if (lines_.empty()) return 0;
  const Set set = set_of(address);
  const Line line = set[find(set, line_of(address))];
  return is_same(line, line_of(address)) ? static_cast<std::uint32_t>(line) & wanted : 0;
}

std::uint32_t LineStore::use(std::uint64_t address, std::uint32_t wanted) {
  if (lines_.empty()) return 0;
  const Set set = set_of(address);
  const Line line = line_of(address);
  const std::size_t place = find(set, line);
  return is_same(set[place], line) ? static_cast<std::uint32_t>(moved_to_front(set, place)) & wanted : 0;
}

LineStore::Evicted LineStore::fill(std::uint64_t address, std::uint32_t sectors, bool written) {
  if (lines_.empty()) return {address, written ? sectors : 0};
  const Set set = set_of(address);
  const Line line = line_of(address);
  const std::size_t place = find(set, line);
  Evicted evicted;
  if (const Line last = set[place]; !is_same(last, line)) {
    evicted = {last >> 2 * sectors_ << line_shift_, static_cast<std::uint32_t>((last & ~number_mask_) >> sectors_)};
    set[place] = line;
  }
  const Line state = written ? Line{sectors} << sectors_ | sectors : sectors;
  moved_to_front(set, place) |= state;
  return evicted;
}

}  // namespace tomograph::sim::timed
