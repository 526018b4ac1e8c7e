#include "partitioned_cache.hpp"

#include <algorithm>

#include "tomograph/kernel/address_walk.hpp"

namespace tomograph::kernel {

PartitionedCache::PartitionedCache(const ProfiledMachine& machine)
    : units_per_line_(static_cast<std::uint64_t>(machine.llc.line / machine.miss_bytes)),
      partitions_(static_cast<std::uint64_t>(machine.llc_partitions)) {
  const std::int64_t caches = machine.llc_keeps_copies ? machine.llc_partitions : 1;
  CacheShape shape = machine.llc;
  shape.size /= caches;
  contents_.assign(static_cast<std::size_t>(caches), CacheContents(shape, machine.miss_bytes));
}

PartitionedCache::Outcome PartitionedCache::use(std::uint64_t unit, bool writes, std::size_t partition) {
  return contents_.size() == 1 ? use_whole(unit, writes, partition) : use_copies(unit, writes, partition);
}

PartitionedCache::Outcome PartitionedCache::use_whole(std::uint64_t unit, bool writes, std::size_t partition) {
  const CacheContents::Outcome found = contents_.front().use(unit, writes);
  ready_ = found.ready;
  return {.hit = found.hit,
          .far = any_partition(unit / units_per_line_) != partition,
          .written_back = found.written_back,
          .ready = ready_ == nullptr ? 0 : *ready_};
}

PartitionedCache::Outcome PartitionedCache::use_copies(std::uint64_t unit, bool writes, std::size_t partition) {
  const std::size_t home = any_partition(unit / units_per_line_);
  const bool is_home = home == partition;
  const CacheContents::Outcome near = contents_[partition].use(unit, writes && is_home);
  ready_ = near.ready;
  ready_at_home_ = nullptr;
  Outcome outcome{.hit = near.hit, .written_back = near.written_back, .ready = ready_ == nullptr ? 0 : *ready_};
  if (is_home || (near.hit && !writes)) return outcome;
  const CacheContents::Outcome at_home = contents_[home].use(unit, writes);
  ready_at_home_ = at_home.ready;
  outcome.hit = at_home.hit;
  outcome.far = true;
  outcome.written_back += at_home.written_back;
  if (!at_home.hit) return outcome;
  outcome.ready = *ready_at_home_;
  arrive(outcome.ready);
  return outcome;
}

void PartitionedCache::arrive(double ready) {
  for (double* const place : {ready_, ready_at_home_}) {
    if (place != nullptr) *place = ready;
  }
}

void PartitionedCache::read_line(std::uint64_t line, std::uint64_t units, std::size_t partition) {
  const std::size_t home = any_partition(line);
  contents_[contents_.size() == 1 ? 0 : home].read_line(line, units);
  if (contents_.size() > 1 && home != partition) contents_[partition].read_line(line, units);
}

std::uint64_t PartitionedCache::lines() const { return contents_.size() * contents_.front().lines(); }

std::size_t PartitionedCache::any_partition(std::uint64_t number) const {
  return mix(static_cast<std::uint32_t>(number)) % partitions_;
}

}  // namespace tomograph::kernel
