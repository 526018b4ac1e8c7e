#include "acquire_memory.hpp"
#include "catch.hpp"
#include "memory_host.hpp"
#include "sim/simulator.hpp"

namespace {

using namespace tomograph;

constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

sim::Gpu small_gpu() {
  sim::Gpu gpu;
  gpu.l2.latency = 200;
  gpu.l2.cache.set_ways.assign(64, 16);
  gpu.dram = {500, 500, std::nullopt};
  return gpu;
}

/// Refuses chases whose arrays exceed `room`, and lets a simulator answer the others.
class CrowdedGpu {
 public:
  explicit CrowdedGpu(std::int64_t room) {
    host.facts["dram.free"] = Json{{"value", 4 * gibibyte}}.dump();
    host.device = [this, room](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (chase::decode(batch[i]).arrays.front().bytes > room) {
          sink.refuse(sink.context, i, TOMOGRAPH_UNSUPPORTED, "memory is full");
          continue;
        }
        const auto answers = simulator_.execute({&batch[i], 1});
        for (const ArrayView& array : answers.front().arrays) sink.array(sink.context, i, &array.crossing());
      }
      return tomograph_status{TOMOGRAPH_OK};
    };
  }
  [[nodiscard]] Session session() const { return Session(*host.abi()); }

  MemoryHost host;

 private:
  sim::Simulator simulator_{small_gpu(), sim::Options{}, 1};
};

}  // namespace

TEST_CASE("where others have taken memory since it was counted, pages are sought in what is left") {
  const CrowdedGpu gpu(gibibyte);
  const auto memory = tlb::spare_memory(gpu.session());
  CHECK(memory.bytes <= gibibyte);
  CHECK(memory.bytes > gibibyte / 4);
}

TEST_CASE("where no memory is left, the device's reason is told") {
  const CrowdedGpu gpu(0);
  CHECK_THROWS_WITH(tlb::spare_memory(gpu.session()), "memory is full");
}
