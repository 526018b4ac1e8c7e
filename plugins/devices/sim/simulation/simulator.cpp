#include "sim/simulation/simulator.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

Answer refusal(tomograph_status status, const std::string& reason) { return {{}, status, reason}; }

Answer answer(Execution& execution, const Experiment& experiment) {
  if (experiment.id != TOMOGRAPH_CHASE_ID) {
    return refusal(TOMOGRAPH_UNSUPPORTED, "a simulated GPU does not execute the experiment " + experiment.id);
  }
  try {
    const chase::Program program = chase::decode(experiment);
    if (const auto why = chase::violation(program)) return refusal(TOMOGRAPH_INVALID, *why);
    return {chase::encode(execution.run(program)), TOMOGRAPH_OK, {}};
  } catch (const Refused& refused) {
    return refusal(refused.status, refused.what());
  } catch (const std::invalid_argument& error) {
    return refusal(TOMOGRAPH_INVALID, error.what());
  } catch (const std::exception& error) {
    return refusal(TOMOGRAPH_FAILED, error.what());
  }
}

}  // namespace

Simulator::Simulator(const Gpu& gpu, const Options& options, unsigned threads) {
  if (const auto broken = violation(gpu)) throw std::invalid_argument(broken->key + " " + broken->rule);
  hierarchy_ = std::make_unique<const Hierarchy>(gpu);
  for (unsigned i = 0; i < std::max(threads, 1U); ++i) executions_.emplace_back(*hierarchy_, options);
}

std::vector<Answer> Simulator::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers(batch.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&](Execution& execution) {
    for (std::size_t i = next++; i < batch.size(); i = next++) answers[i] = answer(execution, batch[i]);
  };
  std::vector<std::jthread> others;
  const std::size_t threads = std::min(executions_.size(), batch.size());
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&, i] { work(executions_[i]); });
  work(executions_.front());
  others.clear();
  return answers;
}

unsigned Simulator::default_threads() { return std::max(std::thread::hardware_concurrency(), 1U); }

}  // namespace tomograph::sim
