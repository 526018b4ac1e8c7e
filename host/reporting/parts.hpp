#ifndef TOMOGRAPH_HOST_REPORTING_PARTS_HPP
#define TOMOGRAPH_HOST_REPORTING_PARTS_HPP

#include <span>
#include <string>
#include <string_view>

#include "topology/topology.hpp"

namespace tomograph::host {

enum class PartKind { cache, tlb, memory, other };

/// A part of the GPU: how its facts' keys begin, what people call it, and whether each SM has its own.
struct Part {
  std::string_view prefix;
  std::string_view title;
  PartKind kind;
  bool in_sm;
};

/// The parts that Tomograph's own facts speak of, from the inside of an SM outwards.
[[nodiscard]] std::span<const Part> known_parts();

/// Whether `key` is `prefix` or a key below it.
[[nodiscard]] bool belongs(std::string_view key, std::string_view prefix);

/// The known part that `key` belongs to, or the first part of the key; a third party's facts belong to the id of the
/// plugin that publishes them.
[[nodiscard]] std::string part_of(const Topology& topology, const std::string& key);

/// The title of a part as part_of() names it.
[[nodiscard]] std::string title_of(std::string_view part);

/// Whether the question for `key` was left open: it is no fact, and not because the device lacks what it asks about.
[[nodiscard]] bool is_open(const Topology& topology, const std::string& key);

}  // namespace tomograph::host

#endif
