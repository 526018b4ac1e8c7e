#include "tomograph/divergence.hpp"

#include "scalar_parameters.hpp"

namespace tomograph::divergence {

Experiment encode(const Program& program) {
  return encode_scalars(TOMOGRAPH_DIVERGENCE_ID, {{"width", program.width},
                                                  {"warps", program.warps},
                                                  {"body", static_cast<std::int64_t>(program.body)},
                                                  {"passes", program.passes},
                                                  {"repetitions", program.repetitions},
                                                  {"trial", program.trial}});
}

Program decode(const Experiment& experiment) {
  const ScalarParameters scalars(experiment, {"width", "warps", "body", "passes", "repetitions", "trial"});
  return {.width = scalars.at("width"),
          .warps = scalars.at("warps"),
          .body = scalars.enumerator("body", instruction::Body::long_body),
          .passes = scalars.at("passes"),
          .repetitions = scalars.at("repetitions"),
          .trial = scalars.at("trial")};
}

std::optional<std::string> violation(const Program& program) {
  if (auto why = outside("width", program.width, 1, 1024)) return why;
  if (auto why = outside("warps", program.warps, 1, 32)) return why;
  if (auto why = outside("passes", program.passes, 1, 65536)) return why;
  return outside("repetitions", program.repetitions, 1, 1024);
}

}  // namespace tomograph::divergence
