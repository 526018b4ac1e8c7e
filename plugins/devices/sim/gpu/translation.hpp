#ifndef TOMOGRAPH_SIM_GPU_TRANSLATION_HPP
#define TOMOGRAPH_SIM_GPU_TRANSLATION_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/gpu/cache.hpp"
#include "sim/gpu/sm_groups.hpp"

namespace tomograph::sim {

/// A TLB level. Its entries are organised like the lines of a cache: line_size is the span of an entry, sector_size
/// that of a sub-entry.
struct Tlb {
  Cache entries;
  std::int64_t penalty = 0;  ///< extra cycles of a miss in this level
  SmGroups shared_by;        ///< SMs that share an instance
};

/// A TLB level whose entries span `span` bytes and have no sub-entries. LRU; sets are selected by remainder.
[[nodiscard]] Tlb tlb(std::int64_t span, std::vector<std::int64_t> set_ways, std::int64_t penalty);

/// Address translation of a GPU.
struct Translation {
  /// A window of virtual addresses, aligned to its size, whose page tables are active (Mei & Chu 2017, pattern P6).
  struct Window {
    std::int64_t size = 0;
    std::int64_t penalty = 0;  ///< cycles to activate another window
  };
  std::int64_t page_size = std::int64_t{2} << 20;
  std::vector<Tlb> tlb;  ///< the first level first
  /// Extra cycles of a miss in all levels if the program uses the page for the first time.
  std::int64_t first_walk_penalty = 0;
  std::optional<Window> page_window;
};

[[nodiscard]] Broken violation(const Translation& translation, std::int64_t sm_count);

/// Reads page_size, tlb, page_walk and page_window.
[[nodiscard]] Translation read_translation(const Section& description, std::int64_t sm_count);

}  // namespace tomograph::sim

#endif
