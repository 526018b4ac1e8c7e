#ifndef TOMOGRAPH_HOST_FLEET_FLEET_FILE_HPP
#define TOMOGRAPH_HOST_FLEET_FLEET_FILE_HPP

#include <nlohmann/json.hpp>
#include <string>

#include "fleet/merger.hpp"

namespace tomograph::host {

/// A fleet as a JSON object with the layout of fleet.toml (schemas/fleet.schema.json).
[[nodiscard]] nlohmann::json to_json(const MergedFleet& merged);

/// The text of fleet.toml. Equal fleets give equal bytes.
[[nodiscard]] std::string to_toml(const MergedFleet& merged);

/// The cohorts, and a sentence for each odd GPU.
[[nodiscard]] std::string fleet_summary(const Fleet& fleet);

}  // namespace tomograph::host

#endif
