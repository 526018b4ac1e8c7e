#include "cache.hpp"

#include <stdexcept>

namespace independent {

namespace {

// Instead of a fingerprint, which is odd.
constexpr std::uint8_t invalid = 0;
constexpr std::uint8_t no_way = 2;  ///< the set does not have this way

constexpr std::size_t searched_eights = 3;            ///< of ways; a set with more has a directory
constexpr unsigned most_sectors = 16;                 ///< leaves 48 bits for the line's number
constexpr std::uint64_t no_line = ~std::uint64_t{0};  ///< equals no guess
constexpr std::uint64_t no_sector = ~std::uint64_t{0};

unsigned log2(std::int64_t size) { return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(size))); }

std::uint64_t ones(unsigned count) { return (std::uint64_t{1} << count) - 1; }

std::size_t eights_of_largest(const CacheDescription& description) {
  const int most = *std::max_element(description.set_ways.begin(), description.set_ways.end());
  return (static_cast<std::size_t>(most) + 7) / 8;
}

}  // namespace

Cache::Cache(const CacheDescription& description, std::uint64_t seed)
    : indexer_(description.index, description.line),
      replacement_(description, seed),
      sets_(static_cast<std::uint32_t>(description.set_ways.size())),
      equal_sets_(description.equal_sets()),
      ways_of_each_(static_cast<std::uint32_t>(description.set_ways.front())),
      ways_of_set_(description.set_ways.begin(), description.set_ways.end()),
      eights_(eights_of_largest(description)),
      ways_(sets_ * eights_),
      line_shift_(log2(description.line)),
      sector_shift_(log2(description.sector)),
      fetch_shift_(log2(description.fetch)),
      sectors_(1U << (line_shift_ - sector_shift_)),
      line_mask_(ones(line_shift_)),
      fetched_(ones(1U << (fetch_shift_ - sector_shift_))),
      prefetched_lines_(description.prefetched_lines),
      last_sector_(no_sector) {
  if (sectors_ > most_sectors) throw std::invalid_argument("a line has at most 16 sectors");
  if (eights_ > searched_eights) directory_.emplace(8 * ways_.size());
  begin();
}

void Cache::begin() {
  usable_lines_ = 0;
  for (std::uint32_t number = 0; number < sets_; ++number) {
    const Set set = set_numbered(number);
    Replacement::begin(set);
    usable_lines_ += set.ways;
    std::uint32_t way = 0;
    for (EightWays& eight : set.eights) {
      eight.lines.fill(no_line);
      for (std::uint8_t& fingerprint : eight.fingerprints) fingerprint = way++ < set.ways ? invalid : no_way;
    }
  }
}

std::uint32_t Cache::find_invalid(const Set& set) {
  std::uint32_t first = 0;
  for (const EightWays& eight : set.eights) {
    const std::uint64_t equal = equal_bytes(eight.fingerprints, invalid);
    if (equal != 0) return std::min(first + first_byte(equal), set.ways);
    first += 8;
  }
  return set.ways;
}

std::uint32_t Cache::miss(std::uint64_t address, const Set& set, std::uint32_t way) {
  const std::uint64_t number = address >> line_shift_;
  last_sector_ = no_sector;
  way = bring(set, way, number, fetched_sectors(address));
  if (prefetched_lines_ > 0) prefetch_after(number);
  return way;
}

void Cache::prefetch_after(std::uint64_t line_number) {
  for (int i = 1; i <= prefetched_lines_; ++i) {
    const std::uint64_t next = line_number + static_cast<std::uint64_t>(i);
    const Set set = set_numbered(set_of(next << line_shift_));
    bring(set, find(set, next), next, ones(sectors_));
  }
}

[[gnu::always_inline]] inline std::uint32_t Cache::bring(const Set& set, std::uint32_t way, std::uint64_t line_number,
                                                         std::uint64_t sectors) {
  if (way != set.ways) {
    set.line(way) |= sectors;
    replacement_.use(set, way);
    return way;
  }
  way = make_room(set);
  set.fingerprint(way) = fingerprint_of(line_number);
  set.line(way) = line_number << sectors_ | sectors;
  if (directory_) directory_->add(first_in_directory(set) + way, line_number);
  replacement_.insert(set, way);
  return way;
}

[[gnu::always_inline]] inline std::uint32_t Cache::make_room(const Set& set) {
  if (valid_lines_ < usable_lines_) {
    const std::uint32_t way = find_invalid(set);
    if (way != set.ways) {
      ++valid_lines_;
      return way;
    }
  }
  const std::uint32_t way = replacement_.victim(set);
  if (directory_) directory_->remove(first_in_directory(set) + way);
  return way;
}

void Cache::drop(std::uint64_t address, std::uint32_t set_number) {
  const Set set = set_numbered(set_number);
  const std::uint32_t way = find(set, address >> line_shift_);
  if (way == set.ways) return;
  set.fingerprint(way) = invalid;
  set.line(way) = no_line;
  if (directory_) directory_->remove(first_in_directory(set) + way);
  --valid_lines_;
  last_sector_ = no_sector;
}

void Cache::limit_ways(std::uint32_t ways) {
  if (ways == ways_of_each_) return;
  ways_of_each_ = ways;
  begin();
}

void Cache::invalidate() {
  last_sector_ = no_sector;
  if (valid_lines_ == 0) return;
  for (std::uint32_t number = 0; number < sets_; ++number) {
    for (EightWays& eight : set_numbered(number).eights) {
      eight.marks = {};
      eight.lines.fill(no_line);
      for (std::uint8_t& fingerprint : eight.fingerprints) fingerprint = fingerprint == no_way ? no_way : invalid;
    }
  }
  if (directory_) directory_->clear();
  valid_lines_ = 0;
}

}  // namespace independent
