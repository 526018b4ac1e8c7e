#ifndef TOMOGRAPH_SIM_CHASE_HIERARCHY_HPP
#define TOMOGRAPH_SIM_CHASE_HIERARCHY_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/chase/noise.hpp"
#include "sim/chase/tag_array.hpp"
#include "sim/chase/texture_layout.hpp"
#include "sim/gpu/description.hpp"

namespace tomograph::sim {

/// The caches between a load path and the L2, in the order in which loads look into them.
struct Route {
  struct Link {
    std::size_t cache;  ///< its number among the private caches
    Request request;
    bool translates;          ///< the load needs its physical address here
    std::uint32_t lines = 1;  ///< that the load covers here
  };
  std::vector<Link> links;
  Request l2;                  ///< request to the L2 after misses in all of them
  std::uint32_t l2_lines = 1;  ///< lines of the L2 that one load fetches
  bool l2_translates = true;   ///< the L2 is the first to need the physical address
};

/// A description prepared for simulation. Immutable, shared by all simulating threads.
class Hierarchy {
 public:
  /// `description` must not break a rule of `violation`.
  explicit Hierarchy(Gpu description);

  [[nodiscard]] const Route& route(chase::Path path) const { return routes_[static_cast<std::size_t>(path)]; }
  /// The most lines of private cache number `cache` that one load of `program` covers.
  [[nodiscard]] std::uint32_t lines_at_once(const chase::Program& program, std::size_t cache) const;
  /// The most lines of the L2 that one load of `program` touches.
  [[nodiscard]] std::uint32_t l2_lines(const chase::Program& program) const;

  /// The number of the smallest carve-out that holds both the `requested` and the `taken` bytes of a program. 0 if the
  /// GPU has no carve-outs; nothing if none is large enough.
  [[nodiscard]] std::optional<std::size_t> carveout(std::int64_t requested, std::int64_t taken) const;
  /// The largest carve-out; nothing if there are none.
  [[nodiscard]] std::optional<std::int64_t> largest_carveout() const;

  [[nodiscard]] std::uint32_t partition_of(std::int64_t sm) const;
  /// The set of a physical address, in the partition that holds it.
  [[nodiscard]] std::uint32_t l2_set(std::uint64_t address) const;
  /// The slice of a physical address.
  [[nodiscard]] std::uint32_t slice_of(std::uint64_t address) const;
  /// Distance from `sm` to each slice, in cycles to add to the latency.
  [[nodiscard]] std::vector<std::int32_t> distances(std::int64_t sm) const;

  Gpu gpu;
  std::vector<TagArray> caches;  ///< in the order of the description, as are
  std::vector<TagArray> tlb;     ///< the levels of the TLB
  std::vector<Request> tlb_request;
  std::uint32_t l2_line;  ///< mask of all sectors of an L2 line
  Organisation l2_organisation;
  HomeFunction home;
  TextureLayout texture_layout;
  Jitter jitter;

 private:
  [[nodiscard]] Route make_route(chase::Path path) const;

  SetFunction indexed_l2_set_;
  std::vector<Route> routes_;  ///< by path
  const Carveouts* carveouts_ = nullptr;
};

}  // namespace tomograph::sim

#endif
