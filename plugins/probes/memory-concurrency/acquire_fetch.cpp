#include <algorithm>
#include <map>
#include <string>

#include "acquire_gather.hpp"
#include "questions.hpp"
#include "tomograph/analysis/proportion.hpp"

namespace tomograph::memory_concurrency {

namespace {

constexpr const char* fetch_key = "dram.fetch_bytes_per_request";
/// A request may fetch its neighbours up to here; blocks are as large, so that each block is fetched once.
constexpr std::int64_t block = 256;
constexpr std::int64_t sector = 32;
constexpr std::int64_t neighbours = block / sector - 1;
/// Each with other addresses, and so many loads that L2 has seen few of them before.
constexpr std::int64_t trials = 9;
constexpr std::int64_t pairs = 64;

kernel::Step load_of(std::int64_t base, std::int64_t span, std::int64_t seed) {
  return {.operation = kernel::Operation::load,
          .access = kernel::Access{.pattern = kernel::Hash{.group = kernel::warp_lanes, .block = block, .seed = seed},
                                   .element = 1,
                                   .cache = kernel::Cache::cg,
                                   .base = base,
                                   .span = span}};
}

kernel::Kernel base_kernel(std::int64_t footprint, std::int64_t trial) {
  return {.iterations = pairs, .footprint = footprint, .warm_passes = 0, .sms = {0}, .trial = trial};
}

/// A load, and a timed one at `distance` from it that waits for it.
kernel::Kernel pair_of(std::int64_t footprint, std::int64_t distance, std::int64_t seed, std::int64_t trial) {
  kernel::Kernel kernel = base_kernel(footprint, trial);
  kernel.timed = 1;
  const std::int64_t span = footprint - block;  // the same number of blocks for both, so the same random blocks
  kernel.loop = {load_of(0, span, seed), load_of(distance, span, seed)};
  kernel.loop.back().needs = {0};
  return kernel;
}

kernel::Kernel alone(std::int64_t footprint, std::int64_t warm_passes, std::int64_t seed, std::int64_t trial) {
  kernel::Kernel kernel = base_kernel(footprint, trial);
  kernel.timed = 0;
  kernel.warm_passes = warm_passes;
  kernel.loop = {load_of(0, footprint - block, seed)};
  return kernel;
}

/// All experiments of one trial: a hit, a miss, and each neighbour.
std::vector<kernel::Kernel> trial_of(const Session& session, std::int64_t trial) {
  const std::int64_t far = far_footprint(session);
  std::int64_t seed = trial << 24;  // apart by more than the threads of a kernel
  std::vector<kernel::Kernel> batch{alone(near_footprint(session), 1, ++seed, trial), alone(far, 0, ++seed, trial)};
  for (std::int64_t i = 1; i <= neighbours; ++i) batch.push_back(pair_of(far, i * sector, ++seed, trial));
  return batch;
}

}  // namespace

void find_fetch(const Session& session) {
  std::map<std::int64_t, std::size_t> votes;
  std::vector<double> distances;
  std::vector<double> latencies;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    std::vector<double> latency;
    for (const auto& result : session.ask(trial_of(session, trial))) latency.push_back(result.latency);
    ++votes[fetched_bytes(std::span(latency).subspan(2), latency[0], latency[1])];
    for (std::size_t i = 2; i < latency.size(); ++i) {
      distances.push_back(static_cast<double>((static_cast<std::int64_t>(i) - 1) * sector));
      latencies.push_back(latency[i]);
    }
  }
  session.evidence(fetch_key, std::vector<NamedArray>{{"distance", distances}, {"latency", latencies}});
  const auto winner = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  constexpr auto alternatives = static_cast<std::size_t>(neighbours);
  session.publish({.key = fetch_key,
                   .value = winner->first,
                   .method = "neighbour-hits",
                   .confidence = analysis::confidence_from_agreement(winner->second, trials, alternatives),
                   .samples = trials,
                   .conditions = {{"largest_tested", block}},
                   .evidence = fetch_key});
}

}  // namespace tomograph::memory_concurrency
