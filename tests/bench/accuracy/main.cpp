// Measures how often the probes are right on random simulated GPUs. See README.md.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "family.hpp"
#include "measure_all.hpp"
#include "score.hpp"
#include "sim/gpu/noise_scale.hpp"

namespace {

using namespace tomograph::bench;

struct Options {
  std::vector<std::string> families;
  std::uint64_t cases = 0;
  std::uint64_t seed = 0;
  unsigned jobs = 2;
  double noise = 1;
  bool verbose = false;
  bool smoke = false;
  std::string claims;
};

std::uint64_t cases_of(const Family& family, const Options& options) {
  constexpr std::uint64_t usual = 200;
  if (options.cases > 0) return options.cases;
  return options.smoke ? family.smoke_cases : usual;
}

Score score_of(const Family& family, const Options& options) {
  Score score(family.name);
  const auto louder = [&](tomograph::sim::Gpu& gpu) { gpu = tomograph::sim::with_noise(gpu, options.noise); };
  for (const auto& [drawn, measured] :
       measure_all(family, options.seed, cases_of(family, options), options.jobs, louder)) {
    score.add(drawn, measured);
  }
  return score;
}

bool report(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Score> scores;
  std::ofstream claims(options.claims);
  for (const Family& family : families_named(options.families)) {
    scores.push_back(score_of(family, options));
    if (options.verbose || options.smoke) scores.back().print_flaws();
    scores.back().print_table();
    calibration::write(claims, scores.back().claims());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_summary(scores);
  std::printf("%.1f s with %u jobs\n", took.count(), options.jobs);
  return std::ranges::all_of(scores, [&](const Score& score) {
    const Tally seen = score.total();
    return options.smoke ? seen.published > 0 && seen.right == seen.claimed : meets_demands(seen);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures random simulated GPUs and compares what is published with the truth");
  app.add_option("--family", options.families, "Only this family")->check(CLI::IsMember(family_names()));
  app.add_option("--cases", options.cases, "How many of each family: 200, or a few with --smoke")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", options.seed, "Number of the first case")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Cases at the same time")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--noise", options.noise, "Times the noise of an H200")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--verbose", options.verbose, "List each fact that is wrong or missing");
  app.add_flag("--smoke", options.smoke, "Few cases; fail only if a fact published as certain is wrong");
  app.add_option("--claims", options.claims, "Write each published fact, and whether it is right, to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    return report(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "accuracy: %s\n", error.what());
    return 2;
  }
}
