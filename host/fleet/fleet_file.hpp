#ifndef TOMOGRAPH_HOST_FLEET_FLEET_FILE_HPP
#define TOMOGRAPH_HOST_FLEET_FLEET_FILE_HPP

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "fleet/merger.hpp"

namespace tomograph::host {

/// A fleet as a JSON object with the layout of fleet.toml (schemas/fleet.schema.json).
[[nodiscard]] nlohmann::json to_json(const MergedFleet& merged);

/// The text of fleet.toml. Equal fleets give equal bytes.
[[nodiscard]] std::string to_toml(const MergedFleet& merged);

/// Whether a file looks like fleet.toml, of which only the top-level keys are looked at.
[[nodiscard]] bool is_fleet_file(const std::filesystem::path& file);

/// Reads fleet.toml and checks it. @throws InputError with file, line and key of each problem.
[[nodiscard]] nlohmann::json read_fleet_json(const std::filesystem::path& file);
[[nodiscard]] Fleet read_fleet(const std::filesystem::path& file);

/// The cohorts, and a sentence for each odd GPU.
[[nodiscard]] std::string fleet_summary(const Fleet& fleet);

}  // namespace tomograph::host

#endif
