#ifndef TOMOGRAPH_TESTS_DATA_CACHE_ONE_CHANNEL_HPP
#define TOMOGRAPH_TESTS_DATA_CACHE_ONE_CHANNEL_HPP

#include <random>
#include <set>
#include <vector>

#include "acquire_l2_sets.hpp"
#include "catch.hpp"
#include "memory_host.hpp"
#include "sim/simulator.hpp"

/// A simulated GPU whose memory has one channel.
namespace tomograph::data_cache {

inline constexpr std::int64_t pages = 64;

/// One channel with lines of 256 B, of which eight are a row.
inline sim::Gpu gpu_with_channel(const sim::MemoryChannel& channel) {
  sim::Gpu gpu;
  gpu.name = "channel";
  gpu.sm_count = 1;
  gpu.l2.cache.line_size = gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 256;
  gpu.l2.cache.set_ways = std::vector<std::int64_t>(512, 16);
  gpu.l2.latency = gpu.l2.far_latency = 200;
  gpu.dram = {500, 500, std::int64_t{1} << 34};
  gpu.dram.channel = channel;
  gpu.noise.dram_sigma = 15;
  return gpu;
}

inline EvictionSetting setting() {
  EvictionSetting setting;
  setting.memory = {.pages = pages, .line_size = 256};
  setting.sms = {0};
  return setting;
}

/// Experiments on such a GPU.
class Device {
 public:
  explicit Device(const sim::Gpu& gpu) : simulator_(gpu, sim::Options{}, 1) {
    host_.device = [this](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      const auto answers = simulator_.execute(batch);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        REQUIRE(answers[i].status == TOMOGRAPH_OK);
        for (const ArrayView& array : answers[i].arrays) sink.array(sink.context, i, &array.crossing());
      }
      return tomograph_status{TOMOGRAPH_OK};
    };
  }
  [[nodiscard]] Session session() { return Session(*host_.abi()); }

 private:
  sim::Simulator simulator_;
  MemoryHost host_;
};

/// So many lines at random places, ascending, one of a row at most, and none of them the first of a page.
inline std::vector<std::int64_t> lines_at_random(std::size_t count, std::uint64_t seed) {
  const std::int64_t per_page = setting().memory.lines_per_page();
  std::mt19937_64 random(seed);
  std::set<std::int64_t> lines;
  while (lines.size() < count) {
    const auto line = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(pages * per_page));
    if (line % 8 == 2) lines.insert(line);
  }
  return {lines.begin(), lines.end()};
}

}  // namespace tomograph::data_cache

#endif
