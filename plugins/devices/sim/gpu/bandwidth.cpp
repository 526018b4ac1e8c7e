#include "sim/gpu/bandwidth.hpp"

#include <string>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

StreamingRates read_rates(const Section& section) {
  section.expect_only({"read", "write", "copy"});
  return {section.number("read", 0), section.number("write", 0), section.number("copy", 0)};
}

}  // namespace

Bandwidth read_bandwidth(const Section& section) {
  section.expect_only({"max_warps", "max_ctas", "access_cycles", "l1", "sm", "l2", "dram", "sigma"});
  Bandwidth bandwidth;
  bandwidth.max_warps = section.integer("max_warps", bandwidth.max_warps);
  bandwidth.max_ctas = section.integer("max_ctas", bandwidth.max_ctas);
  bandwidth.access_cycles = section.number("access_cycles", bandwidth.access_cycles);
  bandwidth.l1 = section.number("l1", 0);
  bandwidth.sm = section.number("sm", 0);
  bandwidth.l2 = read_rates(section.section("l2"));
  bandwidth.dram = read_rates(section.section("dram"));
  bandwidth.sigma = section.number("sigma", 0);
  return bandwidth;
}

Broken violation(const Bandwidth& bandwidth) {
  struct Range {
    const char* key;
    double value;
    double low;
    double high;
  };
  const Range ranges[] = {
      {"max_warps", static_cast<double>(bandwidth.max_warps), 1, 1024},
      {"max_ctas", static_cast<double>(bandwidth.max_ctas), 1, 1024},
      {"access_cycles", bandwidth.access_cycles, 1e-3, 1e6},
      {"l1", bandwidth.l1, 1e-3, 1e6},
      {"sm", bandwidth.sm, 1e-3, 1e6},
      {"l2.read", bandwidth.l2.read, 1e-3, 1e9},
      {"l2.write", bandwidth.l2.write, 1e-3, 1e9},
      {"l2.copy", bandwidth.l2.copy, 1e-3, 1e9},
      {"dram.read", bandwidth.dram.read, 1, 1e18},
      {"dram.write", bandwidth.dram.write, 1, 1e18},
      {"dram.copy", bandwidth.dram.copy, 1, 1e18},
      {"sigma", bandwidth.sigma, 0, 0.1},
  };
  for (const Range& range : ranges) {
    if (range.value >= range.low && range.value <= range.high) continue;
    return Violation{std::string("bandwidth.") + range.key, "is missing or out of range"};
  }
  return std::nullopt;
}

}  // namespace tomograph::sim
