#ifndef TOMOGRAPH_TESTS_LARGE_L2_HPP
#define TOMOGRAPH_TESTS_LARGE_L2_HPP

#include <vector>

#include "memory_host.hpp"
#include "questions.hpp"
#include "sim/simulator.hpp"

namespace tomograph::data_cache {

inline constexpr std::int64_t ways = 16;

/// All facts that the probe may publish.
inline const std::vector<const tomograph_fact_spec*>& declared_l2_facts() {
  static const std::vector<tomograph_fact_spec> specs = [] {
    std::vector<tomograph_fact_spec> all;
    for (const char* key : {"l2.sets", "l2.ways", "l2.set_ways", "l2.index", "l2.replacement", "l2.way_probability",
                            "dram.channel.banks", "dram.bank_conflict_penalty", "dram.refresh.period",
                            "dram.refresh.duration", "dram.row.run", "dram.row.hit_penalty", "dram.row.stays_open"}) {
      all.push_back(fact_spec(key, TOMOGRAPH_REAL, "", TOMOGRAPH_PER_DEVICE, ""));
    }
    return all;
  }();
  static const std::vector<const tomograph_fact_spec*> pointers = [] {
    std::vector<const tomograph_fact_spec*> all;
    for (const auto& spec : specs) all.push_back(&spec);
    return all;
  }();
  return pointers;
}

/// An L2 of two partitions with copies, each of 2 MiB: 512 sets of 16 ways and 256 bytes.
inline sim::Gpu gpu_with_large_l2(sim::Replacement::Policy policy) {
  sim::Gpu gpu;
  gpu.name = "large";
  gpu.sm_count = 4;
  gpu.l2.cache.line_size = gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 256;
  gpu.l2.cache.set_ways = std::vector<std::int64_t>(512, ways);
  gpu.l2.cache.replacement.policy = policy;
  gpu.l2.latency = 200;
  gpu.l2.far_latency = 300;
  gpu.l2.partitions = 2;
  gpu.l2.home_masks = {0x123400};
  gpu.l2.replicate = true;
  gpu.dram = {500, 600, std::int64_t{1} << 34};
  return gpu;
}

/// What the probe says about such a GPU, whose device may know this parameter of its experiments or not.
inline void measure(const sim::Gpu& gpu, MemoryHost& host, const char* unknown_parameter = "") {
  sim::Simulator simulator(gpu, sim::Options{}, 1);
  const auto know = [&](const char* key, const Json& value) {
    host.facts[key] = Json{{"value", value}, {"confidence", 0.99}}.dump();
  };
  know("device.sm_count", 4);
  know("l2.line_size", 256);
  know("l2.partition.count", 2);
  know("l2.partition.of_sm", {0, 0, 1, 1});
  know("l2.partition.replicated", true);
  know("l2.partition.size", 2 << 20);
  know("l2.size", 4 << 20);
  know("l2.hit_threshold", 250);
  know("l2.hit_threshold.false_hit", 1e-4);
  know("l2.hit_threshold.false_miss", 1e-4);
  host.device = [&](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
    const auto answers = simulator.execute(batch);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (find(batch[i].parameters, unknown_parameter) != nullptr) {
        sink.refuse(sink.context, i, TOMOGRAPH_INVALID, "unknown");
        continue;
      }
      if (answers[i].status != TOMOGRAPH_OK) sink.refuse(sink.context, i, answers[i].status, answers[i].reason.c_str());
      for (const ArrayView& array : answers[i].arrays) sink.array(sink.context, i, &array.crossing());
    }
    return tomograph_status{TOMOGRAPH_OK};
  };
  find_l2_organisation(Session(*host.abi(), declared_l2_facts()));
}

}  // namespace tomograph::data_cache

#endif
