#include "sim/gpu/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

StreamingRates read_rates(const Section& section) {
  section.expect_only({"read", "write", "copy"});
  return {section.number("read", 0), section.number("write", 0), section.number("copy", 0)};
}

/// One number for all elements, or one for each.
ByElement read_by_element(const Section& section, const char* key, double fallback) {
  ByElement values{};
  values.fill(section.is_array(key) ? 0 : section.number(key, fallback));
  if (!section.is_array(key)) return values;
  const auto numbers = section.numbers(key);
  if (numbers.size() != values.size()) section.refuse(key, "must have one number for 1, 2, 4, 8 and 16 B each");
  std::ranges::copy(numbers, values.begin());
  return values;
}

Service read_service(const Section& section) {
  section.expect_only({"l2", "dram"});
  return {section.number("l2", 0), section.number("dram", 0)};
}

Port read_port(const Section& section, std::int64_t sm_count) {
  section.expect_only({"shared_by", "rate"});
  return {read_shared_by(section, sm_count), section.number("rate", 0)};
}

}  // namespace

double of_element(const ByElement& values, std::int64_t element) {
  return values[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(element)))];
}

Bandwidth read_bandwidth(const Section& section, std::int64_t sm_count) {
  section.expect_only({"max_warps", "max_ctas", "access_cycles", "turn_cycles", "request_cycles", "service", "l1", "sm",
                       "port", "l2", "dram", "sigma"});
  Bandwidth bandwidth;
  bandwidth.max_warps = section.integer("max_warps", bandwidth.max_warps);
  bandwidth.max_ctas = section.integer("max_ctas", bandwidth.max_ctas);
  bandwidth.access_cycles = read_by_element(section, "access_cycles", 1);
  bandwidth.turn_cycles = section.number("turn_cycles", 0);
  if (section.has("request_cycles")) bandwidth.request_cycles = read_by_element(section, "request_cycles", 0);
  if (const auto service = section.optional_section("service")) bandwidth.service = read_service(*service);
  bandwidth.l1 = section.number("l1", 0);
  bandwidth.sm = section.number("sm", 0);
  if (const auto port = section.optional_section("port")) bandwidth.port = read_port(*port, sm_count);
  bandwidth.l2 = read_rates(section.section("l2"));
  bandwidth.dram = read_rates(section.section("dram"));
  bandwidth.sigma = section.number("sigma", 0);
  return bandwidth;
}

Broken violation(const Bandwidth& bandwidth, std::int64_t sm_count) {
  struct Range {
    const char* key;
    double value;
    double low;
    double high;
  };
  const Range ranges[] = {
      {"max_warps", static_cast<double>(bandwidth.max_warps), 1, 1024},
      {"max_ctas", static_cast<double>(bandwidth.max_ctas), 1, 1024},
      {"access_cycles", std::ranges::min(bandwidth.access_cycles), 1e-3, 1e6},
      {"access_cycles", std::ranges::max(bandwidth.access_cycles), 1e-3, 1e6},
      {"turn_cycles", bandwidth.turn_cycles, 0, 1e6},
      {"request_cycles", bandwidth.request_cycles ? std::ranges::min(*bandwidth.request_cycles) : 1, 1e-3, 1e6},
      {"service.l2", bandwidth.service.l2, 0, 1e6},
      {"service.dram", bandwidth.service.dram, 0, 1e6},
      {"port.rate", bandwidth.port ? bandwidth.port->rate : 1, 1e-3, 1e6},
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
  return bandwidth.port ? sm_groups_violation(bandwidth.port->shared_by, sm_count, "bandwidth.port.shared_by")
                        : std::nullopt;
}

}  // namespace tomograph::sim
