#include "tomograph/instruction.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "edited_arrays.hpp"
#include "tomograph/divergence.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

instruction::Program some_instruction() {
  return {.type = instruction::Type::fp64_fma,
          .ilp = 2,
          .warps = 24,
          .ctas = 2,
          .body = instruction::Body::long_body,
          .passes = 7,
          .repetitions = 25,
          .trial = 3};
}

divergence::Program some_divergence() {
  return {.width = 3, .warps = 24, .body = instruction::Body::long_body, .passes = 7, .repetitions = 25, .trial = 3};
}

}  // namespace

TEST_CASE("requests come back as they were") {
  CHECK(instruction::decode(instruction::encode(some_instruction())) == some_instruction());
  CHECK(divergence::decode(divergence::encode(some_divergence())) == some_divergence());
  CHECK_FALSE(instruction::violation(some_instruction()));
  CHECK_FALSE(divergence::violation(some_divergence()));
}

TEST_CASE("a request that lacks, repeats or invents a parameter is refused by its name") {
  Experiment lacking = instruction::encode(some_instruction());
  lacking.parameters = without(lacking.parameters, "type");
  CHECK_THROWS_WITH(instruction::decode(lacking), ContainsSubstring("'type'"));
  Experiment inventive = divergence::encode(some_divergence());
  inventive.parameters.add({"depth", std::int64_t{1}});
  CHECK_THROWS_WITH(divergence::decode(inventive), ContainsSubstring("'depth'"));
  Experiment two = divergence::encode(some_divergence());
  two.parameters = with(two.parameters, {"width", std::vector<std::int64_t>{1, 2}});
  CHECK_THROWS_WITH(divergence::decode(two), ContainsSubstring("'width'"));
  Experiment meaningless = instruction::encode(some_instruction());
  meaningless.parameters = with(meaningless.parameters, {"type", std::int64_t{9}});
  CHECK_THROWS_WITH(instruction::decode(meaningless), ContainsSubstring("'type' has no meaning for 9"));
}

TEST_CASE("numbers out of range are violations") {
  const auto broken = [](auto change) {
    instruction::Program program = some_instruction();
    change(program);
    return instruction::violation(program).value_or("none");
  };
  CHECK(broken([](auto& program) { program.ilp = 3; }) == "ilp is not 1, 2 or 4");
  CHECK(broken([](auto& program) { program.warps = 33; }) == "warps is 33, must be from 1 to 32");
  CHECK(broken([](auto& program) { program.ctas = 0; }) == "ctas is 0, must be from 1 to 32");
  CHECK(broken([](auto& program) { program.passes = 0; }) == "passes is 0, must be from 1 to 65536");
  CHECK(broken([](auto& program) { program.repetitions = 1025; }) == "repetitions is 1025, must be from 1 to 1024");
  divergence::Program diverging = some_divergence();
  diverging.width = 0;
  CHECK(divergence::violation(diverging).value_or("none") == "width is 0, must be from 1 to 1024");
}

TEST_CASE("runs of SMs come back as they were, and must be as many as were asked for") {
  const SmRuns runs{{{1000, 4, 2, 2}, {1010, 7, 3, 1}}, 512};
  const Answer answer{encode(runs), TOMOGRAPH_OK, {}};
  CHECK(decode_sm_runs(answer, 2) == runs);
  CHECK_THROWS_AS(decode_sm_runs(answer, 3), std::invalid_argument);
}
