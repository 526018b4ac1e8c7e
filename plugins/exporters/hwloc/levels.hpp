#ifndef TOMOGRAPH_EXPORTERS_HWLOC_LEVELS_HPP
#define TOMOGRAPH_EXPORTERS_HWLOC_LEVELS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "tomograph/exporter.hpp"

namespace tomograph::hwloc {

/// Numbers of SMs, in ascending order.
using Sms = std::vector<std::int64_t>;

/// A unit that groups of SMs share.
struct Level {
  std::string key;  ///< beginning of its facts' keys, e.g. "constant_l15"
  std::vector<Sms> groups;
};

/// The numbers of all SMs. @throws Refused if the topology does not say how many there are.
[[nodiscard]] Sms all_sms(const Topology& topology);

/// The levels between the device and its SMs, outermost first. Each group lies within one group of the level before;
/// levels for which that is not so, and those that give every SM a TLB of its own, are left out.
[[nodiscard]] std::vector<Level> nested_levels(const Topology& topology);

}  // namespace tomograph::hwloc

#endif
