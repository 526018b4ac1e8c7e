#ifndef TOMOGRAPH_SIM_CHASE_HIERARCHY_HPP
#define TOMOGRAPH_SIM_CHASE_HIERARCHY_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/chase/cache_state.hpp"
#include "sim/chase/noise.hpp"
#include "sim/chase/set_function.hpp"
#include "sim/gpu/description.hpp"

namespace tomograph::sim {

/// By sector of a line: the sectors of the aligned group of `bytes` around it, as a mask.
using SectorGroups = std::array<std::uint32_t, 32>;
[[nodiscard]] SectorGroups sector_groups(const Cache& cache, std::int64_t bytes);

/// What a load that the L2 must serve asks of it: `wanted` by the requester, and `fetched` from DRAM if
/// one of these is missing. Both by sector of the load.
struct Request {
  SectorGroups wanted;
  SectorGroups fetched;
};

/// A description in the form that loads need: immutable, shared by all threads that simulate.
class Hierarchy {
 public:
  /// `description` must not break a rule of `violation`.
  explicit Hierarchy(Gpu description);

  /// The organisation of the L1 beside a carve-out for `requested` bytes: the smallest selectable one that
  /// holds them. Null if there is none so large.
  [[nodiscard]] const Organisation* l1_beside(std::int64_t requested) const;

  /// Whether loads on `path` look into the L1.
  [[nodiscard]] bool in_l1(chase::Path path) const;
  [[nodiscard]] std::uint32_t partition_of(std::int64_t sm) const;
  /// Distance from `sm` to each slice, in cycles to add to the latency.
  [[nodiscard]] std::vector<std::int32_t> distances(std::int64_t sm) const;

  Gpu gpu;
  std::optional<SetFunction> l1_set;
  SectorGroups l1_fetched{};
  SetFunction l2_set;
  Organisation l2_organisation;
  ParityFunction home;
  Request bypass;         ///< of a load that does not look into the L1
  Request l1_miss;        ///< of one that missed there
  std::int64_t l2_block;  ///< bytes of the L2 that one L1 miss can touch: an L2 line, or several
  std::vector<Organisation> tlb_organisation;
  Jitter jitter;

 private:
  std::vector<Organisation> l1_organisation_;  ///< by carve-out; one without carve-outs
};

}  // namespace tomograph::sim

#endif
