#include <span>

#include "analysis_trials.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "trials.hpp"

namespace tomograph::runtime_calls {

namespace {

/// Starts of a trial, whose median is one repetition.
constexpr std::int64_t runs = 9;
/// Chains of a trial: the median of three leaves out one that was interrupted.
constexpr std::int64_t chain_runs = 3;
/// Kernels of two chains that are subtracted: from the second kernel on, one waits for the other. The host needs longer
/// for a call than the GPU for a kernel, so the first one waits for the last call. Both chains are short: once the
/// queue of a stream is full, calls wait for the GPU.
constexpr std::int64_t short_chain = 16;
constexpr std::int64_t long_chain = 80;
/// Of eight runs each of an H100 and an H200, median periods were up to 1.12 times as large as others.
constexpr double periods_from_run_to_run = 1.15;

struct Starts {
  std::vector<StartsAnswer> alone = {};
  std::vector<StartsAnswer> short_chains = {};
  std::vector<StartsAnswer> long_chains = {};
};

std::vector<StartsRequest> requests(bool graph) {
  std::vector<StartsRequest> asked;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (std::int64_t start = 0; start < starts_of_a_trial; ++start) {
      asked.push_back({.graph = graph, .runs = runs, .trial = trial * starts_of_a_trial + start});
    }
    for (const std::int64_t kernels : {short_chain, long_chain}) {
      asked.push_back({.graph = graph, .held = !graph, .kernels = kernels, .runs = chain_runs, .trial = trial});
    }
  }
  return asked;
}

Starts measure(const Session& session, bool graph) {
  const auto asked = requests(graph);
  const auto answers = session.ask_each(std::span<const StartsRequest>(asked));
  Starts starts;
  constexpr std::size_t of_a_trial = starts_of_a_trial + 2;
  for (std::size_t i = 0; i < answers.size(); i += of_a_trial) {
    for (std::size_t start = i; start < i + starts_of_a_trial; ++start) {
      if (answers[start]) starts.alone.push_back(*answers[start]);
    }
    const auto& few = answers[i + starts_of_a_trial];
    const auto& many = answers[i + starts_of_a_trial + 1];
    if (!few || !many) continue;
    starts.short_chains.push_back(*few);
    starts.long_chains.push_back(*many);
  }
  if (starts.alone.empty()) throw Skip("device", "the device starts no kernels");
  return starts;
}

void publish_period(const Session& session, const char* key, const Starts& starts) {
  if (starts.long_chains.empty()) return session.inconclusive(key, "calls wait for the kernels that they start");
  publish(session, {.key = key,
                    .column = "seconds",
                    .values = periods(starts.short_chains, starts.long_chains, long_chain - short_chain),
                    .from_run_to_run = periods_from_run_to_run,
                    .conditions = {{"kernels", Value::list(short_chain, long_chain)}}});
}

}  // namespace

void find_launch(const Session& session) {
  const Starts starts = measure(session, false);
  publish_undisturbed(session, {.key = "launch.latency", .column = "seconds", .values = latencies(starts.alone)});
  publish_undisturbed(session, {.key = "launch.call", .column = "seconds", .values = calls(starts.alone)});
  publish_undisturbed(session,
                      {.key = "launch.synchronise", .column = "seconds", .values = synchronisations(starts.alone)});
  publish_period(session, "launch.period", starts);
}

void find_graph_launch(const Session& session) {
  const Starts starts = measure(session, true);
  publish_undisturbed(session, {.key = "launch.graph_latency", .column = "seconds", .values = latencies(starts.alone)});
  publish_undisturbed(session, {.key = "launch.graph_call", .column = "seconds", .values = calls(starts.alone)});
  publish_period(session, "launch.graph_period", starts);
}

}  // namespace tomograph::runtime_calls
