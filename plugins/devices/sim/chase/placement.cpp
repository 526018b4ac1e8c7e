#include "sim/chase/placement.hpp"

#include <algorithm>

#include "sim/random.hpp"

namespace tomograph::sim {

namespace {

/// Alignment of arrays outside global memory, as CUDA guarantees for its allocations.
constexpr std::uint64_t small_alignment = 256;

std::uint64_t aligned(std::int64_t bytes) {
  return (static_cast<std::uint64_t>(bytes) + small_alignment - 1) / small_alignment * small_alignment;
}

/// Order-dependent hash of a sequence of numbers.
class Digest {
 public:
  void add(std::int64_t value) { state_ = mix(state_ + 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(value)); }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

void add(Digest& digest, const std::vector<chase::Array>& arrays) {
  for (const chase::Array& array : arrays) {
    for (const std::int64_t value : {array.bytes, array.alias, static_cast<std::int64_t>(array.space), array.width}) {
      digest.add(value);
    }
  }
}

void add(Digest& digest, const chase::Ring& ring) {
  for (const std::int64_t value : {ring.array, ring.start, ring.stride, ring.size()}) digest.add(value);
  digest.add(static_cast<std::int64_t>(ring.order));
  digest.add(ring.seed);
  for (const std::int64_t node : ring.nodes) digest.add(node);
}

}  // namespace

std::uint64_t identity(const chase::Program& program) {
  Digest digest;
  for (const std::size_t count :
       {program.arrays.size(), program.rings.size(), program.actors.size(), program.phases.size()}) {
    digest.add(static_cast<std::int64_t>(count));
  }
  add(digest, program.arrays);
  for (const chase::Ring& ring : program.rings) add(digest, ring);
  for (const chase::Actor& actor : program.actors) {
    for (const std::int64_t value : {actor.sm, static_cast<std::int64_t>(actor.path), actor.threads}) digest.add(value);
    if (actor.warp != 0) digest.add(actor.warp);  // programs without warps keep the seeds that they had before
  }
  for (const chase::Phase& phase : program.phases) {
    for (const std::int64_t value : {phase.actor, phase.ring, phase.first, phase.loads}) digest.add(value);
    digest.add(static_cast<std::int64_t>(phase.timing));
  }
  for (const std::int64_t value : {program.carveout, static_cast<std::int64_t>(program.alone), program.trial})
    digest.add(value);
  return digest.value();
}

std::uint64_t identity(const std::vector<chase::Array>& arrays) {
  Digest digest;
  add(digest, arrays);
  return digest.value();
}

std::uint64_t bytes_in(chase::Space space, const std::vector<chase::Array>& arrays) {
  std::uint64_t bytes = 0;
  for (const chase::Array& array : arrays) {
    if (array.space == space) bytes += aligned(array.bytes);
  }
  return bytes;
}

Placement::Placement(const Hierarchy& hierarchy, const std::vector<chase::Array>& arrays, const Seeds& seeds)
    : page_shift_(exponent_of(hierarchy.gpu.translation.page_size)),
      unit_shift_(std::max(page_shift_, exponent_of(chase::array_alignment))),
      contiguous_(hierarchy.gpu.dram.contiguous),
      key_(mix(seeds.pages)) {
  Random random(seeds.addresses);
  // Bases start below 2^43, which leaves the 48-bit address space room for any array.
  first_unit_ = random.below(std::uint32_t{1} << (43 - unit_shift_));
  next_unit_ = first_unit_;
  Place constants{};
  const std::uint64_t constant_bytes = bytes_in(chase::Space::constant, arrays);
  if (constant_bytes != 0) constants = map(constant_bytes, random);
  for (const chase::Array& array : arrays) {
    switch (array.space) {
      case chase::Space::global: arrays_.push_back(map_global(array, random)); break;
      case chase::Space::texture: arrays_.push_back(map(hierarchy.texture_layout.bytes(array), random)); break;
      case chase::Space::constant:
        arrays_.push_back(constants);
        constants = constants.behind(aligned(array.bytes));
        break;
      case chase::Space::shared: arrays_.push_back({}); break;
      case chase::Space::instruction: arrays_.push_back(map(static_cast<std::uint64_t>(array.bytes), random)); break;
    }
  }
}

Placement::Place Placement::map(std::uint64_t bytes, Random& random) {
  const std::uint64_t units = ((bytes - 1) >> unit_shift_) + 1;
  const std::uint64_t first = next_unit_ + random.below(1024);
  next_unit_ = first + units;
  const Place place{first << unit_shift_, virtual_bytes_, physical_bytes_};
  virtual_bytes_ += units << unit_shift_;
  physical_bytes_ += units << unit_shift_;
  return place;
}

Placement::Place Placement::map_global(const chase::Array& array, Random& random) {
  Place place = map(static_cast<std::uint64_t>(array.bytes), random);
  if (array.alias == chase::no_alias) return place;
  physical_bytes_ = place.physical_position;
  place.physical_position = physical_position(static_cast<std::size_t>(array.alias));
  return place;
}

/// A permutation of the page numbers of 47-bit addresses: a shift if memory is contiguous. Else each step
/// (multiplication by an odd number, exclusive-or with a constant or with the upper bits) is invertible.
std::uint64_t Placement::physical_page(std::uint64_t page) const {
  const int bits = 47 - page_shift_;
  const std::uint64_t pages = (std::uint64_t{1} << bits) - 1;
  if (contiguous_) return (page + key_) & pages;
  page = (page ^ key_) & pages;
  page = (page * 0x9e3779b1U) & pages;
  page ^= page >> (bits / 2);
  page = (page * 0x85ebca6bU) & pages;
  page = (page ^ (key_ >> 32)) & pages;
  return page ^ (page >> (bits / 2));
}

}  // namespace tomograph::sim
