#include "facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tomograph/cache/masks.hpp"
#include "tomograph/session.hpp"

namespace tomograph::mdm {

namespace {

/// Bytes of a request, by which rates of gathers are counted (plugins/probes/memory-concurrency).
constexpr double request_bytes = kernel::sector_bytes;

std::optional<double> number(const Facts& facts, const std::string& key) {
  const auto record = facts(key);
  return record ? std::optional<double>(record->at("value").get<double>()) : std::nullopt;
}

double number(const Facts& facts, const std::string& key, double fallback) {
  return number(facts, key).value_or(fallback);
}

double positive(const Facts& facts, const std::string& key) {
  const auto value = number(facts, key);
  if (!value) throw Refused(TOMOGRAPH_INVALID, "fact " + key + " is not known");
  if (!(*value > 0)) throw Refused(TOMOGRAPH_INVALID, "fact " + key + " must be positive");
  return *value;
}

double positive_whole(const Facts& facts, const std::string& key) {
  const double value = positive(facts, key);
  if (value == std::floor(value)) return value;
  throw Refused(TOMOGRAPH_INVALID, "fact " + key + " must be a whole number");
}

double max_ctas_per_sm(const Facts& facts) {
  return number(facts, "device.max_blocks_per_sm", Machine{}.max_ctas_per_sm);
}

double outstanding_misses(const Facts& facts) {
  for (const char* key : {"l1_data.outstanding_misses", "l1_data.outstanding_misses_at_least"}) {
    if (facts(key)) return positive(facts, key);
  }
  throw Refused(TOMOGRAPH_INVALID,
                "fact l1_data.outstanding_misses is not known, nor l1_data.outstanding_misses_at_least; to measure it: "
                "tomograph run --only 'l1_data.outstanding_misses*'");
}

double line_bytes(const Facts& facts) {
  for (const char* key : {"l1_data.line_size", "l2.line_size"}) {
    if (facts(key)) return positive(facts, key);
  }
  throw Refused(TOMOGRAPH_INVALID,
                "fact l1_data.line_size is not known, nor l2.line_size; to measure it: "
                "tomograph run --only '*.line_size'");
}

/// A rate as it was when the queueing curves were measured, whatever `predict --set` puts in its place (0: not known).
/// A faster part has the same curve by its share of the rate.
double measured_rate(const Facts& facts, const std::string& key) {
  const auto record = facts(key);
  if (!record) return 0;
  const auto rate = record->at("value").get<double>();
  return record->contains("conditions") ? record->at("conditions").value("in_place_of", rate) : rate;
}

/// Pairs of a load and a latency, as shares of the saturated load.
QueueingCurve curve(const Facts& facts, const std::string& key, double saturated) {
  QueueingCurve curve;
  const auto record = facts(key);
  if (!record) return curve;
  for (const auto& [load, latency] : record->at("value").get<std::vector<std::pair<double, double>>>()) {
    if (!curve.load.empty() && load / saturated <= curve.load.back()) continue;
    curve.load.push_back(load / saturated);
    curve.latency.push_back(latency);
  }
  return curve;
}

CtaLaunch launch(const Facts& facts) {
  CtaLaunch launch{.turnover = number(facts, "device.cta_turnover", 0)};
  const auto record = facts("device.cta_launch_rate");
  if (!record) return launch;
  for (const auto& [warps, rate] : record->at("value").get<std::vector<std::pair<double, double>>>()) {
    launch.warps.push_back(warps);
    launch.cycles.push_back(1 / rate);
  }
  constexpr double warps_of_curve = 8;  // plugins/probes/workloads
  launch.queue = curve(facts, "device.cta_queueing_curve", 1 / launch.cycles_of(warps_of_curve));
  return launch;
}

std::array<double, kernel::operation_count> latencies(const Facts& facts) {
  using kernel::Operation;
  std::array<double, kernel::operation_count> latency{};
  latency.fill(1);
  for (const auto& [operation, key] : {std::pair{Operation::integer, "instruction.int32_mad.completion_latency"},
                                       std::pair{Operation::fp32, "instruction.fp32_fma.completion_latency"},
                                       std::pair{Operation::fp64, "instruction.fp64_fma.completion_latency"},
                                       std::pair{Operation::special, "instruction.special.completion_latency"},
                                       std::pair{Operation::shared_load, "shared.latency"}}) {
    latency[static_cast<std::size_t>(operation)] = number(facts, key, 1);
  }
  return latency;
}

/// The policy by its name in topologies.
void set_replacement(kernel::CacheShape& shape, const Value& record) {
  using kernel::Replacement;
  const auto name = record.at("value").get<std::string>();
  for (const auto& [known, policy] :
       {std::pair{"lru", Replacement::lru}, std::pair{"fifo", Replacement::fifo},
        std::pair{"segmented-lru", Replacement::segmented_lru}, std::pair{"tree-plru", Replacement::tree_plru}}) {
    if (name == known) shape.replacement = policy;
  }
  if (shape.replacement != Replacement::segmented_lru) return;
  shape.protected_ways = shape.ways / 2;
  if (!record.contains("conditions")) return;
  shape.protected_ways = record.at("conditions").value("protected_ways", shape.protected_ways);
}

/// The masks of a linear index; none of others.
std::vector<std::uint64_t> masks_of(const Value& index) {
  std::vector<std::uint64_t> masks;
  if (index.contains("bits")) {
    for (const auto bit : index.at("bits").get<std::vector<std::int64_t>>()) masks.push_back(std::uint64_t{1} << bit);
  }
  return index.contains("masks") ? cache::masks_in(index.at("masks")) : masks;
}

kernel::CacheShape shape(const Facts& facts, const std::string& cache, double size, std::int64_t unit) {
  kernel::CacheShape shape;
  shape.line = static_cast<std::int64_t>(number(facts, cache + ".line_size", line_bytes(facts)));
  shape.line = std::max(shape.line, unit);
  shape.ways = static_cast<std::int64_t>(number(facts, cache + ".ways", static_cast<double>(shape.ways)));
  shape.size = static_cast<std::int64_t>(size);
  if (const auto index = facts(cache + ".index")) {
    const auto masks = masks_of(index->at("value"));
    // Of a cache larger than a page, an index shows the bits of addresses that lie within one.
    const auto told_apart = static_cast<double>(std::uint64_t{1} << masks.size());
    if (number(facts, cache + ".sets", told_apart) == told_apart) shape.masks = masks;
  }
  if (const auto replacement = facts(cache + ".replacement")) set_replacement(shape, *replacement);
  return shape;
}

}  // namespace

std::int64_t miss_bytes(const Facts& facts) {
  return static_cast<std::int64_t>(number(facts, "l1_data.fetch_granularity", request_bytes));
}

Machine machine_of(const Facts& facts, double miss_bytes) {
  Machine machine;
  machine.clock_hz = positive(facts, "device.sm_clock");
  machine.sms = positive_whole(facts, "device.sm_count");
  machine.issue_width = 1 / positive(facts, "instruction.fp32_fma.issue_latency");
  machine.max_warps_per_sm = positive_whole(facts, "device.max_warps_per_sm");
  machine.max_ctas_per_sm = max_ctas_per_sm(facts);
  machine.llc_latency = positive(facts, "l2.latency");
  machine.dram_latency = std::max(0.0, positive(facts, "dram.latency") - machine.llc_latency);
  const double llc = positive(facts, "l2.bandwidth.gather");
  const double dram = positive(facts, "dram.bandwidth.gather");
  // A miss takes a request, however many bytes it fetches.
  machine.noc_bandwidth = llc / request_bytes * miss_bytes;
  machine.dram_bandwidth = dram / request_bytes * miss_bytes;
  machine.outstanding_misses = outstanding_misses(facts);
  machine.line_bytes = line_bytes(facts);
  if (const auto bandwidth = number(facts, "l1_data.bandwidth.read")) {
    machine.l1_passes = *bandwidth / number(facts, "l1_data.line_size", machine.line_bytes);
    machine.l1_lines = number(facts, "l1_data.lookups_per_cycle", machine.l1_passes);
  }
  machine.sm_requests = number(facts, "l2.bandwidth.gather_per_sm", 0) / request_bytes;
  const auto rate = [&](double gather, const std::string& level) {
    return Rate{gather / request_bytes / machine.clock_hz,
                number(facts, level + ".bandwidth.read", 0) / machine.clock_hz,
                number(facts, level + ".bandwidth.write", 0) / machine.clock_hz};
  };
  machine.launch = launch(facts);
  machine.llc = rate(llc, "l2");
  machine.dram = rate(dram, "dram");
  machine.noc_queue =
      curve(facts, "noc.queueing_curve",
            measured_rate(facts, "l2.bandwidth.gather_per_sm") * measured_rate(facts, "device.sm_clock"));
  machine.llc_queue = curve(facts, "l2.queueing_curve", measured_rate(facts, "l2.bandwidth.gather"));
  machine.dram_queue = curve(facts, "dram.queueing_curve", measured_rate(facts, "dram.bandwidth.gather"));
  return machine;
}

kernel::ProfiledMachine profiled_machine_of(const Facts& facts) {
  kernel::ProfiledMachine machine;
  machine.sms = static_cast<std::int64_t>(positive_whole(facts, "device.sm_count"));
  machine.max_warps_per_sm = static_cast<std::int64_t>(positive_whole(facts, "device.max_warps_per_sm"));
  machine.max_ctas_per_sm = static_cast<std::int64_t>(max_ctas_per_sm(facts));
  machine.greedy = true;  // as NVIDIA's schedulers are (Huerta et al. 2025)
  machine.miss_bytes = miss_bytes(facts);
  machine.l1 = shape(facts, "l1_data", number(facts, "l1_data.size", 0), machine.miss_bytes);
  machine.llc = shape(facts, "l2", number(facts, "l2.size", number(facts, "l2.nominal_size", 0)), machine.miss_bytes);
  machine.latency = latencies(facts);
  machine.llc_latency = positive(facts, "l2.latency");
  machine.l1_latency = number(facts, "l1_data.latency", machine.llc_latency);
  machine.memory_latency = positive(facts, "dram.latency");
  return machine;
}

}  // namespace tomograph::mdm
