#ifndef TOMOGRAPH_INSTRUCTION_HPP
#define TOMOGRAPH_INSTRUCTION_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "tomograph/abi/instruction.h"
#include "tomograph/experiment.hpp"
#include "tomograph/sm_runs.hpp"

/// The experiment tomograph.instruction/1 as a value. abi/instruction.h defines the meaning of every field.
namespace tomograph::instruction {

enum class Type : std::int64_t {
  fp32_add = TOMOGRAPH_FP32_ADD,
  fp32_fma = TOMOGRAPH_FP32_FMA,
  int32_add = TOMOGRAPH_INT32_ADD,
  int32_mad = TOMOGRAPH_INT32_MAD,
  fp64_fma = TOMOGRAPH_FP64_FMA,
  fp16x2_fma = TOMOGRAPH_FP16X2_FMA,
  special = TOMOGRAPH_SPECIAL,
  special_software = TOMOGRAPH_SPECIAL_SOFTWARE,
  constant_load = TOMOGRAPH_CONSTANT_LOAD,
};
inline constexpr std::array types{Type::fp32_add,  Type::fp32_fma,         Type::int32_add,
                                  Type::int32_mad, Type::fp64_fma,         Type::fp16x2_fma,
                                  Type::special,   Type::special_software, Type::constant_load};

/// The name of the type in fact keys and in descriptions of GPUs, e.g. "fp32_add".
[[nodiscard]] const char* name(Type type);

enum class Body : std::int64_t { short_body = TOMOGRAPH_SHORT_BODY, long_body = TOMOGRAPH_LONG_BODY };

struct Program {
  Type type = Type::fp32_add;
  std::int64_t ilp = 1;
  std::int64_t warps = 1;
  std::int64_t ctas = 1;
  Body body = Body::short_body;
  std::int64_t passes = 1;
  std::int64_t repetitions = 1;
  std::int64_t trial = 0;

  bool operator==(const Program&) const = default;
};

/// The request for `program`. Inverse of `decode`.
[[nodiscard]] Experiment encode(const Program& program);

/// The program of a request. @throws std::invalid_argument naming the parameter that is missing, of the wrong type
/// or length, unknown or not defined.
[[nodiscard]] Program decode(const Experiment& experiment);

/// The runs in `answer`, the answer to `program`. @throws std::invalid_argument if arrays are missing or there is not
/// one run for each repetition.
[[nodiscard]] inline SmRuns decode_result(const Program& program, const Answer& answer) {
  return decode_sm_runs(answer, program.repetitions);
}

/// The rule that `program` breaks, of abi/instruction.h, or nothing.
[[nodiscard]] std::optional<std::string> violation(const Program& program);

}  // namespace tomograph::instruction

#endif
