#include "sim/chase/placement.hpp"

#include "sim/random.hpp"

namespace tomograph::sim {

namespace {

/// Absorbs numbers one after the other; the order counts.
class Digest {
 public:
  void add(std::int64_t value) { state_ = mix(state_ + 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(value)); }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

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
  for (const chase::Array& array : program.arrays) {
    for (const std::int64_t value : {array.bytes, array.alias}) digest.add(value);
  }
  for (const chase::Ring& ring : program.rings) add(digest, ring);
  for (const chase::Actor& actor : program.actors) {
    for (const std::int64_t value : {actor.sm, static_cast<std::int64_t>(actor.path), actor.threads}) digest.add(value);
  }
  for (const chase::Phase& phase : program.phases) {
    for (const std::int64_t value : {phase.actor, phase.ring, phase.first, phase.loads}) digest.add(value);
    digest.add(static_cast<std::int64_t>(phase.timing));
  }
  for (const std::int64_t value : {program.carveout, std::int64_t{program.alone}, program.trial}) digest.add(value);
  return digest.value();
}

Placement::Placement(const std::vector<chase::Array>& arrays, std::uint64_t seed) : key_(mix(seed)) {
  Random random(seed);
  std::uint64_t next_page = random.below(std::uint32_t{1} << 22);
  for (const chase::Array& array : arrays) {
    const std::uint64_t pages = (static_cast<std::uint64_t>(array.bytes) + page_bytes - 1) / page_bytes;
    const std::uint64_t base = (next_page + random.below(1024)) * page_bytes;
    next_page = base / page_bytes + pages;
    const bool own = array.alias == chase::no_alias;
    const std::uint64_t first = own ? pages_ : arrays_[static_cast<std::size_t>(array.alias)].first_page;
    arrays_.push_back({base, virtual_pages_, first});
    virtual_pages_ += pages;
    if (own) pages_ += pages;
  }
}

/// A permutation of the 2^26 page numbers of 48-bit addresses: multiplication by an odd number, exclusive-or
/// with a constant and with the own upper bits can each be undone.
std::uint64_t Placement::physical_page(std::uint64_t page) const {
  constexpr std::uint64_t pages = (std::uint64_t{1} << 26) - 1;
  page = (page ^ key_) & pages;
  page = (page * 0x9e3779b1U) & pages;
  page ^= page >> 13;
  page = (page * 0x85ebca6bU) & pages;
  page = (page ^ (key_ >> 32)) & pages;
  return page ^ (page >> 13);
}

}  // namespace tomograph::sim
