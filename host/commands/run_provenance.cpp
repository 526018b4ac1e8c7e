#include "commands/run_provenance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "loading/file_hash.hpp"
#include "tomograph/documents/input_error.hpp"
#include "version.hpp"

namespace tomograph::host {

namespace fs = std::filesystem;

namespace {

bool is_settled(const Outcome& outcome) {
  if (outcome.status == OutcomeStatus::skipped) return outcome.category != SkipCategory::interrupted;
  return outcome.status == OutcomeStatus::measured || outcome.status == OutcomeStatus::inconclusive;
}

/// What follows the separator in the first line of a file that begins with `name`; empty without one.
std::string entry(const char* file, std::string_view name, char separator) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(name)) continue;
    line.erase(0, line.find_first_not_of(" \t", line.find(separator) + 1));
    std::erase(line, '"');
    return line;
  }
  return {};
}

}  // namespace

Json machine() {
  utsname names{};
  if (::uname(&names) != 0) return Json::object();
  return {{"name", names.nodename},
          {"cpu", entry("/proc/cpuinfo", "model name", ':')},
          {"system", entry("/etc/os-release", "PRETTY_NAME", '=')},
          {"kernel", std::string(names.sysname) + " " + names.release + " " + names.machine}};
}

Json options_json(const RunOptions& options, const Configuration& configuration, const std::vector<fs::path>& given) {
  Json paths = Json::array();
  for (const fs::path& file : given) paths.push_back(file.string());
  Json json{{"only", options.selection.only},
            {"given", std::move(paths)},
            {"include", configuration.include},
            {"exclude", configuration.exclude},
            {"probes", Json(configuration.probes)},
            {"method", options.selection.method},
            {"jobs", options.jobs},
            {"resume", options.resume}};
  if (const auto limit = configuration.max_probe_seconds) json["max_probe_seconds"] = *limit;
  return json;
}

Json used_plugins(const Catalogue& catalogue, const ChosenDevice& device, const Plan& plan) {
  std::set<const PluginDescription*> used{device.plugin};
  for (const PlannedProbe& probe : plan.probes) used.insert(probe.plugin);
  Json plugins = Json::array();
  for (const PluginDescription& plugin : catalogue.plugins) {
    if (!used.contains(&plugin)) continue;
    plugins.push_back(
        {{"id", plugin.id}, {"version", plugin.version}, {"sha256", plugin.sha256}, {"path", plugin.path.string()}});
  }
  return plugins;
}

Json files_with_hashes(const std::vector<fs::path>& files) {
  Json json = Json::array();
  for (const fs::path& file : files) {
    json.push_back({{"path", fs::absolute(file).string()}, {"sha256", sha256_of_file(file)}});
  }
  return json;
}

RecordingHeader recording_header(const ChosenDevice& device, const std::map<std::string, FactRecord>& facts) {
  RecordingHeader header{tool_version, device.name(), device.name(), {}};
  for (const auto& [key, record] : facts) {
    Json fields = to_json(record);
    fields["key"] = key;
    header.facts.push_back(from_json(fields.dump()));
    if (key == "device.name" && record.value.is_string()) header.device_name = record.value;
  }
  return header;
}

std::vector<std::string> all_probes(const Plan& plan) {
  std::vector<std::string> probes;
  for (const PlannedProbe& planned : plan.probes) probes.push_back(planned.probe->id);
  for (const LeftOut& left : plan.left_out) probes.push_back(left.probe->id);
  return probes;
}

void require_same_device(const Json& earlier, const Json& device, const fs::path& topology) {
  const Json before = earlier.value("device", Json::object());
  if (before.contains("sha256") && device.contains("sha256") && before.at("sha256") != device.at("sha256")) {
    throw InputError(Problem{.file = topology.string(),
                             .message = "was measured on " + device.at("name").get<std::string>() +
                                        ", which has changed since, so it cannot be resumed"});
  }
  std::vector<std::string> were;
  std::vector<std::string> are;
  const Json parameters = before.value("parameters", Json::object());
  for (const auto& [name, value] : parameters.items()) {
    const Json now = device.at("parameters").value(name, value);
    if (now == value) continue;
    were.push_back(name + "=" + value.dump());
    are.push_back(name + "=" + now.dump());
  }
  if (were.empty()) return;
  throw InputError(fmt::format("{} was measured with {}, it cannot be resumed with {}", topology.string(),
                               fmt::join(were, ", "), fmt::join(are, ", ")));
}

std::set<std::string> settled_questions(const Topology& topology) {
  std::set<std::string> settled;
  for (const auto& [key, outcome] : topology.outcomes) {
    if (is_settled(outcome)) settled.insert(key);
  }
  return settled;
}

Json kept_findings(const Json& earlier, const Plan& plan) {
  std::set<std::string> again;
  for (const PlannedProbe& planned : plan.probes) again.insert(planned.probe->id);
  Json findings = Json::array();
  for (Json finding : earlier.value("findings", Json::array())) {
    Json kept = Json::array();
    for (const Json& probe : finding.at("probes")) {
      if (!again.contains(probe.get<std::string>())) kept.push_back(probe);
    }
    if (kept.empty()) continue;
    finding["probes"] = std::move(kept);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace tomograph::host
