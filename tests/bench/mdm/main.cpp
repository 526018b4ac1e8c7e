#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "gpu.hpp"
#include "page.hpp"

namespace {

using namespace tomograph::bench;

const std::filesystem::path page_file = std::filesystem::path(TOMOGRAPH_FOLDER) / "results.md";

std::string written_page() {
  std::ifstream stream(page_file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Whether the page holds what the models predict on Table 1 today. The other configurations take minutes.
int check() {
  const std::string table = workload_table(run(configurations().front(), workloads()));
  if (written_page().find(table) != std::string::npos) return 0;
  fmt::print(stderr, "{} does not hold this table; run mdm-bench to write it anew:\n{}", page_file.string(), table);
  return 1;
}

/// All configurations, or the one that is called `only`, spread over a few threads.
Results run_all(const std::string& only) {
  std::vector<Configuration> chosen = configurations();
  std::erase_if(chosen, [&](const Configuration& one) { return !only.empty() && one.name != only; });
  const std::vector<Workload> all = workloads();
  Results results(chosen.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < chosen.size(); i = next++) {
      results[i] = {chosen[i].name, run(chosen[i], all)};
      fmt::print(stderr, "{}", summary(results[i]));
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < 4; ++i) others.emplace_back(work);
    work();
  }
  return results;
}

int write(const std::string& only) {
  if (only == "algorithms") {
    const std::vector<Case> cases = run_algorithms(configurations().front());
    fmt::print("{}{}", workload_table(cases), details(cases));
    return 0;
  }
  const Results results = run_all(only);
  if (results.empty()) {
    fmt::print(stderr, "there is no configuration '{}'\n", only);
    return 2;
  }
  fmt::print(stderr, "{}", speed_text(results));
  if (!only.empty()) {
    fmt::print("{}{}", workload_table(results.front().second), details(results.front().second));
  } else {
    std::ofstream(page_file, std::ios::binary) << page(results, run_algorithms(configurations().front()));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs all models and the reference simulator on all configurations, and writes results.md.");
  bool only_checks = false;
  std::string only;
  app.add_flag("--check", only_checks, "Only compare the page with today's predictions on Table 1");
  std::string topology;
  app.add_option("--topology", topology, "Compare predictions with the cycles that a GPU took (workloads.cycles)");
  app.add_option("--only", only, "Run one configuration, or 'algorithms', and print its tables");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!topology.empty()) {
      fmt::print("{}", gpu_page(topology));
      return 0;
    }
    return only_checks ? check() : write(only);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
