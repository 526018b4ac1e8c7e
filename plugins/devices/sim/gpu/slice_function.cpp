#include "sim/gpu/slice_function.hpp"

#include <algorithm>

#include "sim/gpu/cache.hpp"
#include "sim/gpu/section.hpp"
#include "sim/random.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::sim {

std::uint64_t SliceFunction::divided(std::uint64_t address) const {
  return address >> factor_shift >> number_masks.size() << number_masks.size() |
         analysis::parities(address, number_masks);
}

std::uint32_t SliceFunction::number(std::uint64_t address) const {
  return static_cast<std::uint32_t>(divided(address) % static_cast<std::uint64_t>(factor) << masks.size() |
                                    analysis::parities(address, masks));
}

std::uint32_t SliceFunction::operator()(std::uint64_t address) const {
  const std::int64_t own = number(address);
  const auto off = std::ranges::lower_bound(disabled, own);
  const auto below = static_cast<std::uint32_t>(off - disabled.begin());
  if (off == disabled.end() || *off != own) return static_cast<std::uint32_t>(own) - below;
  return static_cast<std::uint32_t>(mix(address) % static_cast<std::uint64_t>(slices()));
}

Broken violation(const SliceFunction& function, std::int64_t slices, std::int64_t line_size) {
  const std::string key = "l2.slice_function.";
  if (auto broken = mask_range_violation(function.masks, line_size, key + "masks")) return broken;
  if (auto broken = mask_range_violation(function.number_masks, line_size, key + "number_masks")) return broken;
  if (!std::ranges::is_sorted(function.disabled, std::ranges::less_equal()) ||
      (!function.disabled.empty() && function.disabled.back() >= function.numbers())) {
    return Violation{key + "disabled", "must ascend below " + text(function.numbers())};
  }
  if (function.parallel_sms % function.equal_sms != 0) {
    return Violation{key + "parallel_sms", "is no multiple of equal_sms"};
  }
  if (function.slices() != slices) {
    return Violation{"l2.slices", "is " + text(slices) + ", but slice_function makes " + text(function.slices())};
  }
  return at_most(key + "twins", function.twins, "l2.slices", slices);
}

Broken sms_violation(const SliceFunction& function, std::int64_t sm_count) {
  const std::string key = "l2.slice_function.";
  if (auto broken = at_most(key + "equal_sms", function.equal_sms, "sm_count", sm_count)) return broken;
  if (auto broken = at_most(key + "parallel_sms", function.parallel_sms, "sm_count", sm_count)) return broken;
  return sm_groups_violation(function.parallel_groups, sm_count, key + "parallel_groups");
}

SliceFunction read_slice_function(const Section& section) {
  SliceFunction function;
  if (section.has("masks")) function.masks = read_masks(section, "masks");
  function.factor = section.integer("factor", 1);
  function.factor_shift = section.integer("factor_shift", function.factor_shift);
  if (section.has("number_masks")) function.number_masks = read_masks(section, "number_masks");
  if (section.has("disabled")) function.disabled = section.integers("disabled");
  function.twins = section.integer("twins", 1);
  function.equal_sms = section.integer("equal_sms", 1);
  function.parallel_sms = section.integer("parallel_sms", function.equal_sms);
  if (section.has("parallel_groups")) function.parallel_groups = section.integer_lists("parallel_groups");
  function.requests_per_cycle = section.number("requests_per_cycle", 1);
  function.atomics_per_cycle = section.number("atomics_per_cycle", 1);
  function.copy_cycles = section.integer("copy_cycles", 0);
  function.rate_sigma = section.number("rate_sigma", 0);
  return function;
}

}  // namespace tomograph::sim
