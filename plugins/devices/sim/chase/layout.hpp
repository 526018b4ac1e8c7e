#ifndef TOMOGRAPH_SIM_CHASE_LAYOUT_HPP
#define TOMOGRAPH_SIM_CHASE_LAYOUT_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "sim/chase/dense_ids.hpp"
#include "sim/chase/hierarchy.hpp"
#include "sim/chase/large_pages.hpp"
#include "sim/chase/placement.hpp"

namespace tomograph::sim {

/// The place of a ring's node in one cache or TLB level.
struct Place {
  std::uint32_t line;
  std::uint8_t sector;
  std::uint8_t home;    ///< L2: home partition of the line
  std::uint16_t slice;  ///< L2: its slice
};

/// The lines of one cache that a program can touch, and the places of its rings' nodes in them. Lines are numbered
/// densely in the order of their first use. They are added in blocks, with the first node in the block; line n is line
/// n % (lines per block) of its block.
class Footprint {
 public:
  /// Empties the footprint. Later positions lie in `positions`; about `lookups` nodes will be added.
  void reset(std::int64_t block_bytes, std::int64_t line_size, std::int64_t sector_size, const Extent& positions,
             std::uint64_t lookups);

  /// Adds nodes at `offsets` from `base`. `set_of(p)` returns the set of the line at position p; it is called once for
  /// each new line, in order. Returns the nodes' places, valid until more are added.
  template <typename SetOf>
  std::span<Place> add(std::uint64_t base, std::span<const std::int64_t> offsets, SetOf set_of) {
    constexpr std::size_t ahead = 16;
    const auto position = [&](std::size_t node) { return base + static_cast<std::uint64_t>(offsets[node]); };
    const auto block_at = [&](std::uint64_t position) { return (position >> block_shift_) - first_block_; };
    const std::size_t before = places_.size();
    places_.resize(before + offsets.size());
    const std::span<Place> added = std::span(places_).subspan(before);
    for (std::size_t node = 0; node < added.size(); ++node) {
      if (node + ahead < added.size()) blocks_.prefetch_on_host(block_at(position(node + ahead)));
      const std::uint64_t at = position(node);
      const std::uint32_t first_line = blocks_(block_at(at)) << lines_shift_;
      const std::uint64_t line_of_block = (at >> line_shift_) & (lines_per_block_ - 1);
      added[node].line = first_line + static_cast<std::uint32_t>(line_of_block);
      added[node].sector = static_cast<std::uint8_t>((at & line_mask_) >> sector_shift_);
      if (first_line == sets_.size()) add_lines(at >> block_shift_ << block_shift_, set_of);
    }
    return added;
  }
  /// Ends a ring; it may have no nodes.
  void end_ring() { first_node_.push_back(places_.size()); }

  [[nodiscard]] std::span<const Place> ring(std::size_t ring) const {
    return std::span(places_).subspan(first_node_[ring], first_node_[ring + 1] - first_node_[ring]);
  }
  /// By line.
  [[nodiscard]] std::span<const std::uint32_t> sets() const { return sets_; }

 private:
  template <typename SetOf>
  void add_lines(std::uint64_t position, SetOf set_of) {
    for (std::uint64_t line = 0; line < lines_per_block_; ++line) {
      sets_.push_back(set_of(position + (line << line_shift_)));
    }
  }

  int block_shift_ = 0;
  int line_shift_ = 0;
  int sector_shift_ = 0;
  int lines_shift_ = 0;  ///< of the lines per block
  std::uint64_t lines_per_block_ = 1;
  std::uint64_t line_mask_ = 0;
  std::uint64_t first_block_ = 0;
  DenseIds blocks_;
  LargeVector<Place> places_;
  std::vector<std::size_t> first_node_;  ///< by ring, and one past the last
  LargeVector<std::uint32_t> sets_;
};

/// The footprints of a program in all caches and TLBs, computed before it runs. The chase itself then computes no
/// addresses.
class Layout {
 public:
  void build(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement);

  /// By private cache, with the rings that are followed on a path through it.
  [[nodiscard]] const Footprint& cache(std::size_t cache) const { return caches_[cache]; }
  [[nodiscard]] const Footprint& tlb(std::size_t level) const { return tlb_[level]; }
  [[nodiscard]] const Footprint& l2() const { return l2_; }
  /// Page windows are the lines.
  [[nodiscard]] const Footprint& windows() const { return windows_; }
  /// By L2 line, its position, if the GPU prefetches; else none.
  [[nodiscard]] std::span<const std::uint64_t> l2_positions() const { return l2_positions_; }
  /// By L2 line, its home partition.
  [[nodiscard]] std::span<const std::uint8_t> homes() const { return homes_; }

 private:
  /// Some nodes of one ring.
  struct Nodes {
    std::size_t array;
    std::span<const std::int64_t> offsets;  ///< in the memory of the array
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
  std::vector<std::uint64_t> l2_positions_;
  std::vector<std::vector<bool>> passes_;  ///< by private cache and ring: whether loads on the ring look into it
};

}  // namespace tomograph::sim

#endif
