#include "cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace independent {

namespace {

unsigned log2(std::int64_t size) { return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(size))); }

std::vector<std::uint32_t> first_lines(const std::vector<int>& set_ways) {
  std::vector<std::uint32_t> first{0};
  for (const int ways : set_ways) first.push_back(first.back() + static_cast<std::uint32_t>(ways));
  return first;
}

// The golden ratio spreads the numbers of neighbouring lines (Knuth 1998, section 6.4).
std::uint8_t fingerprint_of(std::uint64_t line_number) {
  return static_cast<std::uint8_t>((line_number * 0x9e3779b97f4a7c15U) >> 56) | 1;
}

}  // namespace

Cache::Cache(const CacheDescription& description, std::uint64_t seed)
    : indexer_(description.index, description.line),
      replacement_(description, seed),
      first_of_set_(first_lines(description.set_ways)),
      fingerprints_(first_of_set_.back()),
      lines_(first_of_set_.back()),
      line_shift_(log2(description.line)),
      sector_shift_(log2(description.sector)),
      fetch_shift_(log2(description.fetch)),
      prefetched_lines_(description.prefetched_lines) {}

std::uint32_t Cache::sector_bit(std::uint64_t address) const {
  return std::uint32_t{1} << ((address & ((std::uint64_t{1} << line_shift_) - 1)) >> sector_shift_);
}

std::uint32_t Cache::fetched_sectors(std::uint64_t address) const {
  const unsigned sectors = 1U << (fetch_shift_ - sector_shift_);
  const std::uint64_t start = (address >> fetch_shift_) << fetch_shift_;
  return (sectors == 32 ? ~0U : (1U << sectors) - 1) * sector_bit(start);
}

Cache::Set Cache::set_numbered(std::uint32_t number) const {
  const std::uint32_t first = first_of_set_[number];
  return {number, first, std::min(first_of_set_[number + 1], first + most_ways_)};
}

std::uint32_t Cache::find(const Set& set, std::uint64_t line_number) const {
  const std::uint8_t* const begin = fingerprints_.data();
  const std::uint8_t* const end = begin + set.end;
  const std::uint8_t fingerprint = fingerprint_of(line_number);
  for (const std::uint8_t* at = begin + set.first; at < end; ++at) {
    at = static_cast<const std::uint8_t*>(std::memchr(at, fingerprint, static_cast<std::size_t>(end - at)));
    if (at == nullptr) break;
    if (lines_[static_cast<std::size_t>(at - begin)].number == line_number)
      return static_cast<std::uint32_t>(at - begin);
  }
  return set.end;
}

bool Cache::access(std::uint64_t address, std::uint32_t set_number) {
  const std::uint64_t number = address >> line_shift_;
  const Set set = set_numbered(set_number);
  const std::uint32_t line = find(set, number);
  if (line != set.end && (lines_[line].sectors & sector_bit(address)) != 0) {
    replacement_.use(set.number, set.first, set.end, line);
    return true;
  }
  bring(set, line, number, fetched_sectors(address));
  for (int i = 1; i <= prefetched_lines_; ++i) {
    const std::uint64_t next = number + static_cast<std::uint64_t>(i);
    const Set set_of_next = set_numbered(set_of(next << line_shift_));
    bring(set_of_next, find(set_of_next, next), next, ~0U);
  }
  return false;
}

void Cache::bring(const Set& set, std::uint32_t line, std::uint64_t line_number, std::uint32_t sectors) {
  if (line != set.end) {
    lines_[line].sectors |= sectors;
    return replacement_.use(set.number, set.first, set.end, line);
  }
  const auto ways = fingerprints_.begin();
  line = static_cast<std::uint32_t>(std::find(ways + set.first, ways + set.end, 0) - ways);
  if (line == set.end) line = replacement_.victim(set.number, set.first, set.end);
  fingerprints_[line] = fingerprint_of(line_number);
  lines_[line] = {line_number, sectors};
  replacement_.insert(set.number, set.first, set.end, line);
}

void Cache::drop(std::uint64_t address) {
  const Set set = set_numbered(set_of(address));
  const std::uint32_t line = find(set, address >> line_shift_);
  if (line != set.end) fingerprints_[line] = 0;
}

void Cache::invalidate() {
  std::fill(fingerprints_.begin(), fingerprints_.end(), std::uint8_t{0});
  replacement_.forget_lines();
}

}  // namespace independent
