#include <array>

#include "analysis_trials.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "trials.hpp"

namespace tomograph::runtime_calls {

namespace {

/// Starts of a trial, whose median is one repetition.
constexpr std::int64_t runs = 9;
/// Kernels of two chains that are subtracted: from the second kernel on, one waits for the other. Both are short: once
/// the queue of a stream is full, calls wait for the GPU.
constexpr std::int64_t short_chain = 16;
constexpr std::int64_t long_chain = 80;

struct Starts {
  std::vector<StartsAnswer> alone = {};
  std::vector<StartsAnswer> short_chains = {};
  std::vector<StartsAnswer> long_chains = {};
};

Starts measure(const Session& session, bool graph) {
  constexpr std::array<std::int64_t, 3> chains{1, short_chain, long_chain};
  std::vector<StartsRequest> asked;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (const std::int64_t kernels : chains) asked.push_back({graph, kernels, runs, trial});
  }
  const auto answers = session.ask(asked);
  Starts starts;
  for (std::size_t i = 0; i < answers.size(); i += chains.size()) {
    starts.alone.push_back(answers[i]);
    starts.short_chains.push_back(answers[i + 1]);
    starts.long_chains.push_back(answers[i + 2]);
  }
  return starts;
}

std::vector<double> periods_of(const Starts& starts) {
  return periods(starts.short_chains, starts.long_chains, long_chain - short_chain);
}

}  // namespace

void find_launch(const Session& session) {
  const Starts starts = measure(session, false);
  publish(session, {.key = "launch.latency", .column = "seconds", .values = latencies(starts.alone)});
  publish(session, {.key = "launch.call", .column = "seconds", .values = calls(starts.alone)});
  publish(session, {.key = "launch.synchronise", .column = "seconds", .values = synchronisations(starts.alone)});
  publish(session, {.key = "launch.period",
                    .column = "seconds",
                    .values = periods_of(starts),
                    .conditions = {{"kernels", Value::list(short_chain, long_chain)}}});
}

void find_graph_launch(const Session& session) {
  const Starts starts = measure(session, true);
  publish(session, {.key = "launch.graph_latency", .column = "seconds", .values = latencies(starts.alone)});
  publish(session, {.key = "launch.graph_call", .column = "seconds", .values = calls(starts.alone)});
  publish(session, {.key = "launch.graph_period",
                    .column = "seconds",
                    .values = periods_of(starts),
                    .conditions = {{"kernels", Value::list(short_chain, long_chain)}}});
}

}  // namespace tomograph::runtime_calls
