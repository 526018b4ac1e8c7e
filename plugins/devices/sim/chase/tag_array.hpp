#ifndef TOMOGRAPH_SIM_CHASE_TAG_ARRAY_HPP
#define TOMOGRAPH_SIM_CHASE_TAG_ARRAY_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "sim/chase/cache_state.hpp"
#include "sim/chase/set_function.hpp"
#include "sim/gpu/private_cache.hpp"
#include "sim/gpu/translation.hpp"

namespace tomograph::sim {

/// For each sector of a line, a mask of the sectors in the aligned group around it.
using SectorGroups = std::array<std::uint32_t, 32>;

/// A load's request to a cache, by sector of the load: the sectors that it wants, and those that a miss fetches.
struct Request {
  SectorGroups wanted;
  SectorGroups fetched;
};

/// The request for the aligned `bytes` around a load.
[[nodiscard]] Request request(const Cache& cache, std::int64_t bytes);

/// A private cache or a TLB level, prepared for simulation.
class TagArray {
 public:
  TagArray(const PrivateCache& cache, std::int64_t sm_count);
  TagArray(const Tlb& level, std::int64_t sm_count);

  [[nodiscard]] std::uint32_t set(std::uint64_t address) const { return set_(address); }
  /// The organisation at carve-out number `carveout`, which is ignored if there are no carve-outs.
  [[nodiscard]] const Organisation& organisation(std::size_t carveout) const {
    return organisations_[organisations_.size() == 1 ? 0 : carveout];
  }
  /// The instance that serves a warp of an SM.
  [[nodiscard]] std::uint32_t instance(std::int64_t sm, std::int64_t warp) const {
    return group_of_sm_[static_cast<std::size_t>(sm)] * per_sm_ +
           static_cast<std::uint32_t>(warp) / warp_block_ % per_sm_;
  }

 private:
  SetFunction set_;
  std::vector<Organisation> organisations_;
  std::vector<std::uint32_t> group_of_sm_;
  std::uint32_t per_sm_ = 1;
  std::uint32_t warp_block_ = 1;
};

}  // namespace tomograph::sim

#endif
