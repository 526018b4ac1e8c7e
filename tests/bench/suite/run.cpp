#include "run.hpp"

#include <sys/wait.h>
#include <toml++/toml.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "temporary_folder.hpp"

namespace tomograph::bench {

namespace {

Json as_json(const std::string& toml_file) {
  std::ostringstream text;
  text << toml::json_formatter(toml::parse_file(toml_file));
  return Json::parse(text.str());
}

/// A table with a value and a source is the record of a fact; others hold the facts whose keys begin so.
void collect_facts(const Json& table, const std::string& prefix, std::map<std::string, Json>& facts) {
  for (const auto& [name, node] : table.items()) {
    if (!node.is_object()) continue;
    if (node.contains("value") && node.contains("source")) {
      facts[prefix + name] = node;
    } else {
      collect_facts(node, prefix + name + ".", facts);
    }
  }
}

/// What was skipped because it does not exist is no gap.
void collect_unknown(const Json& outcomes, std::map<std::string, std::string>& unknown) {
  for (const auto& [key, outcome] : outcomes.items()) {
    const std::string status = outcome.at("status");
    if (status == "measured" || status == "skipped") continue;
    unknown[key] = status + (outcome.contains("reason") ? ": " + outcome.at("reason").get<std::string>() : "");
  }
}

}  // namespace

Run run_all_probes(const std::string& gpu) {
  const TemporaryFolder folder;
  const std::string topology = (folder / "topology.toml").string();
  const std::string command = "'" TOMOGRAPH_PROGRAM "' run --device 'sim:" + gpu + "' --output '" + topology +
                              "' --evidence '" + topology + ".json' > '" + topology + ".log' 2>&1";
  Run run;
  const auto start = std::chrono::steady_clock::now();
  const int status = std::system(command.c_str());
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  if (!std::filesystem::exists(topology)) {
    throw std::runtime_error("sim:" + gpu + " left no topology: " + content_of(topology + ".log"));
  }
  Json read = as_json(topology);
  collect_unknown(read.at("outcomes"), run.unknown);
  for (const char* other : {"outcomes", "probes", "provenance"}) read.erase(other);
  collect_facts(read, "", run.facts);
  return run;
}

}  // namespace tomograph::bench
