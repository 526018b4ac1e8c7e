#include "running/executors.hpp"

#include <exception>
#include <utility>

#include "loading/description.hpp"

namespace tomograph::host {
namespace {

/// The experiments of a batch with the same executor, and their positions in the batch.
struct Part {
  std::vector<const tomograph_experiment*> experiments;
  std::vector<std::uint64_t> positions;
};

/// Forwards answers to the sink of the whole batch. Answers with a position outside the part are dropped.
class PartSink {
 public:
  PartSink(const Part& part, const tomograph_result_sink& whole)
      : part_(&part),
        whole_(&whole),
        sink_{sizeof(tomograph_result_sink), this,
              [](void* context, std::uint64_t experiment, const tomograph_array* array) {
                const PartSink& self = *static_cast<PartSink*>(context);
                if (experiment >= self.part_->positions.size()) return;
                self.whole_->array(self.whole_->context, self.part_->positions[experiment], array);
              },
              [](void* context, std::uint64_t experiment, tomograph_status status, const char* reason) {
                const PartSink& self = *static_cast<PartSink*>(context);
                if (experiment >= self.part_->positions.size()) return;
                self.whole_->refuse(self.whole_->context, self.part_->positions[experiment], status, reason);
              }} {}
  PartSink(const PartSink&) = delete;
  PartSink& operator=(const PartSink&) = delete;

  [[nodiscard]] const tomograph_result_sink& sink() const { return sink_; }

 private:
  const Part* part_;
  const tomograph_result_sink* whole_;
  tomograph_result_sink sink_;
};

const tomograph_executor* find_executor(const tomograph_plugin& plugin, const std::string& device,
                                        const std::string& experiment) {
  for (std::uint32_t i = 0; i < plugin.executor_count; ++i) {
    const tomograph_executor& executor = *plugin.executors[i];
    if (executor.device == device && executor.experiment == experiment) return &executor;
  }
  return nullptr;
}

}  // namespace

Executors::Executors(Channel& channel, Load load, std::string device, std::string target,
                     std::map<std::string, std::string> served)
    : channel_(&channel),
      load_(std::move(load)),
      device_(std::move(device)),
      target_(std::move(target)),
      served_(std::move(served)) {}

Executors::Executor Executors::open(const std::string& experiment, const std::string& plugin_path) const {
  Executor executor;
  try {
    const tomograph_plugin& plugin = load_(plugin_path);
    executor.descriptor = find_executor(plugin, device_, experiment);
    if (executor.descriptor == nullptr) throw std::runtime_error("the plugin no longer executes " + experiment);
    executor.interface = std::make_unique<HostInterface>(
        *channel_, Caller{.kind = Caller::Kind::executor, .plugin = plugin.id, .id = experiment}, nullptr);
    executor.status = executor.descriptor->open(executor.interface->table(), target_.c_str(), &executor.session);
    executor.refusal = executor.interface->error();
  } catch (const std::exception& error) {
    executor.status = TOMOGRAPH_FAILED;
    executor.refusal = error.what();
  }
  if (executor.refusal.empty()) executor.refusal = "what executes " + experiment + " gave no reason";
  return executor;
}

Executors::Executor& Executors::opened(const std::string& experiment) {
  const auto found = open_.find(experiment);
  if (found != open_.end()) return found->second;
  order_.push_back(experiment);
  return open_.emplace(experiment, open(experiment, served_.at(experiment))).first->second;
}

tomograph_status Executors::execute_part(Executor& executor, const std::vector<const tomograph_experiment*>& part,
                                         const tomograph_result_sink& sink) {
  if (executor.status == TOMOGRAPH_OK) {
    executor.interface->begin_call();
    const tomograph_status status = executor.descriptor->execute(executor.session, part.data(), part.size(), &sink);
    error_ = executor.interface->error();
    if (error_.empty() && status != TOMOGRAPH_OK)
      error_ = "what executes " + std::string(part.front()->id) + " gave no reason";
    return status;
  }
  if (executor.status == TOMOGRAPH_DEVICE_LOST) {
    error_ = executor.refusal;
    return TOMOGRAPH_DEVICE_LOST;
  }
  for (std::uint64_t i = 0; i < part.size(); ++i) {
    sink.refuse(sink.context, i, executor.status, executor.refusal.c_str());
  }
  return TOMOGRAPH_OK;
}

tomograph_status Executors::execute_on(const OpenDevice& device,
                                       const std::vector<const tomograph_experiment*>& experiments,
                                       const std::vector<std::uint64_t>& positions, const tomograph_result_sink& sink) {
  const tomograph_status status =
      device.descriptor->execute(device.session, experiments.data(), experiments.size(), &sink);
  for (const auto& [number, disturbance] : device.interface->neighbours().seen) {
    if (number < positions.size()) seen_[positions[number]] = disturbance;
  }
  return status;
}

tomograph_status Executors::execute(const OpenDevice& device, const tomograph_experiment* const* batch,
                                    std::uint64_t count, const tomograph_result_sink& sink) {
  error_.clear();
  seen_.clear();
  std::map<std::string, Part> parts;
  Part rest;
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* id = batch[i] == nullptr ? nullptr : batch[i]->id;
    Part& part = id != nullptr && served_.contains(id) ? parts[id] : rest;
    part.experiments.push_back(batch[i]);
    part.positions.push_back(i);
  }
  if (parts.empty()) return execute_on(device, rest.experiments, rest.positions, sink);
  for (const auto& [experiment, part] : parts) {
    const PartSink own(part, sink);
    const tomograph_status status = execute_part(opened(experiment), part.experiments, own.sink());
    if (status != TOMOGRAPH_OK) return status;
  }
  if (rest.experiments.empty()) return TOMOGRAPH_OK;
  const PartSink own(rest, sink);
  return execute_on(device, rest.experiments, rest.positions, own.sink());
}

void Executors::close() {
  for (auto experiment = order_.rbegin(); experiment != order_.rend(); ++experiment) {
    const Executor& executor = open_.at(*experiment);
    if (executor.status == TOMOGRAPH_OK) executor.descriptor->close(executor.session);
  }
  open_.clear();
  order_.clear();
}

}  // namespace tomograph::host
