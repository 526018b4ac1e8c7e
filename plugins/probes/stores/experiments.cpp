#include "experiments.hpp"

#include <stdexcept>

#include "tomograph/scalars.hpp"

namespace tomograph::stores {

namespace {

/// Bounds far beyond what the probe requests.
constexpr std::int64_t most_lines = 4096;
constexpr std::int64_t most_stride = 65536;
constexpr std::int64_t most_trials = 4096;
constexpr std::int64_t most_laps = 1 << 20;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
/// Two words, of which neighbours are stored to.
constexpr std::int64_t least_stride = 8;

}  // namespace

Experiment encode(const AccessesRequest& request) {
  return {accesses_id,
          {{"before", static_cast<std::int64_t>(request.before)},
           {"lines", request.lines},
           {"stride", request.stride},
           {"trial", request.trial}}};
}

AccessesRequest decode_accesses(const Experiment& experiment) {
  AccessesRequest request{.before = enumerator_in(experiment, "before", Before::load_then_neighbour),
                          .lines = scalar_in(experiment, "lines", 1, most_lines),
                          .stride = scalar_in(experiment, "stride", least_stride, most_stride),
                          .trial = scalar_in(experiment, "trial", 0, most_trials)};
  if (request.stride % least_stride != 0) throw std::invalid_argument("parameter 'stride' is not a multiple of 8");
  return request;
}

Arrays encode(const AccessesAnswer& answer) { return {{"cycles", answer.cycles}}; }

AccessesAnswer decode_result(const AccessesRequest& request, const Answer& answer) {
  AccessesAnswer result{list_of<std::int64_t>(answer.arrays, "cycles")};
  if (result.cycles.size() == static_cast<std::size_t>(request.lines)) return result;
  throw std::invalid_argument("array 'cycles' has not one element for each line");
}

Experiment encode(const WritesRequest& request) {
  return {writes_id,
          {{"order", static_cast<std::int64_t>(request.order)},
           {"alone", std::int64_t{request.alone ? 1 : 0}},
           {"laps", request.laps},
           {"trial", request.trial}}};
}

WritesRequest decode_writes(const Experiment& experiment) {
  return {.order = enumerator_in(experiment, "order", Order::words),
          .alone = scalar_in(experiment, "alone", 0, 1) == 1,
          .laps = scalar_in(experiment, "laps", 1, most_laps),
          .trial = scalar_in(experiment, "trial", 0, most_trials)};
}

Arrays encode(const WritesAnswer& answer) {
  return {{"writes", std::vector{answer.writes}}, {"nanoseconds", std::vector{answer.nanoseconds}}};
}

WritesAnswer decode_result(const WritesRequest& /*request*/, const Answer& answer) {
  return {scalar<std::int64_t>(answer.arrays, "writes"), scalar<double>(answer.arrays, "nanoseconds")};
}

Experiment encode(const RefillsRequest& request) {
  return {refills_id,
          {{"stores", std::int64_t{request.stores ? 1 : 0}}, {"bytes", request.bytes}, {"trial", request.trial}}};
}

RefillsRequest decode_refills(const Experiment& experiment) {
  return {.stores = scalar_in(experiment, "stores", 0, 1) == 1,
          .bytes = scalar_in(experiment, "bytes", 1, most_bytes),
          .trial = scalar_in(experiment, "trial", 0, most_trials)};
}

Arrays encode(const RefillsAnswer& answer) { return {{"nanoseconds", std::vector{answer.nanoseconds}}}; }

RefillsAnswer decode_result(const RefillsRequest& /*request*/, const Answer& answer) {
  return {scalar<double>(answer.arrays, "nanoseconds")};
}

}  // namespace tomograph::stores
