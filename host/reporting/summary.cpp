#include "reporting/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "documents/visible_text.hpp"

namespace tomograph::host {
namespace {

std::size_t facts_of(const Topology& topology, const std::string& probe) {
  return static_cast<std::size_t>(
      std::ranges::count_if(topology.facts, [&](const auto& fact) { return fact.second.probe == probe; }));
}

}  // namespace

std::string run_summary(const Topology& topology, std::span<const std::string> probes) {
  std::size_t width = std::string_view("probe").size();
  for (const std::string& probe : probes) width = std::max(width, probe.size());
  std::string text = fmt::format("{:<{}}  {:<12}  {:>8}  {:>5}\n", "probe", width, "outcome", "seconds", "facts");
  double seconds = 0;
  for (const std::string& probe : probes) {
    const auto run = topology.probes.find(probe);
    if (run == topology.probes.end()) continue;
    const ProbeRun& result = run->second;
    text += fmt::format("{:<{}}  {:<12}  {:>8.3f}  {:>5}{}{}\n", probe, width, to_string(result.status), result.seconds,
                        facts_of(topology, probe), result.reason.empty() ? "" : "  ", visible(result.reason));
    seconds += result.seconds;
  }
  return text + fmt::format("{:<{}}  {:<12}  {:>8.3f}  {:>5}\n", "all", width, "", seconds, topology.facts.size());
}

std::string probe_counts(const Topology& topology, std::span<const std::string> probes) {
  std::map<OutcomeStatus, std::size_t> counts;
  for (const std::string& probe : probes) {
    if (const auto run = topology.probes.find(probe); run != topology.probes.end()) ++counts[run->second.status];
  }
  std::string text = fmt::format("{} probe{}", probes.size(), probes.size() == 1 ? "" : "s");
  const char* gap = ": ";
  for (const auto& [status, count] : counts) {
    text += fmt::format("{}{} {}", std::exchange(gap, ", "), count, to_string(status));
  }
  return text;
}

}  // namespace tomograph::host
