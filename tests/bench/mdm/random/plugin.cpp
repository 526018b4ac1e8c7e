// Times the kernels of a folder on a device.
#include "tomograph/plugin.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/kernel.hpp"
#include "tomograph/kernel/description.hpp"

using namespace tomograph;

namespace {

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Cycles of the SM that takes longest.
double cycles_of(const kernel::Result& result) { return *std::ranges::max_element(result.cycles); }

}  // namespace

struct Cycles {
  static constexpr const char* id = "kernels/cycles";
  static constexpr const char* question = "How many cycles do the kernels of a folder take?";
  static constexpr double expected_seconds = 10;
  static constexpr double time_budget = 600;
  static constexpr std::array parameters{
      parameter("folder", TOMOGRAPH_TEXT, "\"\"", 0, 0, "Holds kernel descriptions and nothing else")};
  static constexpr std::array provides{
      declare::list("kernels.cycles", "cycle", declare::per_device, "Pairs: name of a kernel, its cycles")};

  static void run(const Session& session) {
    constexpr std::int64_t trials = 3;  // the median ignores one that was disturbed
    Value pairs = Value::list();
    std::vector<NamedArray> evidence;
    double coverage = 1;
    for (const auto& file : files_in(session.parameter<std::string>("folder"))) {
      kernel::Description described = kernel::read_description(file);
      std::vector<kernel::Kernel> batch;
      for (described.kernel.trial = 0; described.kernel.trial < trials; ++described.kernel.trial)
        batch.push_back(described.kernel);
      std::vector<double> cycles;
      for (const auto& result : session.ask_each(std::span<const kernel::Kernel>(batch))) {
        if (result) cycles.push_back(cycles_of(*result));
      }
      // An SM may hold fewer CTAs than described.
      if (cycles.empty()) continue;
      pairs.push_back(Value::list(described.name, analysis::median(cycles)));
      evidence.push_back({described.name, cycles});
      coverage = std::min(coverage, analysis::median_interval(cycles, confidence::throughput::interval).coverage);
    }
    session.evidence("kernels.cycles", evidence);
    session.publish({.key = "kernels.cycles",
                     .value = std::move(pairs),
                     .method = "median",
                     .confidence = coverage,
                     .evidence = "kernels.cycles"});
  }
};

TOMOGRAPH_PLUGIN("kernels", "1.0.0", "Cycles of described kernels", Probes<Cycles>)
