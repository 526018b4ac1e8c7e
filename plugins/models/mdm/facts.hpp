#ifndef TOMOGRAPH_MDM_FACTS_HPP
#define TOMOGRAPH_MDM_FACTS_HPP

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "machine.hpp"
#include "tomograph/fact.hpp"
#include "tomograph/kernel/profile.hpp"

namespace tomograph::mdm {

/// The record of a fact by its key, a table with `value` and `conditions`; nothing if it is not known.
using Facts = std::function<std::optional<Value>(const std::string& key)>;

/// The facts that the model reads. What is not optional is there.
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
    optional_need("l2.bandwidth.read"),
    optional_need("l2.bandwidth.write"),
    optional_need("l2.bandwidth.gather_per_sm"),
    optional_need("l2.queueing_curve"),
    optional_need("noc.queueing_curve"),
    optional_need("dram.bandwidth.read"),
    optional_need("dram.bandwidth.write"),
    optional_need("dram.queueing_curve"),
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
};

/// Bytes that a miss of the L1 fetches.
[[nodiscard]] std::int64_t miss_bytes(const Facts& facts);

/// @throws Refused as invalid, naming the facts, if neither number of misses in flight is known or a number is not
/// positive.
[[nodiscard]] Machine machine_of(const Facts& facts, double miss_bytes);

/// The machine as the profile needs it. Without facts about the L1, loads miss it. Where the replacement of a cache is
/// not known, or none that kernel::Replacement names, it is taken as random.
[[nodiscard]] kernel::ProfiledMachine profiled_machine_of(const Facts& facts);

}  // namespace tomograph::mdm

#endif
