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

/// Numbers of which no prediction overflows.
constexpr double least_number = 1e-18;
constexpr double most_number = 1e18;
/// SMs, and warps or CTAs of one.
constexpr double most_units = 65536;
/// Lines of the caches that are simulated: of the L1s of all SMs, or of the L2. A line takes 48 B.
constexpr std::int64_t most_lines = std::int64_t{1} << 26;
/// Units of a line that a cache tells apart (sdk/source/kernel/profile/cache_contents.hpp).
constexpr std::int64_t most_units_of_line = 64;
constexpr std::int64_t most_fetched = 4096;
/// Each access looks through the ways of a set: with 4096, some kernels take minutes.
constexpr double most_ways = 4096;

[[noreturn]] void refuse(const Facts& facts, const std::string& key, const std::string& expected) {
  const auto record = facts.record(key);
  if (!record) throw Refused(TOMOGRAPH_INVALID, "fact " + key + " is not known, expected " + expected);
  throw Refused(TOMOGRAPH_INVALID, "fact " + key + " is " + to_json(record->at("value")) + ", expected " + expected);
}

std::optional<double> number(const Facts& facts, const std::string& key) {
  const auto record = facts.record(key);
  if (!record) return std::nullopt;
  const auto value = record->at("value").get<double>();
  if (value == 0 || (value >= least_number && value <= most_number)) return value;
  refuse(facts, key, "a positive number from 1e-18 to 1e18");
}

double number(const Facts& facts, const std::string& key, double fallback) {
  return number(facts, key).value_or(fallback);
}

double positive(const Facts& facts, const std::string& key) {
  const auto value = number(facts, key);
  if (!value || *value == 0) refuse(facts, key, "a positive number");
  return *value;
}

double whole(const Facts& facts, const std::string& key, double most) {
  const double value = positive(facts, key);
  if (value == std::floor(value) && value >= 1 && value <= most) return value;
  refuse(facts, key, "a whole number from 1 to " + std::to_string(static_cast<std::int64_t>(most)));
}

double outstanding_misses(const Facts& facts) {
  const char* const key = "l1_data.outstanding_misses";
  return positive(facts, facts.record(key) ? key : "l1_data.outstanding_misses_at_least");
}

double line_bytes(const Facts& facts) {
  const char* const key = "l1_data.line_size";
  return positive(facts, facts.record(key) ? key : "l2.line_size");
}

double max_ctas_per_sm(const Facts& facts) {
  const char* const key = "device.max_blocks_per_sm";
  return facts.record(key) ? whole(facts, key, most_units) : Machine{}.max_ctas_per_sm;
}

/// Bytes that a miss of the L1 fetches.
std::int64_t miss_bytes(const Facts& facts) {
  const char* const key = "l1_data.fetch_granularity";
  const auto bytes = number(facts, key, request_bytes);
  if (bytes > 0 && bytes <= most_fetched && std::fmod(bytes, request_bytes) == 0)
    return static_cast<std::int64_t>(bytes);
  refuse(facts, key, "a multiple of 32 B up to " + std::to_string(most_fetched) + " B");
}

/// A rate as it was when the queueing curves were measured, whatever `predict --set` puts in its place (0: not known).
/// A faster part has the same curve by its share of the rate.
double measured_rate(const Facts& facts, const std::string& key) {
  const auto record = facts.record(key);
  if (!record) return 0;
  const auto rate = record->at("value").get<double>();
  return record->contains("conditions") ? record->at("conditions").value("in_place_of", rate) : rate;
}

/// Pairs of a load and a latency, as shares of the saturated load.
QueueingCurve curve(const Facts& facts, const std::string& key, double saturated) {
  QueueingCurve curve;
  const auto record = facts.record(key);
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
  const auto record = facts.record("device.cta_launch_rate");
  if (!record) return launch;
  for (const auto& [warps, rate] : record->at("value").get<std::vector<std::pair<double, double>>>()) {
    launch.warps.push_back(warps);
    launch.cycles.push_back(1 / rate);
  }
  constexpr double warps_of_curve = 8;  // plugins/probes/workloads
  launch.queue = curve(facts, "device.cta_queueing_curve", 1 / launch.cycles_of(warps_of_curve));
  return launch;
}

/// Rates of atomics on 4-byte words, which fill sectors.
void set_atomics(Machine& machine, const Facts& facts) {
  constexpr double words_of_sector = request_bytes / 4;
  machine.llc_atomics = number(facts, "atomics.global.add_u32.total.throughput", 0) / words_of_sector;
  machine.llc_reductions = number(facts, "atomics.global.add_u32.reduction.total.throughput", 0) / words_of_sector;
  if (machine.llc_reductions == 0) machine.llc_reductions = machine.llc_atomics;
  const auto record = facts.record("atomics.global.add_u32.hot.throughput_by_bytes");
  if (!record) return;
  const auto by_bytes = record->at("value").get<std::vector<std::pair<double, double>>>();
  if (!by_bytes.empty()) machine.line_atomics = by_bytes.back().second / words_of_sector;
}

