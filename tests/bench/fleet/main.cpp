// Makes a fleet of simulated GPUs, some of them odd in known ways, and lets `tomograph fleet` find these. See
// README.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>

#include "fleet/judgement.hpp"
#include "made_up_fleet.hpp"
#include "temporary_folder.hpp"
#include "timed_merge.hpp"
#include "topology/topology_file.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::bench;
namespace fs = std::filesystem;

constexpr double false_alarm_rate = 0.05;

struct Options {
  std::vector<fs::path> topologies;
  fs::path program;
  fs::path page;
  std::size_t gpus = 10000;
  int sound_fleets = 40;
};

/// Measured topologies, those of one device.name together.
std::vector<Kind> kinds_of(const std::vector<fs::path>& files) {
  std::map<std::string, Kind> kinds;
  for (const fs::path& file : files) {
    host::Topology topology = host::read_topology(file);
    kinds[topology.facts.at("device.name").value.get<std::string>()].push_back(std::move(topology));
  }
  std::vector<Kind> all;
  for (auto& [name, kind] : kinds) all.push_back(std::move(kind));
  return all;
}

struct Findings {
  std::size_t planted = 0;
  std::vector<std::string> missed;  ///< "GPU-00000001: l2.latency +3.1 %"
  std::vector<std::string> false_alarms;
};

Findings compared(const std::map<std::string, Oddity>& planted, const Merge& merge) {
  Findings findings;
  findings.planted = planted.size();
  std::map<std::string, std::string> named;
  for (const std::string& line : merge.odd) named[line.substr(0, line.find(" is odd: "))] = line;
  for (const auto& [gpu, oddity] : planted) {
    if (!named.contains(gpu)) {
      findings.missed.push_back(fmt::format("{}: {} {:+.1f} %", gpu, oddity.key, 100 * oddity.change));
    }
  }
  for (const auto& [gpu, line] : named) {
    if (!planted.contains(gpu)) findings.false_alarms.push_back(line);
  }
  return findings;
}

/// How many fleets without anything odd raise an alarm.
int alarmed(const std::vector<Kind>& kinds, const Options& options) {
  int alarms = 0;
  for (int i = 0; i < options.sound_fleets; ++i) {
    MadeUpFleet fleet(kinds, 1000U + static_cast<unsigned>(i));
    host::Texts texts;
    std::vector<host::GpuFacts> gpus;
    for (std::size_t j = 0; j < options.gpus / 10; ++j) gpus.push_back(gpu_facts(fleet.next(false).topology, texts));
    alarms += judge(gpus, texts, false_alarm_rate).odd.empty() ? 0 : 1;
  }
  return alarms;
}

int made_and_merged(const Options& options) {
  const std::vector<Kind> kinds = kinds_of(options.topologies);
  const TemporaryFolder folder;
  MadeUpFleet fleet(kinds, 1);
  std::vector<fs::path> files;
  std::map<std::string, Oddity> planted;
  std::uintmax_t bytes = 0;
  for (std::size_t i = 0; i < options.gpus; ++i) {
    const MadeUpGpu gpu = fleet.next(true);
    for (const Oddity& oddity : gpu.planted) planted[gpu.uuid] = oddity;
    files.push_back(folder.path() / (gpu.uuid + ".toml"));
    std::ofstream(files.back(), std::ios::binary) << to_toml(gpu.topology);
    bytes += fs::file_size(files.back());
  }
  std::string text = fmt::format(
      "# What `tomograph fleet` finds and costs\n\nWritten by `fleet-bench` ([README](README.md)) from {} measured "
      "topologies of {} kinds.\n\n| GPUs | seconds | processor seconds | MiB of memory |\n| --- | --- | --- | --- |\n",
      options.topologies.size(), kinds.size());
  Merge merge;
  for (const std::size_t count : {options.gpus / 10, options.gpus * 3 / 10, options.gpus}) {
    merge = timed_merge(options.program, {files.begin(), files.begin() + static_cast<std::ptrdiff_t>(count)},
                        folder.path() / "fleet.toml");
    text +=
        fmt::format("| {} | {:.1f} | {:.1f} | {:.0f} |\n", count, merge.seconds, merge.of_processor, merge.mebibytes);
  }
  const Findings findings = compared(planted, merge);
  const double recall =
      1 - static_cast<double>(findings.missed.size()) / static_cast<double>(std::max<std::size_t>(planted.size(), 1));
  const int alarms = alarmed(kinds, options);
  text += fmt::format(
      "\nA topology has {:.0f} KiB. Oddities are planted in {} of {} continuous facts, which are measured precisely "
      "enough.\n\n- Planted: {}; found: {:.1f} %.\n- Named without cause in this fleet: {}.\n- Of {} sound fleets of "
      "{} "
      "GPUs, {} raised an alarm; {:.0f} % are allowed.\n",
      static_cast<double>(bytes) / 1024 / static_cast<double>(options.gpus), fleet.eligible(), fleet.continuous(),
      planted.size(), 100 * recall, findings.false_alarms.size(), options.sound_fleets, options.gpus / 10, alarms,
      100 * false_alarm_rate);
  for (const std::string& missed : findings.missed) text += "- Missed: " + missed + "\n";
  for (const std::string& alarm : findings.false_alarms) text += "- Without cause: " + alarm + "\n";
  fmt::print("{}", text);
  if (!options.page.empty()) std::ofstream(options.page) << text;
  return recall >= 0.99 && findings.false_alarms.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Finds planted oddities in a made-up fleet");
  Options options;
  app.add_option("TOPOLOGY", options.topologies, "Measured topologies; those of one kind differ by measuring")
      ->required();
  app.add_option("--program", options.program, "The program tomograph")->required();
  app.add_option("--page", options.page, "File for the results");
  app.add_option("--gpus", options.gpus, "GPUs of the fleet")->capture_default_str();
  app.add_option("--sound-fleets", options.sound_fleets, "Fleets for the rate of false alarms")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return made_and_merged(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fleet-bench: {}\n", error.what());
    return 2;
  }
}
