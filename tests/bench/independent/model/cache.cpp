#include "cache.hpp"

#include <algorithm>
#include <bit>

namespace independent {

namespace {

unsigned log2(std::int64_t size) { return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(size))); }

std::vector<std::uint32_t> first_lines(const std::vector<int>& set_ways) {
  std::vector<std::uint32_t> first{0};
  for (const int ways : set_ways) first.push_back(first.back() + static_cast<std::uint32_t>(ways));
  return first;
}

}  // namespace

Cache::Cache(const CacheDescription& description, std::uint64_t seed)
    : indexer_(description.index, description.line),
      replacement_(description, seed),
      first_of_set_(first_lines(description.set_ways)),
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

bool Cache::lookup(std::uint64_t address) {
  const std::uint64_t tag = (address >> line_shift_) + 1;
  const std::uint32_t set = indexer_.set_of(address);
  const std::uint32_t first = first_of_set_[set];
  const std::uint32_t end = end_of(set);
  for (std::uint32_t line = first; line < end; ++line) {
    if (lines_[line].tag != tag) continue;
    if ((lines_[line].sectors & sector_bit(address)) == 0) return false;
    replacement_.use(set, first, end, line);
    return true;
  }
  return false;
}

void Cache::bring(std::uint64_t line_number, std::uint32_t sectors) {
  const std::uint64_t tag = line_number + 1;
  const std::uint32_t set = indexer_.set_of(line_number << line_shift_);
  const std::uint32_t first = first_of_set_[set];
  const std::uint32_t end = end_of(set);
  std::uint32_t invalid = end;
  for (std::uint32_t line = first; line < end; ++line) {
    if (lines_[line].tag == tag) {
      lines_[line].sectors |= sectors;
      replacement_.use(set, first, end, line);
      return;
    }
    if (lines_[line].tag == 0 && invalid == end) invalid = line;
  }
  const std::uint32_t line = invalid == end ? replacement_.victim(set, first, end) : invalid;
  lines_[line] = {tag, sectors};
  replacement_.insert(set, first, end, line);
}

void Cache::fill(std::uint64_t address) {
  const std::uint64_t line = address >> line_shift_;
  bring(line, fetched_sectors(address));
  for (int i = 1; i <= prefetched_lines_; ++i) bring(line + static_cast<std::uint64_t>(i), ~0U);
}

void Cache::drop(std::uint64_t address) {
  const std::uint32_t set = indexer_.set_of(address);
  for (std::uint32_t line = first_of_set_[set]; line < end_of(set); ++line) {
    if (lines_[line].tag == (address >> line_shift_) + 1) lines_[line] = {};
  }
}

void Cache::invalidate() {
  std::fill(lines_.begin(), lines_.end(), Line{});
  replacement_.forget_lines();
}

}  // namespace independent
