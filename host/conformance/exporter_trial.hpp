#ifndef TOMOGRAPH_HOST_CONFORMANCE_EXPORTER_TRIAL_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_EXPORTER_TRIAL_HPP

#include <filesystem>

#include "loading/description.hpp"
#include "process/check_result.hpp"

namespace tomograph::host {

/// Lets each exporter of a plugin write a small topology that has every type of value, and texts that most formats must
/// escape. It passes if it writes something, or refuses the topology with a reason. `program` is started as a worker.
[[nodiscard]] CheckResult try_exporters(const std::filesystem::path& program, const PluginDescription& plugin);

}  // namespace tomograph::host

#endif
