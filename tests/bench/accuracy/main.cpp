// How often the data-cache probes are right, on caches of random geometry. See README.md.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "measurement.hpp"
#include "score.hpp"

namespace {

using namespace tomograph::bench;

struct Options {
  std::uint64_t caches = 200;
  std::uint64_t seed = 0;
  unsigned jobs = 2;
  bool verbose = false;
  bool smoke = false;
};

const tomograph_plugin& data_cache_plugin() {
  void* library = dlopen(TOMOGRAPH_DATA_CACHE, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return *static_cast<const tomograph_plugin*>(dlsym(library, TOMOGRAPH_ENTRY_SYMBOL));
}

/// Measures all cases, several at a time. The order of the score is that of the numbers, whoever ends first.
Score measure_all(const Options& options) {
  const tomograph_plugin& plugin = data_cache_plugin();
  std::vector<Measurement> measured(options.caches);
  std::atomic<std::uint64_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::uint64_t i = next++; i < options.caches; i = next++) {
        measured[i] = measure(plugin, random_case(options.seed + i));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
      next = options.caches;
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned job = 0; job < options.jobs; ++job) workers.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
  Score score;
  for (std::uint64_t i = 0; i < options.caches; ++i) score.add(random_case(options.seed + i), measured[i]);
  return score;
}

bool report(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const Score score = measure_all(options);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (options.verbose || options.smoke) score.print_flaws();
  score.print_table();
  std::printf("%.1f s with %u jobs\n", took.count(), options.jobs);
  const Tally total = score.total();
  return options.smoke ? total.claimed > 0 && total.right == total.claimed : score.meets_demands();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures simulated caches of random geometry and compares what is published with the truth");
  app.add_option("--caches", options.caches, "How many caches")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  app.add_option("--seed", options.seed, "Number of the first cache")->capture_default_str();
  app.add_option("--jobs", options.jobs, "Caches at the same time")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_flag("--verbose", options.verbose, "List each fact that is wrong or missing");
  app.add_flag("--smoke", options.smoke, "Fail only if a fact published as certain is wrong");
  CLI11_PARSE(app, argc, argv);
  try {
    return report(options) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "accuracy: %s\n", error.what());
    return 2;
  }
}
