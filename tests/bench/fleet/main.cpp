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
constexpr double odd_share = 0.005;
constexpr double large_odd_share = 0.05;  ///< for the recall, of which 0.5 % would show too little

struct Options {
  std::vector<fs::path> topologies;
  fs::path program;
  fs::path page;
  std::size_t gpus = 10000;
  int sound_fleets = 40;
  int odd_fleets = 10;

  /// Of each of these fleets. In twenty boards, one change of 3 % in fifteen passes for chance.
  [[nodiscard]] std::size_t gpus_of_fleet() const { return std::max<std::size_t>(gpus / 10, 100); }
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

struct Judged {
  int fleets_with_alarm = 0;
  Findings findings;
};

/// Judges fleets of a tenth of the size, which are made in memory.
Judged judged(const std::vector<Kind>& kinds, const Options& options, int fleets, double share) {
  Judged all;
  for (int i = 0; i < fleets; ++i) {
    MadeUpFleet fleet(kinds, 1000U + static_cast<unsigned>(i));
    host::Texts texts;
    std::vector<host::GpuFacts> gpus;
    std::map<std::string, Oddity> planted;
    for (std::size_t j = 0; j < options.gpus_of_fleet(); ++j) {
      const MadeUpGpu gpu = fleet.next(share);
      gpus.push_back(gpu_facts(gpu.topology, texts));
      for (const Oddity& oddity : gpu.planted) planted[gpu.uuid] = oddity;
    }
    Merge merge;
    for (const host::OddGpu& odd : judge(gpus, texts, false_alarm_rate).odd) {
      merge.odd.push_back(odd.gpu + " is odd: " + odd.reason);
    }
    const Findings findings = compared(planted, merge);
    all.fleets_with_alarm += findings.false_alarms.empty() ? 0 : 1;
    all.findings.planted += findings.planted;
    all.findings.missed.insert(all.findings.missed.end(), findings.missed.begin(), findings.missed.end());
  }
  return all;
}

double recall_of(const Findings& findings) {
  if (findings.planted == 0) return 1;
  return 1 - static_cast<double>(findings.missed.size()) / static_cast<double>(findings.planted);
}

int made_and_merged(const Options& options) {
  const std::vector<Kind> kinds = kinds_of(options.topologies);
  const TemporaryFolder folder;
  MadeUpFleet fleet(kinds, 1);
  std::vector<fs::path> files;
  std::map<std::string, Oddity> planted;
  std::uintmax_t bytes = 0;
  for (std::size_t i = 0; i < options.gpus; ++i) {
    const MadeUpGpu gpu = fleet.next(odd_share);
    for (const Oddity& oddity : gpu.planted) planted[gpu.uuid] = oddity;
    files.push_back(folder.path() / (gpu.uuid + ".toml"));
    std::ofstream(files.back(), std::ios::binary) << to_toml(gpu.topology);
    bytes += fs::file_size(files.back());
  }
  const fs::path garbage = folder.path() / "garbage.toml";
  std::ofstream(garbage) << "\x7f"
                            "ELF\n";
  std::string text = fmt::format(
      "# What `tomograph fleet` finds and costs\n\nWritten by `fleet-bench` ([README](README.md)) from {} measured "
      "topologies of {} kinds.\n\n| GPUs | seconds | processor seconds | MiB of memory |\n| --- | --- | --- | --- |\n",
      options.topologies.size(), kinds.size());
  Merge merge;
  for (const std::size_t count : {options.gpus / 10, options.gpus * 3 / 10, options.gpus}) {
    std::vector<fs::path> some(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(count));
    some.insert(some.begin() + static_cast<std::ptrdiff_t>(count / 2), garbage);
    merge = timed_merge(options.program, some, folder.path() / "fleet.toml");
    text +=
        fmt::format("| {} | {:.1f} | {:.1f} | {:.0f} |\n", count, merge.seconds, merge.of_processor, merge.mebibytes);
  }
  const Findings findings = compared(planted, merge);
  const bool names_garbage =
      merge.left_out.size() == 1 && merge.left_out[0].find(garbage.filename().string()) != std::string::npos;
  const Judged odd = judged(kinds, options, options.odd_fleets, large_odd_share);
  const Judged sound = judged(kinds, options, options.sound_fleets, 0);
  text += fmt::format(
      "\nA topology has {:.0f} KiB. Oddities are planted in {} of {} continuous facts, which are measured precisely "
      "enough.\n\n- In this fleet {} GPUs are odd, of which {:.1f} % were found; {} sound ones were named.\n"
      "- One file more is garbage; {}.\n"
      "- In {} fleets of {} GPUs, of which {:.0f} % are odd, {} were planted and {:.1f} % found.\n"
      "- Of {} sound fleets of {} GPUs, {} raised an alarm; {:.0f} % are allowed.\n",
      static_cast<double>(bytes) / 1024 / static_cast<double>(options.gpus), fleet.eligible(), fleet.continuous(),
      findings.planted, 100 * recall_of(findings), findings.false_alarms.size(),
      names_garbage ? "it was named, and nothing else left out" : "it was not named alone", options.odd_fleets,
      options.gpus_of_fleet(), 100 * large_odd_share, odd.findings.planted, 100 * recall_of(odd.findings),
      options.sound_fleets, options.gpus_of_fleet(), sound.fleets_with_alarm, 100 * false_alarm_rate);
  if (!names_garbage) {
    for (const std::string& complaint : merge.left_out) text += "- Left out: " + complaint + "\n";
  }
  for (const std::string& missed : findings.missed) text += "- Missed: " + missed + "\n";
  for (const std::string& missed : odd.findings.missed) text += "- Missed in a small fleet: " + missed + "\n";
  for (const std::string& alarm : findings.false_alarms) text += "- Without cause: " + alarm + "\n";
  fmt::print("{}", text);
  if (!options.page.empty()) std::ofstream(options.page) << text;
  const bool finds_all = recall_of(findings) >= 0.99 && recall_of(odd.findings) >= 0.99;
  return finds_all && findings.false_alarms.empty() && names_garbage ? 0 : 1;
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
  app.add_option("--odd-fleets", options.odd_fleets, "Fleets for the share that is found")->capture_default_str();
  app.add_option("--sound-fleets", options.sound_fleets, "Fleets for the rate of false alarms")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    return made_and_merged(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fleet-bench: {}\n", error.what());
    return 2;
  }
}
