#ifndef TOMOGRAPH_TESTS_SIM_SOUND_DESCRIPTION_HPP
#define TOMOGRAPH_TESTS_SIM_SOUND_DESCRIPTION_HPP

#include <string>

#include "sim/gpu/reader.hpp"

namespace tomograph::sim {

/// A correct description with one key per line, so that a test can break a single line.
inline const std::string sound = R"(name = "Test"
sm_count = 4
sm_clock_mhz = 1000
[api]
"device.warp_size" = 32
[cache.l1]
paths = ["global.ca"]
latency = 30
line_size = 128
sector_size = 32
fetch_granularity = 64
size = 16384
sets = 32
ways = 4
index = { kind = "bits", bits = [7, 8, 9, 10, 11] }
replacement = "lru"
[l2]
latency = 200
far_latency = 280
line_size = 128
sector_size = 32
set_ways = [16, 16, 8, 8]
index = { kind = "hashed", masks = [0x2080, 0x4100] }
partitions = 2
home_masks = [0x1000]
[dram]
latency = 400
[[tlb]]
entries = 16
entry_span = 2097152
penalty = 10
[noise]
l1_sigma = 0.5
outlier_probability = 0.001
outlier_cycles = [100, 1000]
[shared_memory]
size_per_sm = 65536
banks = 16
bank_width = 8
modes = [4, 8]
latency = 25
conflict_cycles = 3
)";

/// `sound` with the line that starts with `key` for the `occurrence`th time replaced.
inline std::string with(const std::string& key, const std::string& line, int occurrence = 1) {
  std::size_t at = 0;
  for (int i = 0; i < occurrence; ++i) at = sound.find("\n" + key, at) + 1;
  return sound.substr(0, at) + line + sound.substr(sound.find('\n', at));
}

inline std::string error_of(const std::string& text) {
  try {
    (void)parse_gpu(text, "my.toml");
  } catch (const DescriptionError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tomograph::sim

#endif
