#ifndef TOMOGRAPH_HOST_FLEET_QUICK_READER_HPP
#define TOMOGRAPH_HOST_FLEET_QUICK_READER_HPP

#include <optional>
#include <string_view>

#include "fleet/gpu_facts.hpp"

namespace tomograph::host {

/// Reads the text of a topology file that is laid out as `to_toml` writes it: a header or a member on each line, facts
/// in the order of their keys, a long list on lines of its own. Nothing for any other text, valid or not: that is for
/// `read_topology` to decide. A text that is read gives the same as `gpu_facts` of what `read_topology` reads.
[[nodiscard]] std::optional<GpuFacts> read_quickly(std::string_view text, Texts& texts);

}  // namespace tomograph::host

#endif
