#include "experiments.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "tomograph/scalars.hpp"

namespace tomograph::tensor {

namespace {

/// Bound of laps and trials, far beyond what the probes request.
constexpr std::int64_t most = 1 << 20;

/// A parameter that is one of `values`, which ascend. @throws std::invalid_argument.
std::int64_t one_of(const Experiment& experiment, const char* name, std::span<const std::int64_t> values) {
  const std::int64_t value = scalar_in(experiment, name, values.front(), values.back());
  if (std::ranges::find(values, value) != values.end()) return value;
  throw std::invalid_argument("parameter '" + std::string(name) + "' must not be " + std::to_string(value));
}

ProductsAnswer answer_in(const Answer& answer) {
  ProductsAnswer result{list_of<std::int64_t>(answer.arrays, "cycles")};
  if (result.cycles.empty()) throw std::invalid_argument("array 'cycles' is empty");
  return result;
}

}  // namespace

Experiment encode(const ProductsRequest& request) {
  return {products_id,
          {{"form", static_cast<std::int64_t>(request.form)},
           {"warps", request.warps},
           {"ilp", request.ilp},
           {"laps", request.laps},
           {"trial", request.trial}}};
}
ProductsRequest decode_products(const Experiment& experiment) {
  constexpr auto last = static_cast<std::int64_t>(forms.size()) - 1;
  return {.form = static_cast<std::size_t>(scalar_in(experiment, "form", 0, last)),
          .warps = one_of(experiment, "warps", warp_counts),
          .ilp = one_of(experiment, "ilp", ilps),
          .laps = scalar_in(experiment, "laps", 1, most),
          .trial = scalar_in(experiment, "trial", 0, most)};
}

Experiment encode(const WarpgroupRequest& request) {
  return {warpgroup_id,
          {{"form", static_cast<std::int64_t>(request.form)},
           {"warpgroups", request.warpgroups},
           {"one_by_one", std::int64_t{request.one_by_one ? 1 : 0}},
           {"laps", request.laps},
           {"trial", request.trial}}};
}
WarpgroupRequest decode_warpgroup_products(const Experiment& experiment) {
  constexpr auto last = static_cast<std::int64_t>(warpgroup_forms.size()) - 1;
  return {.form = static_cast<std::size_t>(scalar_in(experiment, "form", 0, last)),
          .warpgroups = scalar_in(experiment, "warpgroups", 1, most_warpgroups),
          .one_by_one = scalar_in(experiment, "one_by_one", 0, 1) == 1,
          .laps = scalar_in(experiment, "laps", 1, most),
          .trial = scalar_in(experiment, "trial", 0, most)};
}

Arrays encode(const ProductsAnswer& answer) { return {{"cycles", answer.cycles}}; }
ProductsAnswer decode_result(const ProductsRequest& /*request*/, const Answer& answer) { return answer_in(answer); }
ProductsAnswer decode_result(const WarpgroupRequest& /*request*/, const Answer& answer) { return answer_in(answer); }

}  // namespace tomograph::tensor
