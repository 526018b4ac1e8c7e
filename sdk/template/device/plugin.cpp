// The device @DEVICE@: what the host learns about it, and how it answers experiments.
#include "tomograph/plugin.hpp"

#include <stdexcept>

#include "gpu.hpp"
#include "tomograph/analysis/confidence.hpp"

using namespace tomograph;

class Device {
 public:
  static constexpr const char* id = "@DEVICE@";
  static constexpr const char* description = "A made-up GPU";
  static constexpr const char* target_help = "tiny";
  static constexpr bool is_real = false;  // the host prefers real devices if none is named
  static std::vector<Target> enumerate(const Session&) { return {{"tiny", "four SMs and an L2 cache"}}; }

  Device(const Session& session, std::string_view target) {
    if (target != "tiny") throw std::runtime_error("there is no target '" + std::string(target) + "'");
    const auto report = [&](const char* key, Value value, const char* unit) {
      session.publish({.key = key,
                       .value = std::move(value),
                       .method = "described",
                       .confidence = confidence::vendor,
                       .samples = 1,
                       .source = TOMOGRAPH_API},
                      unit);
    };
    report("device.name", "Tiny", "");
    report("device.sm_count", Gpu::sms, "1");
    report("device.shared_memory_per_sm", Gpu::timed_bytes, "B");
    report("device.max_shared_memory_per_block", Gpu::timed_bytes, "B");
    report("l2.nominal_size", Gpu::l2_bytes, "B");
    report("dram.size", Gpu::memory_bytes, "B");
  }

  std::vector<Answer> execute(std::span<const Experiment> batch) {
    std::vector<Answer> answers;
    for (const Experiment& experiment : batch) answers.push_back(answer(experiment));
    return answers;
  }

 private:
  Answer answer(const Experiment& experiment) {
    if (experiment.id != TOMOGRAPH_CHASE_ID) {
      return {{}, TOMOGRAPH_UNSUPPORTED, "this GPU does not execute the experiment " + experiment.id};
    }
    try {
      const chase::Program program = chase::decode(experiment);
      if (const auto broken = chase::violation(program)) return {{}, TOMOGRAPH_INVALID, *broken};
      if (const auto obstacle = Gpu::obstacle(program); !obstacle.empty()) return {{}, TOMOGRAPH_UNSUPPORTED, obstacle};
      return {chase::encode(gpu_.run(program))};
    } catch (const std::invalid_argument& error) {
      return {{}, TOMOGRAPH_INVALID, error.what()};
    }
  }

  Gpu gpu_;
};

TOMOGRAPH_PLUGIN("@PLUGIN@", "0.1.0", "A device to start from", Probes<>, Devices<Device>)
