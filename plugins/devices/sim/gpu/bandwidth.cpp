#include "sim/gpu/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

StreamingRates read_rates(const Section& section) {
  return {section.number("read", 0), section.number("write", 0), section.number("copy", 0)};
}

/// One number for all elements, or one for each.
ByElement read_by_element(const Section& section, const char* key, double fallback) {
  ByElement values{};
  values.fill(section.is_array(key) ? 0 : section.number(key, fallback));
  if (!section.is_array(key)) return values;
  std::ranges::copy(section.numbers(key), values.begin());
  return values;
}

Service read_service(const Section& section) { return {section.number("l2", 0), section.number("dram", 0)}; }

Port read_port(const Section& section, std::int64_t sm_count) {
  return {read_shared_by(section, sm_count), section.number("rate", 0)};
}

}  // namespace

double of_element(const ByElement& values, std::int64_t element) {
  return values[static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(element)))];
}

Bandwidth read_bandwidth(const Section& section, std::int64_t sm_count) {
  Bandwidth bandwidth;
  bandwidth.max_warps = section.integer("max_warps", bandwidth.max_warps);
  bandwidth.max_ctas = section.integer("max_ctas", bandwidth.max_ctas);
  bandwidth.access_cycles = read_by_element(section, "access_cycles", 1);
  bandwidth.turn_cycles = section.number("turn_cycles", 0);
  if (section.has("request_cycles")) bandwidth.request_cycles = read_by_element(section, "request_cycles", 0);
  if (const auto service = section.optional_section("service")) bandwidth.service = read_service(*service);
  bandwidth.l1 = section.number("l1", 0);
  if (section.has("read_only")) bandwidth.read_only = section.number("read_only", 0);
  if (section.has("texture")) bandwidth.texture = section.number("texture", 0);
  if (section.has("constant")) bandwidth.constant = section.number("constant", 0);
  bandwidth.sm = section.number("sm", 0);
  if (const auto port = section.optional_section("port")) bandwidth.port = read_port(*port, sm_count);
  bandwidth.l2 = read_rates(section.section("l2"));
  bandwidth.dram = read_rates(section.section("dram"));
  bandwidth.sigma = section.number("sigma", 0);
  return bandwidth;
}

Broken violation(const Bandwidth& bandwidth, std::int64_t sm_count) {
  return bandwidth.port ? sm_groups_violation(bandwidth.port->shared_by, sm_count, "bandwidth.port.shared_by")
                        : std::nullopt;
}

}  // namespace tomograph::sim
