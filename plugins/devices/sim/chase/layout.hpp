#ifndef TOMOGRAPH_SIM_CHASE_LAYOUT_HPP
#define TOMOGRAPH_SIM_CHASE_LAYOUT_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "sim/chase/dense_ids.hpp"
#include "sim/chase/hierarchy.hpp"
#include "sim/chase/large_pages.hpp"
#include "sim/chase/placement.hpp"
#include "sim/chase/prefetch.hpp"

namespace tomograph::sim {

/// Where one node of a ring lies in one cache or TLB level.
struct Place {
  std::uint32_t line;
  std::uint8_t sector;
  std::uint8_t home;    ///< L2: home partition of the line
  std::uint16_t slice;  ///< L2: its slice
};

/// The lines of one cache that a program can touch, numbered densely in the order of their first use, and where the
/// nodes of its rings lie among them. Lines come in blocks, all lines of a block with its first node; line n of the
/// footprint is line n % (lines of a block) of its block.
class Footprint {
 public:
  /// Forgets everything. Positions lie in `positions`, about `lookups` nodes will follow.
  void reset(std::int64_t block_bytes, std::int64_t line_size, std::int64_t sector_size, const Extent& positions,
             std::uint64_t lookups);

  /// A hint for this machine's own caches, some nodes before the one at `position` is added.
  void prepare(std::uint64_t position) const { blocks_.prepare((position >> block_shift_) - first_block_); }
  /// Adds a node at `position`; `set_of(p)` says the set of the line at position p, which lies in a new block.
  template <typename SetOf>
  Place& add(std::uint64_t position, SetOf set_of) {
    const std::uint32_t block = blocks_((position >> block_shift_) - first_block_);
    const auto line_of_block = static_cast<std::uint32_t>(position >> line_shift_) & (lines_per_block_ - 1);
    const auto sector = static_cast<std::uint8_t>((position & line_mask_) >> sector_shift_);
    Place& place = places_.emplace_back(Place{block * lines_per_block_ + line_of_block, sector, 0, 0});
    if (block * lines_per_block_ < sets_.size()) return place;
    const std::uint64_t first = position >> block_shift_ << block_shift_;
    for (std::uint64_t line = 0; line < lines_per_block_; ++line)
      sets_.push_back(set_of(first + (line << line_shift_)));
    return place;
  }
  /// Ends the nodes of a ring, which may be none.
  void end_ring() { first_node_.push_back(places_.size()); }

  [[nodiscard]] std::span<const Place> ring(std::size_t ring) const {
    return std::span(places_).subspan(first_node_[ring], first_node_[ring + 1] - first_node_[ring]);
  }
  /// By line.
  [[nodiscard]] std::span<const std::uint32_t> sets() const { return sets_; }

 private:
  int block_shift_ = 0;
  int line_shift_ = 0;
  int sector_shift_ = 0;
  std::uint32_t lines_per_block_ = 1;
  std::uint64_t line_mask_ = 0;
  std::uint64_t first_block_ = 0;
  DenseIds blocks_;
  LargeVector<Place> places_;
  std::vector<std::size_t> first_node_;  ///< by ring, and one past the last
  LargeVector<std::uint32_t> sets_;
};

/// All addresses of a program, resolved before it runs: the lines it can touch are known, so they get dense
/// numbers in the order of their first use, and the chase itself computes no address at all.
class Layout {
 public:
  void build(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement);

  /// By private cache, with the rings that are followed on a path through it.
  [[nodiscard]] const Footprint& cache(std::size_t cache) const { return caches_[cache]; }
  [[nodiscard]] const Footprint& tlb(std::size_t level) const { return tlb_[level]; }
  [[nodiscard]] const Footprint& l2() const { return l2_; }
  /// Page windows are the lines.
  [[nodiscard]] const Footprint& windows() const { return windows_; }
  /// Where the L2 lines lie, if the GPU prefetches; else none.
  [[nodiscard]] std::span<const Prefetch::Site> l2_sites() const { return l2_sites_; }
  /// Home partition of an L2 line.
  [[nodiscard]] std::uint8_t home(std::uint32_t line) const { return homes_[line]; }

 private:
  /// What the addresses of one ring follow from.
  struct Nodes {
    std::size_t array;
    std::vector<std::int64_t> offsets;  ///< where they lie in the memory of the array
  };

  void reset(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement);
  void find_users(const Hierarchy& hierarchy, const chase::Program& program);
  void add_to_cache(const Hierarchy& hierarchy, const Placement& placement, std::size_t cache, const Nodes& nodes);
  void add_to_l2(const Hierarchy& hierarchy, const Placement& placement, const Nodes& nodes);
  void add_to_translation(const Hierarchy& hierarchy, const Placement& placement, const Nodes& nodes);
  [[nodiscard]] std::uint32_t add_l2_line(const Hierarchy& hierarchy, std::uint64_t address);

  std::vector<Footprint> caches_;
  std::vector<Footprint> tlb_;
  Footprint l2_;
  Footprint windows_;
  std::vector<std::uint8_t> homes_;
  std::vector<std::uint16_t> slices_;
  std::vector<Prefetch::Site> l2_sites_;
  std::vector<std::vector<bool>> passes_;  ///< by private cache and ring: whether loads on the ring look into it
};

}  // namespace tomograph::sim

#endif
