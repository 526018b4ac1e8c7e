#ifndef TOMOGRAPH_SIM_CHASE_LAYOUT_HPP
#define TOMOGRAPH_SIM_CHASE_LAYOUT_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "sim/chase/dense_ids.hpp"
#include "sim/chase/hierarchy.hpp"
#include "sim/chase/placement.hpp"

namespace tomograph::sim {

/// Where one node of a ring lies in each cache.
struct Node {
  std::uint32_t l1_line;
  std::uint32_t l2_line;
  std::uint8_t l1_sector;
  std::uint8_t l2_sector;
  std::uint16_t line_of_block;  ///< which L2 line of its block l2_line is
};

/// All addresses of a program, resolved before it runs: the lines it can touch are known, so they get dense
/// numbers in the order of their first use, and the chase itself computes no address at all.
class Layout {
 public:
  void build(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement);

  [[nodiscard]] std::span<const Node> ring(std::size_t ring) const {
    return std::span(nodes_).subspan(first_node_[ring], first_node_[ring + 1] - first_node_[ring]);
  }
  /// Entry of TLB `level` that translates each node of a ring.
  [[nodiscard]] std::span<const std::uint32_t> translations(std::size_t level, std::size_t ring) const {
    return std::span(translations_[level].entry_of_node)
        .subspan(first_node_[ring], first_node_[ring + 1] - first_node_[ring]);
  }

  [[nodiscard]] std::span<const std::uint32_t> l1_sets() const { return l1_sets_; }
  [[nodiscard]] std::span<const std::uint32_t> l2_sets() const { return l2_sets_; }
  [[nodiscard]] std::span<const std::uint32_t> translation_sets(std::size_t level) const {
    return translations_[level].sets;
  }
  /// Home partition and slice of an L2 line.
  [[nodiscard]] std::uint32_t home(std::uint32_t line) const { return homes_[line]; }
  [[nodiscard]] std::uint32_t slice(std::uint32_t line) const { return slices_[line]; }

 private:
  struct Translations {
    DenseIds entries;
    std::vector<std::uint32_t> entry_of_node;
    std::vector<std::uint32_t> sets;
  };

  void reset(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement);
  void add(const Hierarchy& hierarchy, const Placement& placement, std::size_t array, std::uint64_t offset);
  void place_in_l1(const Hierarchy& hierarchy, const Placement& placement, std::size_t array, std::uint64_t offset,
                   Node& node);
  void place_in_l2(const Hierarchy& hierarchy, const Placement& placement, std::size_t array, std::uint64_t offset,
                   Node& node);
  void add_block(const Hierarchy& hierarchy, std::uint64_t address);

  bool uses_l1_ = false;
  std::vector<Node> nodes_;
  std::vector<std::size_t> first_node_;  ///< by ring, and one past the last
  DenseIds l1_lines_;
  DenseIds l2_blocks_;
  std::vector<std::uint32_t> l1_sets_;
  std::vector<std::uint32_t> l2_sets_;
  std::vector<std::uint8_t> homes_;
  std::vector<std::uint16_t> slices_;
  std::vector<Translations> translations_;
};

}  // namespace tomograph::sim

#endif
