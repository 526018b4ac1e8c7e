#include "sim/chase/layout.hpp"

#include <algorithm>

namespace tomograph::sim {

namespace {

/// Few enough that their data stay in the host's L1 from one cache to the next.
constexpr std::size_t nodes_at_once = 1024;

/// The offsets of a ring's nodes in its array. A list of them exists only where order needs one: sequential rings have
/// ten million nodes, and it takes longer to get memory for them than to compute them.
class Offsets {
 public:
  Offsets(const Hierarchy& hierarchy, const chase::Array& array, const chase::Ring& ring)
      : hierarchy_(&hierarchy), array_(&array), ring_(&ring) {
    if (!ring.nodes.empty() || ring.order != chase::Order::sequential) listed_ = chase::node_offsets(ring);
  }

  /// Those of `nodes_at_once` nodes from `first` on, or of fewer at the end. Valid until the next call.
  [[nodiscard]] std::span<const std::int64_t> from(std::size_t first) {
    const std::size_t count = std::min(nodes_at_once, static_cast<std::size_t>(ring_->size()) - first);
    part_.clear();
    for (std::size_t node = first; node < first + count; ++node) part_.push_back(place(at(node)));
    return part_;
  }

 private:
  [[nodiscard]] std::int64_t at(std::size_t node) const {
    return listed_.empty() ? ring_->start + static_cast<std::int64_t>(node) * ring_->stride : listed_[node];
  }
  [[nodiscard]] std::int64_t place(std::int64_t offset) const {
    if (array_->space != chase::Space::texture) return offset;
    return static_cast<std::int64_t>(hierarchy_->texture_layout.place(*array_, static_cast<std::uint64_t>(offset)));
  }

  const Hierarchy* hierarchy_;
  const chase::Array* array_;
  const chase::Ring* ring_;
  std::vector<std::int64_t> listed_;
  std::vector<std::int64_t> part_;
};

}  // namespace

void Footprint::reset(std::int64_t block_bytes, std::int64_t line_size, std::int64_t sector_size,
                      const Extent& positions, std::uint64_t lookups) {
  block_shift_ = exponent_of(block_bytes);
  line_shift_ = exponent_of(line_size);
  sector_shift_ = exponent_of(sector_size);
  lines_shift_ = block_shift_ - line_shift_;
  lines_per_block_ = std::uint64_t{1} << lines_shift_;
  line_mask_ = static_cast<std::uint64_t>(line_size) - 1;
  first_block_ = positions.begin >> block_shift_;
  blocks_.reset((positions.end >> block_shift_) - first_block_ + 1, lookups);
  places_.clear();
  places_.reserve(lookups);
  first_node_.assign(1, 0);
  sets_.clear();
}

void Layout::build(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement) {
  reset(hierarchy, program, placement);
  find_users(hierarchy, program);
  for (std::size_t ring = 0; ring < program.rings.size(); ++ring) {
    const auto array = static_cast<std::size_t>(program.rings[ring].array);
    if (program.arrays[array].space != chase::Space::shared) {
      Offsets offsets(hierarchy, program.arrays[array], program.rings[ring]);
      const auto count = static_cast<std::size_t>(program.rings[ring].size());
      for (std::size_t first = 0; first < count; first += nodes_at_once) {
        const Nodes nodes{array, offsets.from(first)};
        for (std::size_t cache = 0; cache < caches_.size(); ++cache) {
          if (passes_[cache][ring]) add_to_cache(hierarchy, placement, cache, nodes);
        }
        add_to_l2(hierarchy, placement, nodes);
        add_to_translation(hierarchy, placement, nodes);
      }
    }
    for (Footprint& cache : caches_) cache.end_ring();
    for (Footprint& level : tlb_) level.end_ring();
    l2_.end_ring();
    windows_.end_ring();
  }
}

void Layout::reset(const Hierarchy& hierarchy, const chase::Program& program, const Placement& placement) {
  std::uint64_t nodes = 0;
  for (const chase::Ring& ring : program.rings) nodes += static_cast<std::uint64_t>(ring.size());
  const Gpu& gpu = hierarchy.gpu;
  caches_.resize(gpu.caches.size());
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    const Cache& cache = gpu.caches[i].cache;
    const std::uint64_t bytes = gpu.caches[i].virtually_tagged ? placement.virtual_bytes() : placement.physical_bytes();
    const std::int64_t block = cache.line_size * hierarchy.lines_at_once(program, i);
    caches_[i].reset(block, cache.line_size, cache.sector_size, {0, bytes}, nodes);
  }
  tlb_.resize(gpu.translation.tlb.size());
  for (std::size_t i = 0; i < tlb_.size(); ++i) {
    const Cache& entries = gpu.translation.tlb[i].entries;
    tlb_[i].reset(entries.line_size, entries.line_size, entries.sector_size, placement.addresses(), nodes);
  }
  const Cache& l2 = gpu.l2.cache;
  l2_.reset(l2.line_size * hierarchy.l2_lines(program), l2.line_size, l2.sector_size, {0, placement.physical_bytes()},
            nodes);
  const auto& page_window = gpu.translation.page_window;
  const std::int64_t window = page_window ? page_window->size : std::int64_t{1} << address_bits;
  windows_.reset(window, window, window, placement.addresses(), nodes);
  homes_.clear();
  slices_.clear();
  l2_positions_.clear();
}

