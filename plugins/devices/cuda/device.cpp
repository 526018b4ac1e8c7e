#include "cuda/device.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "cuda/chase/instrument.hpp"
#include "cuda/divergence/instrument.hpp"
#include "cuda/facts.hpp"
#include "cuda/instruction/instrument.hpp"
#include "cuda/kernel/instrument.hpp"
#include "cuda/l2_lines/eviction.hpp"
#include "cuda/l2_lines/timed_loads.hpp"
#include "cuda/links/facts.hpp"
#include "cuda/links/remote_chases.hpp"
#include "cuda/shared_access/instrument.hpp"
#include "cuda/streaming/instrument.hpp"
#include "tomograph/conditions.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

namespace {

/// The longest time in the answer of an experiment other than a chase: they all give the cycles of each SM.
double longest_cycles(const Answer& answer) {
  double longest = 0;
  for (const ArrayView& array : answer.arrays) {
    if (array.name() != "cycles") continue;
    array.visit([&](auto numbers) {
      for (const auto one : numbers) longest = std::max(longest, static_cast<double>(one));
    });
  }
  return longest;
}

bool is_transfer(const Experiment& experiment) { return experiment.id == TOMOGRAPH_TRANSFER_ID; }

}  // namespace

std::vector<Target> Device::enumerate(const Session& /*session*/) {
  std::vector<Target> targets;
  for (int i = 0; i < device_count(); ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      continue;
    }
    targets.push_back({std::to_string(i), properties.name});
  }
  return targets;
}

Device::Device(const Session& session, std::string_view target)
    : host_(&session.host()), instruments_("the cuda device") {
  const int device = device_named(target);
  nvml_ = std::make_unique<Nvml>(pci_bus_id(device));
  publish_nvml_facts(session, *nvml_, device);
  const auto processes_before = nvml_->processes();
  check(cudaSetDevice(device), "selecting the device");
  check(cudaFree(nullptr), "creating a context");
  conditions_ = std::make_unique<Conditions>(*nvml_, processes_before);
  publish_facts(session, device);
  publish_link_facts(session, *nvml_, device);
  monitor_ = std::make_unique<NeighbourMonitor>(device);
  // Half of it leaves room for uploads, for cached pages, for executors of plugins and for other users.
  arena_ = std::make_unique<Arena>(device, free_memory() / 2);
  auto chase = std::make_unique<Chase>(session, device, *arena_, *monitor_);
  lines_ = std::make_unique<LineMemory>(device, *arena_);
  const double overhead = chase->overhead_of(chase::Path::global_cg);
  instruments_.add(std::make_unique<L2Latency>(*lines_, overhead));
  instruments_.add(std::make_unique<L2Contention>(*lines_));
  instruments_.add(std::make_unique<L2Eviction>(*lines_, overhead));
  instruments_.add(std::make_unique<L2Loads>(*lines_, overhead));
  instruments_.add(std::move(chase));
  instruments_.add(std::make_unique<Streaming>(device, *arena_, *monitor_));
  instruments_.add(std::make_unique<Kernels>(device, *arena_, *monitor_));
  instruments_.add(std::make_unique<InstructionThroughput>(device));
  instruments_.add(std::make_unique<ThreadDivergence>(device));
  instruments_.add(std::make_unique<SharedAccess>(device));
  auto transfers = std::make_unique<Transfers>(device);
  transfers_ = transfers.get();
  instruments_.add(std::move(transfers));
  instruments_.add(std::make_unique<RemoteChases>(device));
  report_neighbours();
  offer_conditions(*host_, *conditions_);
}

void Device::report_neighbours() {
  const void* extension = host_->extension(host_->context, TOMOGRAPH_NEIGHBOURS_ID);
  neighbours_ = static_cast<const tomograph_neighbours*>(extension);
  if (neighbours_ == nullptr) return;
  const auto in_use = [](void* monitor) {
    try {
      return static_cast<NeighbourMonitor*>(monitor)->in_use() ? 1U : 0U;
    } catch (const std::exception&) {
      return 0U;  // the next batch meets the same error and reports it
    }
  };
  neighbours_->watch(host_->context, in_use, monitor_.get());
}

std::vector<Answer> Device::execute(std::span<const Experiment> batch) {
  if (!std::ranges::any_of(batch, is_transfer)) transfers_->release_memory();
  std::vector<Answer> answers = instruments_.execute(batch);
  if (neighbours_ == nullptr) return answers;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    tomograph_disturbance& own = answers[i].disturbance;
    if (own == TOMOGRAPH_PERHAPS_DISTURBED && monitor_->may_have_disturbed(longest_cycles(answers[i]))) {
      own = TOMOGRAPH_TIMES_DISTURBED;
    }
    neighbours_->seen(host_->context, i, own);
  }
  return answers;
}

}  // namespace tomograph::cuda
