#ifndef TOMOGRAPH_SIM_GPU_SM_GROUPS_HPP
#define TOMOGRAPH_SIM_GPU_SM_GROUPS_HPP

#include <cstdint>
#include <vector>

#include "sim/gpu/rules.hpp"

namespace tomograph::sim {

class Section;

inline constexpr std::int64_t maximum_sms = 65536;

/// SMs that share one instance of something, each SM in exactly one group. Empty: each SM has an instance of its own.
using SmGroups = std::vector<std::vector<std::int64_t>>;

/// The group of each of `sm_count` SMs.
[[nodiscard]] std::vector<std::uint32_t> group_of_each_sm(const SmGroups& groups, std::int64_t sm_count);

[[nodiscard]] Broken sm_groups_violation(const SmGroups& groups, std::int64_t sm_count, const std::string& key);

/// shared_by: the groups themselves, or how many SMs in a row make one.
[[nodiscard]] SmGroups read_shared_by(const Section& section, std::int64_t sm_count);

}  // namespace tomograph::sim

#endif
