#include "tomograph/instruction.hpp"

#include <stdexcept>

#include "scalar_parameters.hpp"

namespace tomograph::instruction {

const char* name(Type type) {
  switch (type) {
    case Type::fp32_add: return "fp32_add";
    case Type::fp32_fma: return "fp32_fma";
    case Type::int32_add: return "int32_add";
    case Type::int32_mad: return "int32_mad";
    case Type::fp64_fma: return "fp64_fma";
    case Type::fp16x2_fma: return "fp16x2_fma";
    case Type::special: return "special";
    case Type::special_software: return "special_software";
    case Type::constant_load: return "constant_load";
  }
  throw std::invalid_argument("there is no such type of instruction");
}

Experiment encode(const Program& program) {
  return encode_scalars(TOMOGRAPH_INSTRUCTION_ID, {{"type", static_cast<std::int64_t>(program.type)},
                                                   {"ilp", program.ilp},
                                                   {"warps", program.warps},
                                                   {"ctas", program.ctas},
                                                   {"body", static_cast<std::int64_t>(program.body)},
                                                   {"passes", program.passes},
                                                   {"repetitions", program.repetitions},
                                                   {"trial", program.trial}});
}

Program decode(const Experiment& experiment) {
  const ScalarParameters scalars(experiment,
                                 {"type", "ilp", "warps", "ctas", "body", "passes", "repetitions", "trial"});
  return {.type = scalars.enumerator("type", Type::constant_load),
          .ilp = scalars.at("ilp"),
          .warps = scalars.at("warps"),
          .ctas = scalars.at("ctas"),
          .body = scalars.enumerator("body", Body::long_body),
          .passes = scalars.at("passes"),
          .repetitions = scalars.at("repetitions"),
          .trial = scalars.at("trial")};
}

std::optional<std::string> violation(const Program& program) {
  if (program.ilp != 1 && program.ilp != 2 && program.ilp != 4) return "ilp is not 1, 2 or 4";
  if (auto why = outside("warps", program.warps, 1, 32)) return why;
  if (auto why = outside("ctas", program.ctas, 1, 32)) return why;
  if (auto why = outside("passes", program.passes, 1, 65536)) return why;
  return outside("repetitions", program.repetitions, 1, 1024);
}

}  // namespace tomograph::instruction
