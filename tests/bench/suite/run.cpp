#include "run.hpp"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "temporary_folder.hpp"

namespace tomograph::bench {

namespace {

Json as_json(const std::string& toml_file) {
  std::ostringstream text;
  text << toml::json_formatter(toml::parse_file(toml_file));
  return Json::parse(text.str());
}

/// A table with a value and a source is the record of a fact. Other tables hold facts whose keys start with their name.
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

/// Skipped facts do not count: they do not exist on the GPU.
void collect_unknown(const Json& outcomes, std::map<std::string, std::string>& unknown) {
  for (const auto& [key, outcome] : outcomes.items()) {
    const std::string status = outcome.at("status");
    if (status == "measured" || status == "skipped") continue;
    unknown[key] = status + (outcome.contains("reason") ? ": " + outcome.at("reason").get<std::string>() : "");
  }
}

}  // namespace

namespace {

/// Runs a shell command and stores its exit code and its processor time, children included.
void run_line(std::string line, Run& run) {
  std::string shell = "/bin/sh";
  std::string option = "-c";
  const std::array<char*, 4> arguments{shell.data(), option.data(), line.data(), nullptr};
  pid_t child = 0;
  if (const int error = posix_spawn(&child, shell.c_str(), nullptr, nullptr, arguments.data(), environ); error != 0) {
    throw std::system_error(error, std::generic_category(), shell);
  }
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "wait4");
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  run.processor = seconds(used.ru_utime) + seconds(used.ru_stime);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
}

}  // namespace

Run run_all_probes(const std::string& gpu) {
  const TemporaryFolder folder;
  const std::string topology = (folder / "topology.toml").string();
  const std::string command = "'" TOMOGRAPH_PROGRAM "' run --device 'sim:" + gpu + "' --output '" + topology +
                              "' --evidence '" + topology + ".json' > '" + topology + ".log' 2>&1";
  Run run;
  const auto start = std::chrono::steady_clock::now();
  run_line(command, run);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