/// Rates of random stores. The model counts the read of a sector that is written in part, so the rest is the write.
void set_stores(Machine& machine, const Facts& facts) {
  const auto sectors = [&](double rate) { return rate / request_bytes / machine.clock_hz; };
  // On an H200, the L2 takes 40 single sectors per cycle of either.
  machine.llc.scatter = sectors(number(facts, "l2.bandwidth.scatter", 0));
  if (machine.llc.scatter == 0) machine.llc.scatter = machine.llc_atomics;
  const double reads_and_writes = sectors(number(facts, "dram.bandwidth.scatter", 0));
  if (reads_and_writes == 0) return;
  const double write = 1 / reads_and_writes - 1 / sectors(measured_rate(facts, "dram.bandwidth.gather"));
  if (write > 0) machine.dram.scatter = 1 / write;
}

/// A cycle for operations whose time the GPU cannot show.
std::array<double, kernel::operation_count> latencies(const Facts& facts) {
  std::array<double, kernel::operation_count> latency{};
  latency.fill(1);
  for (const auto& [operation, key] : completion_latencies) {
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

/// Not known without the fact. The entries of a table may share slices, which it does not tell.
kernel::SliceFunction slice_function(const Facts& facts) {
  const char* const key = "l2.slice_function";
  const auto record = facts.record(key);
  if (!record) return {};
  const Value& value = record->at("value");
  kernel::SliceFunction function;
  if (value.contains("parities")) function.parities = cache::masks_in(value.at("parities"));
  if (value.contains("number")) function.number = cache::masks_in(value.at("number"));
  if (value.contains("divided_by")) function.divided_by = value.at("divided_by").get<std::uint64_t>();
  constexpr std::size_t address_bits = 64;  // more masks than bits are no function of an address
  if (function.divided_by > 0 && function.parities.size() + function.number.size() < address_bits) return function;
  refuse(facts, key, "fewer than 64 masks and a positive number that divides");
}

/// Slices of the last level cache; 0: not known.
double slices(const Facts& facts) {
  const char* const key = "l2.slices";
  return facts.record(key) ? whole(facts, key, most_units) : 0;
}

/// Bytes of a cache's line, which are at least those that a miss fetches.
std::int64_t line_of(const Facts& facts, const std::string& cache, std::int64_t unit) {
  const std::string key = cache + ".line_size";
  const double bytes = std::max(number(facts, key, line_bytes(facts)), static_cast<double>(unit));
  const double units = bytes / static_cast<double>(unit);
  if (units == std::floor(units) && units <= most_units_of_line) return static_cast<std::int64_t>(bytes);
  refuse(facts, key,
         "a multiple of the " + std::to_string(unit) + " B that a miss fetches, up to " +
             std::to_string(most_units_of_line * unit) + " B");
}

/// Bytes of a cache of which there are `count`; 0 without the fact.
std::int64_t size_of(const Facts& facts, const std::string& key, std::int64_t line, std::int64_t count) {
  const double size = number(facts, key, 0);
  const std::int64_t most = most_lines / count * line;
  if (size == 0 || (size >= static_cast<double>(line) && size <= static_cast<double>(most)))
    return static_cast<std::int64_t>(size);
  refuse(facts, key, "a line (" + std::to_string(line) + " B) to " + std::to_string(most) + " B");
}

std::int64_t ways_of(const Facts& facts, const std::string& cache, const kernel::CacheShape& shape) {
  const std::string key = cache + ".ways";
  if (!facts.record(key)) return shape.ways;
  const std::int64_t lines = shape.size / shape.line;
  return static_cast<std::int64_t>(
      whole(facts, key, lines > 0 ? std::min(static_cast<double>(lines), most_ways) : most_ways));
}

void set_partitions(kernel::ProfiledMachine& machine, const Facts& facts) {
  constexpr double most_partitions = 64;  // readers that a line of CacheContents tells apart
  const auto far = number(facts, "l2.latency.far");
  if (!far || !facts.record("l2.partition.count")) return;
  machine.llc_far_latency = *far;
  machine.llc_partitions = static_cast<std::int64_t>(whole(facts, "l2.partition.count", most_partitions));
  const auto replicated = facts.record("l2.partition.replicated");
  machine.llc_keeps_copies = replicated && replicated->at("value").get<bool>();
}

std::vector<std::pair<double, double>> memory_latency_by_bytes(const Facts& facts) {
  const auto record = facts.record("dram.request.completion_latency_by_element");
  if (!record) return {};
  auto latencies = record->at("value").get<std::vector<std::pair<double, double>>>();
  for (auto& [bytes, latency] : latencies) bytes *= kernel::warp_lanes;
  return latencies;
}

/// A cache whose size a fact tells. There are `count` of them.
kernel::CacheShape shape(const Facts& facts, const std::string& cache, const std::string& size, std::int64_t unit,
                         std::int64_t count) {
  kernel::CacheShape shape;
  shape.line = line_of(facts, cache, unit);
  shape.size = size_of(facts, size, shape.line, count);
  shape.ways = ways_of(facts, cache, shape);
  if (const auto index = facts.record(cache + ".index")) {
    const auto masks = masks_of(index->at("value"));
    // Of a cache larger than a page, an index shows the bits of addresses that lie within one.
    const auto told_apart = static_cast<double>(std::uint64_t{1} << masks.size());
    if (number(facts, cache + ".sets", told_apart) == told_apart) shape.masks = masks;
  }
  if (const auto replacement = facts.record(cache + ".replacement")) set_replacement(shape, *replacement);
  return shape;
}

/// Share of the L1 that is left beside the carve-out for which a kernel asks: beside the least measured one that is as
/// large, as devices round up. 1 if it is not known.
double share_beside(const Facts& facts, std::int64_t carveout) {
  const char* const key = "l1_data.size_by_carveout";
  const auto record = facts.record(key);
  if (!record || carveout < 0) return 1;
  const auto left = record->at("value").get<std::vector<std::pair<double, double>>>();
  if (left.empty() || left.front().first != 0) return 1;
  const auto is_enough = [&](const auto& row) { return row.first >= static_cast<double>(carveout); };
  const auto row = std::ranges::find_if(left, is_enough);
  const double share = (row == left.end() ? left.back() : *row).second / left.front().second;
  if (share >= 0) return std::min(share, 1.0);
  refuse(facts, key, "sizes that are positive");
}

kernel::CacheShape l1_shape(const Facts& facts, std::int64_t unit, std::int64_t sms, std::int64_t carveout) {
  kernel::CacheShape l1 = shape(facts, "l1_data", "l1_data.size", unit, sms);
  const double left = static_cast<double>(l1.size) * share_beside(facts, carveout);
  l1.size = static_cast<std::int64_t>(left) / l1.line * l1.line;
  return l1;
}

}  // namespace

Facts facts_of(const Session& session) {
  return {.record = [&session](const std::string& key) { return session.fact_record(key); },
          .is_absent = [&session](const std::string& key) { return session.absence(key).has_value(); }};
}

std::optional<std::int64_t> memory_size(const Facts& facts) {
  const auto bytes = number(facts, "dram.size");
  return bytes ? std::optional(static_cast<std::int64_t>(*bytes)) : std::nullopt;
}

Machine machine_of(const Facts& facts, double miss_bytes) {
  Machine machine;
  machine.clock_hz = positive(facts, "device.sm_clock");
  machine.sms = whole(facts, "device.sm_count", most_units);
  machine.issue_width = 1 / positive(facts, "instruction.fp32_fma.issue_latency");
  machine.max_warps_per_sm = whole(facts, "device.max_warps_per_sm", most_units);
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
  for (const auto& [operation, key] : issue_latencies) {
    machine.unit_cycles[static_cast<std::size_t>(operation)] = number(facts, key, 0);
  }
  machine.launch = launch(facts);
  machine.llc = rate(llc, "l2");
  machine.llc_slices = slices(facts);
  set_atomics(machine, facts);
  machine.dram = rate(dram, "dram");
  set_stores(machine, facts);
  machine.noc_queue =
      curve(facts, "noc.queueing_curve",
            measured_rate(facts, "l2.bandwidth.gather_per_sm") * measured_rate(facts, "device.sm_clock"));
  machine.llc_queue = curve(facts, "l2.queueing_curve", measured_rate(facts, "l2.bandwidth.gather"));
  machine.dram_queue = curve(facts, "dram.queueing_curve", measured_rate(facts, "dram.bandwidth.gather"));
  return machine;
}

kernel::ProfiledMachine profiled_machine_of(const Facts& facts, std::int64_t carveout) {
  kernel::ProfiledMachine machine;
  machine.sms = static_cast<std::int64_t>(whole(facts, "device.sm_count", most_units));
  machine.max_warps_per_sm = static_cast<std::int64_t>(whole(facts, "device.max_warps_per_sm", most_units));
  machine.max_ctas_per_sm = static_cast<std::int64_t>(max_ctas_per_sm(facts));
  machine.greedy = true;  // as NVIDIA's schedulers are (Huerta et al. 2025)
  machine.miss_bytes = miss_bytes(facts);
  machine.l1 = l1_shape(facts, machine.miss_bytes, machine.sms, carveout);
  const char* const llc_size = facts.record("l2.size") ? "l2.size" : "l2.nominal_size";
  machine.llc = shape(facts, "l2", llc_size, machine.miss_bytes, 1);
  machine.latency = latencies(facts);
  machine.llc_latency = positive(facts, "l2.latency");
  set_partitions(machine, facts);
  machine.llc_slice = slice_function(facts);
  machine.llc_slices = static_cast<std::int64_t>(slices(facts));
  machine.l1_latency = number(facts, "l1_data.latency", machine.llc_latency);
  machine.memory_latency = positive(facts, "dram.latency");
  machine.memory_latency_by_bytes = memory_latency_by_bytes(facts);
  return machine;
}

}  // namespace tomograph::mdm
