#ifndef TOMOGRAPH_SIM_GPU_SLICE_FUNCTION_HPP
#define TOMOGRAPH_SIM_GPU_SLICE_FUNCTION_HPP

#include <cstdint>
#include <vector>

#include "sim/gpu/rules.hpp"
#include "sim/gpu/sm_groups.hpp"

namespace tomograph::sim {

class Section;

/// How physical addresses choose their slice of the L2, and how slices answer.
struct SliceFunction {
  /// Bit i of the slice's number is the parity of address & masks[i].
  std::vector<std::uint64_t> masks;
  /// The digit above these bits is a remainder by `factor`, of the address without its lowest `factor_shift` bits.
  std::int64_t factor = 1;
  std::int64_t factor_shift = 12;
  /// Replace the lowest bits of what is divided: bit i is the parity of address & number_masks[i].
  std::vector<std::uint64_t> number_masks = {};
  /// Numbers of slices that are switched off. Their lines go to the others in turn.
  std::vector<std::int64_t> disabled;
  std::int64_t twins = 1;         ///< so many slices in a row are equally far from each SM
  std::int64_t equal_sms = 1;     ///< so many SMs in a row are equally far from each slice
  std::int64_t parallel_sms = 1;  ///< so many SMs in a row differ by the same number of cycles for each slice
  SmGroups parallel_groups;       ///< lists of SMs that do; replaces `parallel_sms` unless empty
  double requests_per_cycle = 1;  ///< of each slice
  double atomics_per_cycle = 1;   ///< of each slice
  std::int64_t copy_cycles = 0;   ///< that a load takes more when another partition is home to the line it copies
  double rate_sigma = 0;          ///< relative deviation of rates under load

  /// Numbers of slices, with those that are switched off.
  [[nodiscard]] std::int64_t numbers() const { return factor << masks.size(); }
  /// The number of a slice, which may be switched off.
  [[nodiscard]] std::uint32_t number(std::uint64_t address) const;
  /// What `factor` divides.
  [[nodiscard]] std::uint64_t divided(std::uint64_t address) const;
  /// Slices that answer.
  [[nodiscard]] std::int64_t slices() const { return numbers() - static_cast<std::int64_t>(disabled.size()); }
  /// The slice of a physical address, of those that answer, from 0.
  [[nodiscard]] std::uint32_t operator()(std::uint64_t address) const;
  /// The place of a slice, equal for twins.
  [[nodiscard]] std::uint32_t place(std::uint32_t slice) const { return slice / static_cast<std::uint32_t>(twins); }
};

[[nodiscard]] Broken violation(const SliceFunction& function, std::int64_t slices, std::int64_t line_size);
/// The first broken rule about SMs that are alike for slices.
[[nodiscard]] Broken sms_violation(const SliceFunction& function, std::int64_t sm_count);
[[nodiscard]] SliceFunction read_slice_function(const Section& section);

}  // namespace tomograph::sim

#endif
