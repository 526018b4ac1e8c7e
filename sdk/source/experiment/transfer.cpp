#include "tomograph/transfer.hpp"

#include <algorithm>
#include <stdexcept>

#include "scalar_parameters.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::transfer {

namespace {

/// Limits of the format.
constexpr std::int64_t maximum_bytes = std::int64_t{1} << 40;
constexpr std::int64_t maximum_place = 65535;
constexpr std::size_t maximum_routes = 4096;

std::vector<Place> ends(const Program& program, Place Route::*end) {
  std::vector<Place> places;
  places.reserve(program.routes.size());
  for (const Route& route : program.routes) places.push_back(route.*end);
  return places;
}

std::optional<std::string> violation(const Route& route) {
  if (auto why = outside("from", route.from, pageable, maximum_place)) return why;
  if (auto why = outside("to", route.to, pageable, maximum_place)) return why;
  if (route.from == route.to) return "a transfer ends where it begins";
  if (!is_gpu(route.from) && !is_gpu(route.to)) return "neither end of a transfer is a GPU";
  return std::nullopt;
}

bool is_pageable(const Route& route) { return route.from == pageable || route.to == pageable; }

}  // namespace

double Result::seconds(const Program& program, std::size_t route) const {
  return elapsed_ns.at(route) * 1e-9 / static_cast<double>(program.passes);
}

double Result::rate(const Program& program, std::size_t route) const {
  return static_cast<double>(program.bytes) / seconds(program, route);
}

Experiment encode(const Program& program) {
  return {TOMOGRAPH_TRANSFER_ID,
          {{"from", ends(program, &Route::from)},
           {"to", ends(program, &Route::to)},
           {"engine", static_cast<std::int64_t>(program.engine)},
           {"bytes", program.bytes},
           {"passes", program.passes},
           {"ctas_per_sm", program.ctas_per_sm},
           {"trial", program.trial}}};
}

Program decode(const Experiment& experiment) {
  const ScalarParameters scalars(experiment, {"from", "to", "engine", "bytes", "passes", "ctas_per_sm", "trial"});
  const auto from = numbers<std::int64_t>(experiment.parameters, "from");
  const auto to = numbers<std::int64_t>(experiment.parameters, "to");
  if (from.size() != to.size()) throw std::invalid_argument("parameters 'from' and 'to' have different lengths");
  Program program{.engine = scalars.enumerator("engine", Engine::sms),
                  .bytes = scalars.at("bytes"),
                  .passes = scalars.at("passes"),
                  .ctas_per_sm = scalars.at("ctas_per_sm"),
                  .trial = scalars.at("trial")};
  for (std::size_t i = 0; i < from.size(); ++i) program.routes.push_back({from[i], to[i]});
  return program;
}

std::optional<std::string> violation(const Program& program) {
  if (program.routes.empty() || program.routes.size() > maximum_routes) return "there are not 1 to 4096 transfers";
  for (const Route& route : program.routes) {
    if (auto why = violation(route)) return why;
  }
  const bool is_alone = program.routes.size() == 1;
  if (!is_alone && std::ranges::any_of(program.routes, is_pageable)) return "pageable memory is not used alone";
  if (program.engine == Engine::sms) {
    if (!is_alone) return "SMs make more than one transfer";
    if (is_pageable(program.routes.front())) return "SMs do not reach pageable memory";
  }
  if (auto why = outside("bytes", program.bytes, granule, maximum_bytes)) return why;
  if (program.bytes % granule != 0) return "bytes is not a multiple of 4096";
  if (auto why = outside("passes", program.passes, 1, maximum_passes)) return why;
  if (program.ctas_per_sm != 1 && program.ctas_per_sm != 2 && program.ctas_per_sm != 4) {
    return "ctas_per_sm is not 1, 2 or 4";
  }
  return std::nullopt;
}

Arrays encode(const Result& result) { return {{"elapsed", result.elapsed_ns}}; }

Result decode_result(const Program& program, const Answer& answer) {
  Result result{.elapsed_ns = list_of<double>(answer.arrays, "elapsed")};
  if (result.elapsed_ns.size() != program.routes.size()) {
    throw std::invalid_argument("there is not one time for each transfer");
  }
  if (std::ranges::any_of(result.elapsed_ns, [](double time) { return !(time > 0); })) {
    throw std::invalid_argument("a transfer took no time");
  }
  return result;
}

}  // namespace tomograph::transfer
