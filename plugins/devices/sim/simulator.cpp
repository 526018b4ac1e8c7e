#include "sim/simulator.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "sim/chase/instrument.hpp"
#include "sim/closed_form.hpp"
#include "sim/divergence/instrument.hpp"
#include "sim/instruction/instrument.hpp"
#include "sim/kernel/instrument.hpp"
#include "sim/l2_lines/eviction.hpp"
#include "sim/l2_lines/instrument.hpp"
#include "sim/l2_lines/timed_loads.hpp"
#include "sim/links/remote_chases.hpp"
#include "sim/links/transfers.hpp"
#include "sim/shared_access/instrument.hpp"
#include "sim/streaming/instrument.hpp"
#include "tomograph/divergence.hpp"
#include "tomograph/instruction.hpp"
#include "tomograph/remote_chase.hpp"
#include "tomograph/shared_access.hpp"
#include "tomograph/streaming.hpp"
#include "tomograph/transfer.hpp"

namespace tomograph::sim {

namespace {

Instruments instruments(const Hierarchy& hierarchy, const Options& options, std::shared_ptr<KnownKernels> known) {
  Instruments all("a simulated GPU");
  const auto add = [&](const char* id, ClosedForm::Formula formula) {
    all.add(std::make_unique<ClosedForm>(id, formula, hierarchy.gpu, options));
  };
  all.add(std::make_unique<Chase>(hierarchy, options));
  add(TOMOGRAPH_SHARED_ACCESS_ID, &answer_shared_access);
  add(TOMOGRAPH_INSTRUCTION_ID, &answer_instruction);
  add(TOMOGRAPH_DIVERGENCE_ID, &answer_divergence);
  add(TOMOGRAPH_STREAMING_ID, &answer_streaming);
  all.add(std::make_unique<Kernels>(hierarchy.gpu, std::move(known)));
  all.add(std::make_unique<L2Latency>(hierarchy, options));
  all.add(std::make_unique<L2Contention>(hierarchy, options));
  all.add(std::make_unique<L2Eviction>(hierarchy, options));
  all.add(std::make_unique<L2Loads>(hierarchy, options));
  add(TOMOGRAPH_TRANSFER_ID, &answer_transfer);
  add(TOMOGRAPH_REMOTE_CHASE_ID, &answer_remote_chase);
  return all;
}

}  // namespace

Simulator::Simulator(const Gpu& gpu, const Options& options, unsigned threads) {
  if (const auto broken = violation(gpu)) throw std::invalid_argument(broken->key + " " + broken->rule);
  hierarchy_ = std::make_unique<const Hierarchy>(gpu);
  const auto known = std::make_shared<KnownKernels>();
  for (unsigned i = 0; i < std::max(threads, 1U); ++i) instruments_.push_back(instruments(*hierarchy_, options, known));
}

std::vector<Answer> Simulator::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers(batch.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&](Instruments& own) {
    for (std::size_t i = next++; i < batch.size(); i = next++) {
      answers[i] = std::move(own.execute(batch.subspan(i, 1)).front());
    }
  };
  std::vector<std::jthread> others;
  const std::size_t threads = std::min(instruments_.size(), batch.size());
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&, i] { work(instruments_[i]); });
  work(instruments_.front());
  others.clear();
  return answers;
}

unsigned Simulator::default_threads() { return std::max(std::thread::hardware_concurrency(), 1U); }

}  // namespace tomograph::sim
