// The device "independent": GPUs that are drawn from a family and a seed, for the bench in this folder.
#include "tomograph/plugin.hpp"

#include <charconv>
#include <numeric>
#include <string>

#include "draw.hpp"
#include "program_runner.hpp"

namespace {

namespace chase = tomograph::chase;
using tomograph::Session;

/// The GPU called `target`, e.g. "known-17".
independent::Gpu gpu_called(std::string_view target) {
  const std::size_t dash = target.rfind('-');
  std::uint64_t seed = 0;
  if (dash != std::string_view::npos) {
    const std::string_view digits = target.substr(dash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
    if (error == std::errc() && end == digits.data() + digits.size()) {
      return independent::draw(std::string(target.substr(0, dash)), seed);
    }
  }
  throw std::runtime_error("a target is known-SEED, strange-SEED or extreme-SEED, not '" + std::string(target) + "'");
}

class Independent {
 public:
  static constexpr const char* id = "independent";
  static constexpr const char* description = "GPUs drawn at random, by a simulator that shares nothing with sim";
  static constexpr const char* target_help = "known-SEED, strange-SEED or extreme-SEED";
  static constexpr bool is_real = false;
  static constexpr std::array parameters{
      tomograph::parameter("run", TOMOGRAPH_INTEGER, "1", 0, 1e9, "Distinguishes the noise of several runs")};

  static std::vector<tomograph::Target> enumerate(const Session&) {
    return {{"known-1", "a GPU whose parts all have words among the facts"},
            {"strange-1", "a GPU with parts that have none"},
            {"extreme-1", "either, of latencies, noise or a clock like no other"}};
  }

  Independent(const Session& session, std::string_view target)
      : machine_(gpu_called(target), static_cast<std::uint64_t>(session.parameter<std::int64_t>("run"))) {
    publish(session);
  }

  std::vector<tomograph::Answer> execute(std::span<const tomograph::Experiment> batch) {
    std::vector<std::size_t> order(batch.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    machine_.noise().random().shuffle(order);
    std::vector<tomograph::Answer> answers(batch.size());
    for (const std::size_t i : order) answers[i] = answer(batch[i]);
    return answers;
  }

 private:
  tomograph::Answer answer(const tomograph::Experiment& experiment) {
    if (experiment.id != TOMOGRAPH_CHASE_ID) {
      return {{}, TOMOGRAPH_UNSUPPORTED, "this simulated GPU does not execute " + experiment.id};
    }
    try {
      const chase::Program program = chase::decode(experiment);
      if (const auto broken = violation(program)) return {{}, TOMOGRAPH_INVALID, *broken};
      const auto sms = static_cast<std::uint64_t>(machine_.gpu().sms);
      const auto any_sm = static_cast<std::uint32_t>(machine_.noise().random().below(sms));
      return {encode(independent::ProgramRunner(machine_, program, any_sm).run())};
    } catch (const std::invalid_argument& error) {
      return {{}, TOMOGRAPH_INVALID, error.what()};
    } catch (const independent::Unsupported& error) {
      return {{}, TOMOGRAPH_UNSUPPORTED, error.what()};
    } catch (const std::runtime_error& error) {
      return {{}, TOMOGRAPH_FAILED, error.what()};
    }
  }

  [[nodiscard]] std::optional<std::string> violation(const chase::Program& program) const {
    for (const chase::Actor& actor : program.actors) {
      if (actor.sm >= machine_.gpu().sms) return "there is no SM " + std::to_string(actor.sm);
    }
    return chase::violation(program);
  }

  void publish(const Session& session) const {
    const independent::Gpu& gpu = machine_.gpu();
    const auto report = [&](const char* key, tomograph::Value value, const char* unit) {
      session.publish({.key = key,
                       .value = std::move(value),
                       .method = "description",
                       .confidence = 1,
                       .samples = 1,
                       .source = TOMOGRAPH_API},
                      unit);
    };
    report("device.name", "independent " + gpu.family + "-" + std::to_string(gpu.seed), "");
    report("device.compute_capability", "8.0", "");
    report("device.sm_count", gpu.sms, "1");
    report("device.sm_clock", gpu.clock_hz, "Hz");
    report("device.warp_size", 32, "1");
    report("device.max_warps_per_sm", 48, "1");
    report("device.shared_memory_per_sm", gpu.shared_memory, "B");
    report("device.max_shared_memory_per_block", gpu.shared_memory, "B");
    report("l2.nominal_size", gpu.l2.cache.size() * gpu.l2.partitions, "B");
    report("dram.size", gpu.memory.size, "B");
    report("dram.free", gpu.memory.free, "B");
  }

  independent::Machine machine_;
};

}  // namespace

TOMOGRAPH_PLUGIN("independent", "1.0.0", "Simulated GPUs for the independent bench", tomograph::Probes<>,
                 tomograph::Devices<Independent>)
