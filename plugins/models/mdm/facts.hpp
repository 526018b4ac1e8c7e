#ifndef TOMOGRAPH_MDM_FACTS_HPP
#define TOMOGRAPH_MDM_FACTS_HPP

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "machine.hpp"
#include "tomograph/fact.hpp"
#include "tomograph/kernel/profile.hpp"
#include "tomograph/session.hpp"

namespace tomograph::mdm {

/// What is known of the GPU.
struct Facts {
  /// The record of a fact by its key, a table with `value` and `conditions`; nothing if it is not known.
  std::function<std::optional<Value>(const std::string& key)> record;
  /// Whether the GPU does not have what the fact is about.
  std::function<bool(const std::string& key)> is_absent = [](const std::string&) { return false; };
};

[[nodiscard]] Facts facts_of(const Session& session);

/// The facts that the models read. What is not optional is there. Of the others, used_facts.hpp tells those that a
/// kernel cannot do without.
inline constexpr std::array needs{
    need("device.sm_count"),
    need("device.sm_clock"),
    need("device.max_warps_per_sm"),
    need("instruction.fp32_fma.issue_latency"),
    need("l2.latency"),
    need("l2.bandwidth.gather"),
    need("dram.latency"),
    need("dram.bandwidth.gather"),
    optional_need("l1_data.outstanding_misses"),
    optional_need("l1_data.outstanding_misses_at_least"),
    optional_need("l1_data.size"),
    optional_need("l1_data.size_by_carveout"),
    optional_need("l1_data.line_size"),
    optional_need("l1_data.ways"),
    optional_need("l1_data.sets"),
    optional_need("l1_data.index"),
    optional_need("l1_data.replacement"),
    optional_need("l1_data.fetch_granularity"),
    optional_need("l1_data.latency"),
    optional_need("l1_data.bandwidth.read"),
    optional_need("l1_data.lookups_per_cycle"),
    optional_need("l2.size"),
    optional_need("l2.nominal_size"),
    optional_need("l2.line_size"),
    optional_need("l2.ways"),
    optional_need("l2.sets"),
    optional_need("l2.index"),
    optional_need("l2.replacement"),
    optional_need("l2.latency.far"),
    optional_need("l2.partition.count"),
    optional_need("l2.partition.replicated"),
    optional_need("l2.slice_function"),
    optional_need("l2.slices"),
    optional_need("l2.bandwidth.scatter"),
    optional_need("dram.bandwidth.scatter"),
    optional_need("l2.bandwidth.read"),
    optional_need("l2.bandwidth.write"),
    optional_need("l2.bandwidth.gather_per_sm"),
    optional_need("l2.queueing_curve"),
    optional_need("noc.queueing_curve"),
    optional_need("dram.bandwidth.read"),
    optional_need("dram.bandwidth.write"),
    optional_need("dram.queueing_curve"),
    optional_need("dram.request.completion_latency_by_element"),
    optional_need("dram.size"),
    optional_need("device.max_blocks_per_sm"),
    optional_need("device.cta_launch_rate"),
    optional_need("device.cta_turnover"),
    optional_need("device.cta_queueing_curve"),
    optional_need("shared.latency"),
    optional_need("instruction.int32_mad.completion_latency"),
    optional_need("instruction.fp32_fma.completion_latency"),
    optional_need("instruction.fp64_fma.completion_latency"),
    optional_need("instruction.special.completion_latency"),
    optional_need("instruction.int32_mad.issue_latency"),
    optional_need("instruction.fp64_fma.issue_latency"),
    optional_need("instruction.special.issue_latency"),
    optional_need("atomics.global.add_u32.total.throughput"),
    optional_need("atomics.global.add_u32.reduction.total.throughput"),
    optional_need("atomics.global.add_u32.hot.throughput_by_bytes"),
};

/// The facts about operations that others wait for.
inline constexpr std::array completion_latencies{
    std::pair{kernel::Operation::integer, "instruction.int32_mad.completion_latency"},
    std::pair{kernel::Operation::fp32, "instruction.fp32_fma.completion_latency"},
    std::pair{kernel::Operation::fp64, "instruction.fp64_fma.completion_latency"},
    std::pair{kernel::Operation::special, "instruction.special.completion_latency"},
    std::pair{kernel::Operation::shared_load, "shared.latency"},
};

/// The facts about units that take instructions more slowly than they are issued.
inline constexpr std::array issue_latencies{
    std::pair{kernel::Operation::integer, "instruction.int32_mad.issue_latency"},
    std::pair{kernel::Operation::fp64, "instruction.fp64_fma.issue_latency"},
    std::pair{kernel::Operation::special, "instruction.special.issue_latency"},
};

/// Bytes of the GPU's memory, if they are known.
[[nodiscard]] std::optional<std::int64_t> memory_size(const Facts& facts);

/// @throws Refused as invalid, naming the fact, its value and what was expected, if a number cannot be that of a GPU,
/// or if a fact is not known for which there is no substitute.
[[nodiscard]] Machine machine_of(const Facts& facts, double miss_bytes);

/// The machine as the profile needs it, for kernels that ask for `carveout` bytes of shared memory beside the L1 (-1:
/// the device's default, beside which the L1 is as large as it can be). Without facts about a cache, loads miss it.
/// Where the replacement of a cache is not known, or none that kernel::Replacement names, it is taken as random.
/// @throws Refused as `machine_of`, also if a cache is too large to be simulated.
[[nodiscard]] kernel::ProfiledMachine profiled_machine_of(const Facts& facts, std::int64_t carveout = -1);

}  // namespace tomograph::mdm

#endif
