#include "sim/chase/layout.hpp"

#include <algorithm>
#include <bit>

namespace tomograph::sim {

namespace {

int log2(std::int64_t power_of_two) { return std::countr_zero(static_cast<std::uint64_t>(power_of_two)); }

std::uint8_t sector_of(const Cache& cache, std::uint64_t offset) {
  const auto within = offset & (static_cast<std::uint64_t>(cache.line_size) - 1);
  return static_cast<std::uint8_t>(within >> log2(cache.sector_size));
}

}  // namespace

void Layout::build(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement) {
  reset(hierarchy, program, placement);
  for (const chase::Ring& ring : program.rings) {
    for (const std::int64_t offset : chase::node_offsets(ring)) {
      add(hierarchy, placement, static_cast<std::size_t>(ring.array), static_cast<std::uint64_t>(offset));
    }
    first_node_.push_back(nodes_.size());
  }
  for (Translations& level : translations_) level.sets.assign(level.entries.count(), 0);
}

void Layout::reset(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement) {
  std::uint64_t nodes = 0;
  for (const chase::Ring& ring : program.rings) nodes += static_cast<std::uint64_t>(ring.size());
  nodes_.clear();
  nodes_.reserve(nodes);
  first_node_.assign(1, 0);
  uses_l1_ =
      std::ranges::any_of(program.actors, [&](const chase::Actor& actor) { return hierarchy.in_l1(actor.path); });
  if (uses_l1_) l1_lines_.reset(placement.virtual_bytes() >> log2(hierarchy.gpu.l1->cache.line_size), nodes);
  l2_blocks_.reset(placement.physical_bytes() >> log2(hierarchy.l2_block), nodes);
  l1_sets_.clear();
  l2_sets_.clear();
  homes_.clear();
  slices_.clear();
  translations_.resize(hierarchy.gpu.tlb.size());
  for (Translations& level : translations_) {
    level.entries.reset(std::uint64_t{1} << 48, nodes);
    level.entry_of_node.clear();
  }
}

void Layout::add(const Hierarchy& hierarchy, const Placement& placement, std::size_t array, std::uint64_t offset) {
  Node node{};
  if (uses_l1_) place_in_l1(hierarchy, placement, array, offset, node);
  place_in_l2(hierarchy, placement, array, offset, node);
  nodes_.push_back(node);
  for (std::size_t level = 0; level < translations_.size(); ++level) {
    const std::uint64_t address = placement.virtual_address(array, offset);
    Translations& translations = translations_[level];
    translations.entry_of_node.push_back(translations.entries(address >> log2(hierarchy.gpu.tlb[level].entry_span)));
  }
}

void Layout::place_in_l1(const Hierarchy& hierarchy, const Placement& placement, std::size_t array,
                         std::uint64_t offset, Node& node) {
  const L1& l1 = *hierarchy.gpu.l1;
  const std::uint64_t position =
      l1.virtually_tagged ? placement.virtual_position(array, offset) : placement.physical_position(array, offset);
  node.l1_line = l1_lines_(position >> log2(l1.cache.line_size));
  node.l1_sector = sector_of(l1.cache, offset);
  if (node.l1_line < l1_sets_.size()) return;
  const std::uint64_t address =
      l1.virtually_tagged ? placement.virtual_address(array, offset) : placement.physical_address(array, offset);
  l1_sets_.push_back((*hierarchy.l1_set)(address));
}

void Layout::place_in_l2(const Hierarchy& hierarchy, const Placement& placement, std::size_t array,
                         std::uint64_t offset, Node& node) {
  const Cache& l2 = hierarchy.gpu.l2.cache;
  const auto block_bytes = static_cast<std::uint64_t>(hierarchy.l2_block);
  const auto lines_per_block = static_cast<std::uint32_t>(hierarchy.l2_block >> log2(l2.line_size));
  const std::uint32_t block = l2_blocks_(placement.physical_position(array, offset) >> log2(hierarchy.l2_block));
  node.line_of_block = static_cast<std::uint16_t>((offset & (block_bytes - 1)) >> log2(l2.line_size));
  node.l2_line = block * lines_per_block + node.line_of_block;
  node.l2_sector = sector_of(l2, offset);
  if (node.l2_line < l2_sets_.size()) return;
  add_block(hierarchy, placement.physical_address(array, offset & ~(block_bytes - 1)));
}

void Layout::add_block(const Hierarchy& hierarchy, std::uint64_t address) {
  const auto line_size = static_cast<std::uint64_t>(hierarchy.gpu.l2.cache.line_size);
  const std::uint64_t end = address + static_cast<std::uint64_t>(hierarchy.l2_block);
  for (; address < end; address += line_size) {
    l2_sets_.push_back(hierarchy.l2_set(address));
    homes_.push_back(static_cast<std::uint8_t>(hierarchy.home(address)));
    const std::uint64_t hash = mix(address / line_size) >> 32;
    slices_.push_back(static_cast<std::uint16_t>((hash * static_cast<std::uint64_t>(hierarchy.gpu.l2.slices)) >> 32));
  }
}

}  // namespace tomograph::sim
