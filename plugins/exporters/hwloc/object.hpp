#ifndef TOMOGRAPH_EXPORTERS_HWLOC_OBJECT_HPP
#define TOMOGRAPH_EXPORTERS_HWLOC_OBJECT_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "infos.hpp"
#include "levels.hpp"

namespace tomograph::hwloc {

/// An object of a topology of hwloc.
struct Object {
  std::string type;
  Sms sms;  ///< the PUs in it, one for each SM; a device of the operating system has none
  std::vector<std::pair<std::string, std::string>> attributes = {};
  Infos infos = {};
  std::vector<Object> children = {};
};

/// The value of a memory attribute: from these SMs to a NUMA node.
struct MemoryValue {
  std::string attribute;  ///< e.g. "Bandwidth"
  int flags = 0;          ///< hwloc_memattr_flag_e
  Sms initiator;
  std::int64_t node = 0;  ///< index of the NUMA node
  std::int64_t value = 0;
};

/// A matrix of bandwidths between devices of the operating system.
struct Distances {
  std::string name;
  std::vector<std::string> devices = {};  ///< the attribute `name` of each
  std::vector<std::int64_t> values = {};  ///< MB/s, row by row: from each device to all
};

/// The XML of hwloc 2. NUMA nodes have the index of their attribute os_index, and each object is near to those in it
/// and around it.
[[nodiscard]] std::string to_xml(const Object& machine, const std::vector<MemoryValue>& memory,
                                 const std::vector<Distances>& distances);

}  // namespace tomograph::hwloc

#endif
