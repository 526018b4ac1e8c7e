#include "sim/kernel/line_store.hpp"

#include <algorithm>
#include <bit>

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
      plain_mask_(plain_mask(cache, set_ways.size())),
      first_{0} {
  for (const std::int64_t ways : set_ways) first_.push_back(first_.back() + static_cast<std::uint32_t>(ways));
  addresses_.resize(first_.back(), ~std::uint64_t{0});
  lines_.resize(first_.back());
}

LineStore::Set LineStore::set_of(std::uint64_t address) const {
  const std::uint64_t set = plain_mask_ != 0 ? address >> line_shift_ & plain_mask_ : set_(address);
  return {first_[set], first_[set + 1]};
}

std::uint32_t LineStore::find(Set set, std::uint64_t address) const {
  const std::uint64_t* const addresses = addresses_.data();
  for (std::size_t i = set.begin; i < set.end; ++i) {
    if (addresses[i] == address) return static_cast<std::uint32_t>(i);
  }
  return nothing;
}

std::uint32_t LineStore::oldest(Set set) const {
  const Line* const lines = lines_.data();
  std::size_t oldest = set.begin;
  std::uint64_t used = lines[oldest].used;
  for (std::size_t i = oldest + 1; i < set.end; ++i) {
    const bool is_older = lines[i].used < used;
    oldest = is_older ? i : oldest;
    used = is_older ? lines[i].used : used;
  }
  return static_cast<std::uint32_t>(oldest);
}

std::uint32_t LineStore::use(std::uint64_t address, std::uint32_t wanted) {
  if (lines_.empty()) return 0;
  const std::uint32_t found = find(set_of(address), address);
  if (found == nothing) return 0;
  lines_[found].used = ++uses_;
  return lines_[found].valid & wanted;
}

LineStore::Evicted LineStore::fill(std::uint64_t address, std::uint32_t sectors, bool written) {
  if (lines_.empty()) return {address, written ? sectors : 0};
  const Set set = set_of(address);
  std::uint32_t place = find(set, address);
  Evicted evicted;
  if (place == nothing) {
    place = oldest(set);
    evicted = {addresses_[place], lines_[place].modified};
    addresses_[place] = address;
    lines_[place] = {};
  }
  Line& line = lines_[place];
  line.used = ++uses_;
  line.valid |= sectors;
  if (written) line.modified |= sectors;
  return evicted;
}

}  // namespace tomograph::sim::timed
