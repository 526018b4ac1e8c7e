#include "sim/l2_lines/line_loads.hpp"

#include <algorithm>

#include "sim/l2_lines/pages.hpp"

namespace tomograph::sim {

namespace {

/// The odd number whose product with an odd `number` is 1 modulo 2^64: each step doubles the bits that are right, of
/// which there are three at first (Newton's method).
std::uint64_t inverse(std::uint64_t number) {
  std::uint64_t result = number;
  for (int bits = 3; bits < 64; bits *= 2) result *= 2 - number * result;
  return result;
}

}  // namespace

UsedLines::UsedLines(const Hierarchy& hierarchy, const Options& options, const Places& places,
                     std::vector<std::uint32_t>& numbers)
    : hierarchy_(&hierarchy),
      options_(&options),
      order_(places),
      lines_in_one_(std::max(hierarchy.gpu.l2.cache.line_size / places.memory.line_size, std::int64_t{1})),
      back_(inverse(static_cast<std::uint64_t>(places.step))),
      numbers_(&numbers) {
  numbers.resize(std::max(numbers.size(), static_cast<std::size_t>(places.memory.lines())));
}

UsedLines::~UsedLines() {
  for (const std::size_t place : places_) (*numbers_)[place] = 0;
}

std::int64_t UsedLines::line_at(std::int64_t place) const {
  const auto lines = static_cast<std::uint64_t>(order_.memory.lines());
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(place) * static_cast<std::uint64_t>(order_.step) % lines);
}

std::int64_t UsedLines::place_of(std::int64_t line) const {
  const auto lines = static_cast<std::uint64_t>(order_.memory.lines());
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(line) * back_ % lines);
}

std::uint32_t UsedLines::add(std::int64_t place) {
  const std::uint64_t address = physical_address(*hierarchy_, *options_, order_.memory, line_at(place));
  places_.push_back(static_cast<std::size_t>(place));
  sets_.push_back(hierarchy_->l2_set(address));
  homes_.push_back(hierarchy_->home(address));
  slices_.push_back(hierarchy_->slice_of(address));
  return static_cast<std::uint32_t>(places_.size());
}

LineLoads::LineLoads(const Hierarchy& hierarchy, const Options& options, const UsedLines& lines, Random random)
    : hierarchy_(&hierarchy),
      lines_(&lines),
      noisy_(options.noise),
      random_(random),
      outliers_(options.noise ? hierarchy.gpu.noise : Noise{}, random_),
      partitions_(static_cast<std::size_t>(hierarchy.gpu.l2.partitions)) {
  const Organisation& organisation = hierarchy.l2_organisation;
  rule_ = organisation.eviction_rule();
  for (CacheState& partition : partitions_) {
    partition.reset(organisation, lines.sets(), rule_, Random(random_.next()));
  }
  for (std::int64_t sm = 0; sm < hierarchy.gpu.sm_count; ++sm) {
    near_.push_back(hierarchy.partition_of(sm));
    distances_.push_back(hierarchy.distances(sm));
  }
}

LineLoads::Served LineLoads::load(std::uint32_t line, std::int64_t sm) {
  const Gpu& gpu = hierarchy_->gpu;
  const std::uint32_t partition = near_[static_cast<std::size_t>(sm)];
  const std::uint32_t home = lines_->home(line);
  const bool far = home != partition;
  if ((!far || gpu.l2.replicate) && use(partition, line)) return {gpu.l2.latency, Level::l2};
  if (far && use(home, line)) return {gpu.l2.far_latency, Level::l2};
  return miss(line, sm);
}

LineLoads::Served LineLoads::miss(std::uint32_t line, std::int64_t sm) const {
  const bool far = lines_->home(line) != near_[static_cast<std::size_t>(sm)];
  const Dram& dram = hierarchy_->gpu.dram;
  return {far ? dram.far_latency : dram.latency, Level::dram};
}

std::uint32_t LineLoads::time(const Served& served, std::uint32_t line, std::int64_t sm) {
  const std::int64_t mean = served.cycles + distances_[static_cast<std::size_t>(sm)][lines_->slice(line)];
  if (!noisy_) return static_cast<std::uint32_t>(mean);
  const std::int64_t late = hierarchy_->jitter.draw(served.level, random_) + std::int64_t{outliers_.next(random_)};
  return static_cast<std::uint32_t>(std::max<std::int64_t>(mean + late, 1));
}

bool LineLoads::use(std::uint32_t partition, std::uint32_t line) {
  return with_rule(rule_, [&](auto rule) { return partitions_[partition].template use<rule()>(line, 1, 1) != 0; });
}

}  // namespace tomograph::sim
