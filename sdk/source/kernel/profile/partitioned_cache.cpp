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

PartitionedCache::Outcome PartitionedCache::use(std::uint64_t unit, Use use, std::size_t partition) {
  const std::size_t home = any_partition(unit / units_per_line_);
  const bool is_far = home != partition;
  if (contents_.size() == 1) return use_in(contents_.front(), unit, use, is_far);
  if (is_far && use == Use::load) return load_copy(unit, partition, home);
  return use_in(contents_[home], unit, use, is_far);
}

PartitionedCache::Outcome PartitionedCache::use_in(CacheContents& cache, std::uint64_t unit, Use use, bool is_far) {
  const CacheContents::Outcome found = cache.use(unit, use == Use::write);
  ready_ = found.ready;
  ready_at_home_ = nullptr;
  return {
      .hit = found.hit, .far = is_far, .written_back = found.written_back, .ready = ready_ == nullptr ? 0 : *ready_};
}

PartitionedCache::Outcome PartitionedCache::load_copy(std::uint64_t unit, std::size_t partition, std::size_t home) {
  Outcome outcome = use_in(contents_[partition], unit, Use::load, false);
  if (outcome.hit) return outcome;
  const CacheContents::Outcome at_home = contents_[home].use(unit, false);
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

std::uint64_t PartitionedCache::modified_lines() const {
  std::uint64_t sum = 0;
  for (const CacheContents& cache : contents_) sum += cache.modified_lines();
  return sum;
}

std::size_t PartitionedCache::any_partition(std::uint64_t number) const {
  return mix(static_cast<std::uint32_t>(number)) % partitions_;
}

}  // namespace tomograph::kernel
