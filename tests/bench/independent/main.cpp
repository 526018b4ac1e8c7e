// Measures GPUs of the independent simulator and compares the published facts with the truth. See README.md.
#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <mutex>
#include <span>
#include <sstream>
#include <thread>

#include "describe.hpp"
#include "draw.hpp"
#include "measure.hpp"
#include "score.hpp"
#include "temporary_folder.hpp"
#include "truth.hpp"

namespace {

using namespace independent;

struct Options {
  std::vector<std::string> families;
  std::uint64_t gpus = 1000;
  std::uint64_t seed = 0;
  unsigned jobs = 2;
  bool verbose = false;
  bool smoke = false;
  std::string table;
  std::string claims;
  Measuring measuring = {.tomograph = TOMOGRAPH_BINARY, .plugin_dir = TOMOGRAPH_INDEPENDENT_DIR, .folder = {}};
};

/// What `--smoke` does without. It takes ten seconds a GPU.
constexpr const char* slow =
    "exclude = [\"data-cache/l2.size\", \"data-cache/l2.organisation\", \"l2-slices/slices\"]\n";

/// What `--smoke` asks of one GPU after the other: what takes a second or two.
const std::array<std::vector<std::string>, 4> groups{
    {{"l1_data.*", "read_only.*", "texture.*"},
     {"constant_*"},
     {"l2.latency*", "l2.hit_threshold*", "l2.line_size", "l2.fetch_granularity", "l2.partition.of_sm"},
     {"tlb.*", "page_window.*", "memory_spectrum.*", "dram.latency*"}}};

/// How the GPU with this number is measured.
Measuring measuring_of(const Options& options, std::uint64_t number) {
  Measuring measuring = options.measuring;
  if (options.smoke) measuring.only = groups[number % groups.size()];
  return measuring;
}

void print(std::span<const std::string> lines) {
  for (const std::string& line : lines) std::cout << line << "\n";
}

/// Measures the GPUs of one family, several at a time.
Score score_of(const std::string& family, const Options& options, std::ostream& claims) {
  Score score(family);
  std::mutex adding;
  std::atomic<std::uint64_t> next = 0;
  const auto work = [&] {
    for (std::uint64_t i = next++; i < options.gpus; i = next++) {
      const std::uint64_t seed = options.seed + i;
      try {
        const Measuring measuring = measuring_of(options, i);
        const Json topology = measure(measuring, family, seed);
        const std::lock_guard lock(adding);
        const Gpu gpu = draw(family, seed);
        if (options.verbose) std::cout << describe(gpu);
        const std::size_t known = score.flaws().size();
        const std::size_t claimed = score.claims().size();
        score.add(seed, truth_of(gpu), topology, measuring.only);
        if (options.verbose) print(std::span(score.flaws()).subspan(known));
        calibration::write(claims, std::span(score.claims()).subspan(claimed));
      } catch (const std::exception& error) {
        const std::lock_guard lock(adding);
        score.add_failure(seed, error.what());
      }
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned job = 0; job < options.jobs; ++job) workers.emplace_back(work);
  workers.clear();
  return score;
}

bool report(const Options& options) {
  std::ostringstream tables;
  bool good = true;
  std::ofstream claims(options.claims);
  for (const std::string& family : options.families) {
    const Score score = score_of(family, options, claims);
    print(score.failures());
    score.print(tables);
    good = good && (options.smoke ? score.passes() : score.meets_limits());
  }
  std::cout << tables.str();
  if (!options.table.empty()) std::ofstream(options.table) << tables.str();
  return good;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--family", options.families, "Only this family")->check(CLI::IsMember(families));
  app.add_option("--gpus", options.gpus, "How many of each family")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the first GPU")->capture_default_str();
  app.add_option("--jobs", options.jobs, "GPUs at the same time")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--only", options.measuring.only, "Pattern of probes or facts to measure, e.g. 'tlb.*' (repeatable)");
  app.add_flag("--verbose", options.verbose, "List each fact that is wrong or missing");
  app.add_flag("--smoke", options.smoke,
               "8 GPUs of each family, each asked for one group of facts: too few for calibration");
  app.add_option("--table", options.table, "Also write the tables to this file");
  app.add_option("--claims", options.claims, "Write each published fact, and whether it is right, to this file");
  app.add_option("--tomograph", options.measuring.tomograph, "The program that measures")->capture_default_str();
  app.add_option("--plugin-dir", options.measuring.plugin_dir, "Where the device is")->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::uint64_t smoke_gpus = 8;
  Options options;
  CLI::App app("Measures GPUs of a second simulator and compares what is published with the truth");
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.families.empty()) options.families.assign(families.begin(), families.end());
  if (options.smoke) options.gpus = smoke_gpus;
  try {
    const TemporaryFolder folder;
    options.measuring.folder = folder.path();
    if (options.smoke) options.measuring.config = folder.write("smoke.toml", slow);
    return report(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "independent: %s\n", error.what());
    return 2;
  }
}
