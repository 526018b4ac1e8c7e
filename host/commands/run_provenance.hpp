#ifndef TOMOGRAPH_HOST_COMMANDS_RUN_PROVENANCE_HPP
#define TOMOGRAPH_HOST_COMMANDS_RUN_PROVENANCE_HPP

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "commands/run_options.hpp"
#include "running/recorder.hpp"

/// What `run` writes about itself, and what it keeps of a run that it resumes.
namespace tomograph::host {

/// The options that decide what is measured. `given` are the paths of earlier topologies.
[[nodiscard]] Json options_json(const RunOptions& options, const Configuration& configuration,
                                const std::vector<std::filesystem::path>& given);

/// Name, processor, distribution (os-release(5)) and kernel of this machine. Empty where it does not say.
[[nodiscard]] Json machine();

/// The plugins of the device and of all planned probes, each with version, hash and path.
[[nodiscard]] Json used_plugins(const Catalogue& catalogue, const ChosenDevice& device, const Plan& plan);

/// Paths of files and the hashes of what they hold now.
[[nodiscard]] Json files_with_hashes(const std::vector<std::filesystem::path>& files);

/// What a recording says of the device, which published `facts` when it was opened.
[[nodiscard]] RecordingHeader recording_header(const ChosenDevice& device,
                                               const std::map<std::string, FactRecord>& facts);

/// Every probe of a plan, also those that it leaves out.
[[nodiscard]] std::vector<std::string> all_probes(const Plan& plan);

/// Refuses to complete a topology with measurements of another device. `earlier` is the provenance of the run that
/// wrote `topology`, `device` that of this one. Compares parameters and the content of a description; a recording may
/// have grown.
/// @throws InputError
void require_same_device(const Json& earlier, const Json& device, const std::filesystem::path& topology);

/// Keys of the questions whose outcome `--resume` keeps instead of measuring again.
[[nodiscard]] std::set<std::string> settled_questions(const Topology& topology);

/// Findings of an earlier run, given by its provenance, about probes that the plan does not run again. An array.
[[nodiscard]] Json kept_findings(const Json& earlier, const Plan& plan);

}  // namespace tomograph::host

#endif
