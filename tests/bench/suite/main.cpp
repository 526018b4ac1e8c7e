// Measures every shipped simulated GPU with all probes, by running the program. See README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "parallel.hpp"
#include "run.hpp"
#include "sim/gpu/reader.hpp"
#include "truth.hpp"

namespace {

using namespace tomograph::bench;
using tomograph::bench::Json;
namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> gpus;
  unsigned jobs = 2;
  bool exact = false;
};

struct Verdict {
  std::string gpu = {};
  Run run = {};
  std::size_t described = 0;                ///< observable discrete facts that follow from the description
  std::size_t right = 0;                    ///< those that were measured right
  std::vector<std::string> wrong = {};      ///< those published with another value
  std::vector<std::string> claimed = {};    ///< wrong ones published at 0.99 or more
  std::vector<std::string> not_found = {};  ///< not published
};

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(TOMOGRAPH_GPUS)) names.push_back(file.path().stem().string());
  std::ranges::sort(names);
  return names;
}

void judge(Verdict& verdict, const Expected& expected) {
  constexpr double certain = 0.99;
  verdict.described += expected.observable ? 1 : 0;
  const auto found = verdict.run.facts.find(expected.key);
  if (found == verdict.run.facts.end()) {
    if (expected.observable) verdict.not_found.push_back(expected.key);
    return;
  }
  const Json& record = found->second;
  if (expected.is_right(record.at("value"))) {
    verdict.right += expected.observable ? 1 : 0;
    return;
  }
  verdict.wrong.push_back(expected.key + " is " + record.at("value").dump() + ", not " + expected.value.dump() +
                          ", confidence " + record.at("confidence").dump());
  if (record.at("confidence").get<double>() >= certain) verdict.claimed.push_back(expected.key);
}

Verdict measure(const std::string& gpu) {
  Verdict verdict{.gpu = gpu, .run = run_all_probes(gpu)};
  const bool is_file = gpu.find('/') != std::string::npos;
  const auto described = tomograph::sim::read_gpu(is_file ? fs::path(gpu) : fs::path(TOMOGRAPH_GPUS) / (gpu + ".toml"));
  for (const Expected& expected : discrete_truth(described)) judge(verdict, expected);
  return verdict;
}

void print(const std::vector<Verdict>& verdicts) {
  std::printf(
      "| GPU | seconds | of processor time | exit code | facts | inconclusive | discrete ones right |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const Verdict& one : verdicts) {
    std::printf("| %s | %.1f | %.1f | %d | %zu | %zu | %zu of %zu |\n", one.gpu.c_str(), one.run.seconds,
                one.run.processor, one.run.exit_code, one.run.facts.size(), one.run.unknown.size(), one.right,
                one.described);
  }
  for (const Verdict& one : verdicts) {
    std::printf("\n%s\n", one.gpu.c_str());
    for (const std::string& wrong : one.wrong) std::printf("- WRONG: %s\n", wrong.c_str());
    for (const auto& [key, reason] : one.run.unknown) std::printf("- %s: %s\n", key.c_str(), reason.c_str());
    for (const std::string& key : one.not_found) {
      if (!one.run.unknown.contains(key)) std::printf("- %s: not there, and nothing is said about it\n", key.c_str());
    }
  }
}

/// Whether the run ended with the right exit code and claimed nothing wrong; if `exact`, also whether nothing is
/// missing.
bool is_good(const Verdict& verdict, bool exact) {
  const bool ended = verdict.run.exit_code == 0 || verdict.run.exit_code == 1;
  return ended && (exact ? verdict.wrong.empty() && verdict.not_found.empty() : verdict.claimed.empty());
}

bool report(const Options& options) {
  const std::vector<std::string> gpus = options.gpus.empty() ? shipped() : options.gpus;
  std::vector<Verdict> verdicts(gpus.size());
  const auto start = std::chrono::steady_clock::now();
  run_all(gpus.size(), options.jobs, [&](std::uint64_t i) { verdicts[i] = measure(gpus[i]); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print(verdicts);
  double processor = 0;
  for (const Verdict& one : verdicts) processor += one.run.processor;
  std::printf("\n%zu GPUs in %.0f s, %u at a time, with %.0f s of processor time\n", gpus.size(), took.count(),
              options.jobs, processor);
  return std::ranges::all_of(verdicts, [&](const Verdict& one) { return is_good(one, options.exact); });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures simulated GPUs with all probes, tells how long that takes, and compares with what is true");
  app.add_option("GPU", options.gpus, "Only these: names of shipped ones, or files, with a '/'");
  app.add_option("--jobs", options.jobs, "GPUs at the same time")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_flag("--exact", options.exact, "Fail unless every discrete fact is found");
  CLI11_PARSE(app, argc, argv);
  try {
    return report(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "suite: %s\n", error.what());
    return 2;
  }
}
