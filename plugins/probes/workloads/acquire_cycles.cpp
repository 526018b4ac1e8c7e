#include <string>
#include <utility>

#include "bodies/workload.hpp"
#include "experiments.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::workloads {

namespace {

constexpr const char* cycles_key = "workloads.cycles";
constexpr const char* character_key = "workloads.character";
/// Of which the extremes enclose the median with probability 0.999.
constexpr std::int64_t repetitions = 11;
/// Warps whose traces describe a workload.
constexpr std::uint32_t traced_warps = 64;

std::vector<double> cycles_of(const RunAnswer& answer) {
  std::vector<double> cycles;
  for (std::size_t i = 0; i < answer.elapsed_ns.size(); ++i) {
    cycles.push_back(answer.elapsed_ns[i] * 1e-9 * answer.clock_hz[i]);
  }
  return cycles;
}

void publish_character(const Session& session) {
  Value rows = Value::list();
  for (const auto& workload : all_workloads()) {
    const Character own = character_of(*workload->trace(), traced_warps);
    rows.push_back(Value::list(workload->name(), own.lines_per_load, own.sectors_per_load, own.reuse, own.active_lanes,
                               own.instructions));
  }
  session.publish({.key = character_key,
                   .value = std::move(rows),
                   .method = "trace",
                   .confidence = confidence::from_error(0),
                   .samples = all_workloads().size() * traced_warps,
                   .conditions = {{"rows",
                                   "name, lines per load, sectors per load, accesses per distinct sector, active "
                                   "lanes, instructions of a warp"}},
                   .source = TOMOGRAPH_DERIVED});
}

}  // namespace

void find_cycles(const Session& session) {
  const auto& all = all_workloads();
  std::vector<RunRequest> requests;
  for (std::int64_t i = 0; i < std::ssize(all); ++i) requests.push_back({.workload = i, .repetitions = repetitions});
  const auto answers = session.ask(requests);
  Value pairs = Value::list();
  Value intervals = Value::list();
  Value ctas = Value::list();
  std::vector<NamedArray> evidence;
  double doubt = 0;
  std::string failures;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name(all[i]->name());
    if (answers[i].wrong > 0) failures += " " + name + " (" + std::to_string(answers[i].wrong) + ")";
    auto cycles = cycles_of(answers[i]);
    const auto interval = analysis::median_interval(cycles, confidence::throughput::interval);
    pairs.push_back(Value::list(name, analysis::median(cycles)));
    intervals.push_back(Value::list(interval.low, interval.high));
    ctas.push_back(answers[i].ctas_per_sm);
    doubt += 1 - interval.coverage;
    evidence.push_back({name, std::move(cycles)});
  }
  session.evidence(cycles_key, evidence);
  publish_character(session);
  if (!failures.empty()) return session.inconclusive(cycles_key, "wrong elements in the results:" + failures);
  session.publish({.key = cycles_key,
                   .value = std::move(pairs),
                   .method = "wang2019",
                   .confidence = confidence::not_negative(1 - doubt),
                   .samples = all.size() * static_cast<std::size_t>(repetitions),
                   .conditions = {{"pairs", "name, cycles from the first start of a CTA to the last end"},
                                  {"intervals", std::move(intervals)},
                                  {"ctas_per_sm", std::move(ctas)}},
                   .evidence = cycles_key});
}

}  // namespace tomograph::workloads
