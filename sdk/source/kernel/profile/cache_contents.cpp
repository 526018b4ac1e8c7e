#include "cache_contents.hpp"

#include <algorithm>
#include <bit>

#include "tomograph/kernel/address_walk.hpp"

namespace tomograph::kernel {

namespace {

/// Spreads consecutive lines and lines at any stride over the sets: the upper bits of a product with the golden ratio
/// (Fibonacci hashing, Knuth 1973, section 6.4). The lower ones depend on few bits of the number.
std::uint64_t hashed(std::uint64_t number) { return (number * 0x9e3779b97f4a7c15ULL) >> 40; }

}  // namespace

std::uint64_t parities(std::uint64_t address, std::span<const std::uint64_t> masks) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    bits |= static_cast<std::uint64_t>(std::popcount(address & masks[i]) & 1) << i;
  }
  return bits;
}

CacheContents::CacheContents(const CacheShape& shape, std::int64_t unit)
    : shape_(shape), units_per_line_(static_cast<std::uint64_t>(shape.line / unit)) {
  const auto lines = static_cast<std::uint64_t>(shape.size / shape.line);
  lines_.resize(lines);
  if (lines == 0) return;
  const std::uint64_t indexed = std::uint64_t{1} << shape.masks.size();
  if (indexed > lines) shape_.masks.clear();
  sets_ = shape_.masks.empty() ? std::max<std::uint64_t>(1, lines / static_cast<std::uint64_t>(shape.ways)) : indexed;
  if (shape.replacement == Replacement::tree_plru) trees_.resize(sets_);
}

CacheContents::Set CacheContents::set_of(std::uint64_t line) {
  const std::uint64_t number = shape_.masks.empty()
                                   ? hashed(line) % sets_
                                   : parities(line * static_cast<std::uint64_t>(shape_.line), shape_.masks);
  const std::uint64_t begin = lines_.size() * number / sets_;
  return {std::span(lines_).subspan(begin, lines_.size() * (number + 1) / sets_ - begin), number};
}

CacheContents::Line& CacheContents::victim(const Set& set) {
  const auto order = [](const Line& line) { return std::pair(line.is_protected, line.used); };
  Line& oldest = *std::ranges::min_element(set.ways, {}, order);
  if (oldest.used == 0) return oldest;
  if (shape_.replacement == Replacement::random)
    return set.ways[mulhi(mix(++draws_), static_cast<std::uint32_t>(set.ways.size()))];
  if (shape_.replacement != Replacement::tree_plru) return oldest;
  std::vector<bool>& tree = trees_[set.number];
  tree.resize(set.ways.size());
  std::size_t node = 1;
  while (node < set.ways.size()) node = 2 * node + (tree[node] ? 1 : 0);
  return set.ways[node - set.ways.size()];
}

void CacheContents::protect(const Set& set, Line& line) {
  line.is_protected = true;
  if (std::ranges::count(set.ways, true, &Line::is_protected) <= shape_.protected_ways) return;
  const auto order = [](const Line& one) { return std::pair(!one.is_protected, one.used); };
  Line& released = *std::ranges::min_element(set.ways, {}, order);
  released.is_protected = false;
  released.used = ++clock_;
}

void CacheContents::note_use(const Set& set, Line& line, bool is_new) {
  if (is_new || shape_.replacement != Replacement::fifo) line.used = ++clock_;
  if (shape_.replacement == Replacement::segmented_lru && !is_new) protect(set, line);
  if (shape_.replacement != Replacement::tree_plru) return;
  std::vector<bool>& tree = trees_[set.number];
  tree.resize(set.ways.size());
  const auto way = static_cast<std::size_t>(&line - set.ways.data());
  for (std::size_t node = way + set.ways.size(); node > 1; node /= 2) tree[node / 2] = node % 2 == 0;
}

CacheContents::Outcome CacheContents::use(std::uint64_t unit, bool writes, std::size_t reader) {
  if (lines_.empty()) return {.written_back = writes ? 1 : 0};
  const std::uint64_t number = unit / units_per_line_;
  const std::uint64_t bit = std::uint64_t{1} << (unit % units_per_line_);
  const Set set = set_of(number);
  Outcome outcome;
  const auto found = std::ranges::find(set.ways, number, &Line::number);
  const bool is_new = found == set.ways.end();
  Line& line = is_new ? victim(set) : *found;
  if (is_new) {
    outcome.written_back = std::popcount(line.modified);
    line = {.number = number};
  }
  if (number != last_) note_use(set, line, is_new);
  last_ = number;
  outcome.hit = (line.valid & bit) != 0;
  line.valid |= bit;
  const std::uint64_t of_reader = std::uint64_t{1} << reader;
  outcome.is_known = (line.readers & of_reader) != 0;
  line.readers = writes ? of_reader : line.readers | of_reader;
  if (writes) line.modified |= bit;
  outcome.ready = &line.ready;
  return outcome;
}

}  // namespace tomograph::kernel