void Layout::find_users(const Hierarchy& hierarchy, const chase::Program& program) {
  passes_.assign(caches_.size(), std::vector<bool>(program.rings.size()));
  for (const chase::Phase& phase : program.phases) {
    const chase::Path path = program.actors[static_cast<std::size_t>(phase.actor)].path;
    for (const Route::Link& link : hierarchy.route(path).links) {
      passes_[link.cache][static_cast<std::size_t>(phase.ring)] = true;
    }
  }
}

void Layout::add_to_cache(const Hierarchy& hierarchy, const Placement& placement, std::size_t cache,
                          const Nodes& nodes) {
  const TagArray& tags = hierarchy.caches[cache];
  Footprint& footprint = caches_[cache];
  if (hierarchy.gpu.caches[cache].virtually_tagged) {
    const std::uint64_t position = placement.virtual_position(nodes.array);
    const std::uint64_t offset = placement.virtual_base(nodes.array) - position;
    const auto set_of = [&](std::uint64_t line) { return tags.set(line + offset); };
    footprint.add(position, nodes.offsets, set_of);
  } else {
    const std::uint64_t position = placement.physical_position(nodes.array);
    const auto set_of = [&](std::uint64_t line) { return tags.set(placement.physical_address(line)); };
    footprint.add(position, nodes.offsets, set_of);
  }
}

void Layout::add_to_l2(const Hierarchy& hierarchy, const Placement& placement, const Nodes& nodes) {
  const std::uint64_t position = placement.physical_position(nodes.array);
  const auto set_of = [&](std::uint64_t line) {
    const std::uint32_t set = add_l2_line(hierarchy, placement.physical_address(line));
    if (hierarchy.gpu.l2.prefetch_size != 0) l2_positions_.push_back(line);
    return set;
  };
  for (Place& place : l2_.add(position, nodes.offsets, set_of)) {
    place.home = homes_[place.line];
    place.slice = slices_[place.line];
  }
}

std::uint32_t Layout::add_l2_line(const Hierarchy& hierarchy, std::uint64_t address) {
  homes_.push_back(static_cast<std::uint8_t>(hierarchy.home(address)));
  slices_.push_back(static_cast<std::uint16_t>(hierarchy.slice_of(address)));
  return hierarchy.l2_set(address);
}

void Layout::add_to_translation(const Hierarchy& hierarchy, const Placement& placement, const Nodes& nodes) {
  const std::uint64_t base = placement.virtual_base(nodes.array);
  for (std::size_t level = 0; level < tlb_.size(); ++level) {
    const auto set_of = [&](std::uint64_t entry) { return hierarchy.tlb[level].set(entry); };
    tlb_[level].add(base, nodes.offsets, set_of);
  }
  if (!hierarchy.gpu.translation.page_window) return;
  windows_.add(base, nodes.offsets, [](std::uint64_t /*window*/) { return 0U; });
}

}  // namespace tomograph::sim
