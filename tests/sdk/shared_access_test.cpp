#include "tomograph/shared_access.hpp"

#include <functional>
#include <vector>

#include "catch.hpp"
#include "edited_arrays.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::Arrays;
using tomograph::Experiment;

namespace shared_access = tomograph::shared_access;

namespace {

shared_access::Program rich_program() {
  return {.offsets = {0, 128, 16},
          .width = 16,
          .operation = shared_access::Operation::copy,
          .streams = 4,
          .accesses = 100,
          .warps = 2,
          .ctas = 3,
          .stream_shift = 32,
          .warp_shift = 512,
          .store_shift = 1024,
          .bytes = 4096,
          .mode = 8,
          .trial = 7};
}

shared_access::Program small_program() { return {.accesses = 10, .bytes = 64}; }

}  // namespace

TEST_CASE("a program survives the boundary") {
  CHECK_FALSE(shared_access::violation(rich_program()));
  CHECK(shared_access::decode(shared_access::encode(rich_program())) == rich_program());
}

TEST_CASE("parameters that may be absent have the defaults of the header") {
  Experiment experiment = shared_access::encode(small_program());
  experiment.parameters = only(experiment.parameters, [](std::string_view name) {
    return name == "offset" || name == "accesses" || name == "bytes";
  });
  CHECK(shared_access::decode(experiment) == small_program());
}

TEST_CASE("a request that is no program is refused by the name of the parameter") {
  const Experiment sound = shared_access::encode(small_program());
  const auto refused = [&](const Arrays& parameters, const char* name) {
    CHECK_THROWS_WITH(shared_access::decode({sound.id, parameters}), ContainsSubstring(name));
  };
  refused(without(sound.parameters, "offset"), "'offset' is missing");
  Arrays unknown = sound.parameters;
  unknown.add({"lanes", std::int64_t{1}});
  refused(unknown, "'lanes'");
  Arrays repeated = sound.parameters;
  repeated.add({"width", std::int64_t{4}});
  refused(repeated, "'width' occurs twice");
  refused(with(sound.parameters, {"offset", 1.0}), "'offset'");
  refused(with(sound.parameters, {"operation", std::int64_t{3}}), "'operation'");
  refused(with(sound.parameters, {"width", std::vector<std::int64_t>{4, 4}}), "'width'");
}

TEST_CASE("a program that breaks a rule is told which") {
  const auto broken = [](const std::function<void(shared_access::Program&)>& spoil, const char* rule) {
    shared_access::Program program = rich_program();
    spoil(program);
    REQUIRE(shared_access::violation(program));
    CHECK_THAT(*shared_access::violation(program), ContainsSubstring(rule));
  };
  broken([](auto& program) { program.offsets.clear(); }, "no or more than 32 lanes");
  broken([](auto& program) { program.offsets.assign(33, 0); }, "no or more than 32 lanes");
  broken([](auto& program) { program.offsets[1] = 8; }, "misaligned");
  broken([](auto& program) { program.offsets[1] = -16; }, "negative");
  broken([](auto& program) { program.width = 2; }, "4, 8 or 16 B");
  broken([](auto& program) { program.streams = 3; }, "streams");
  broken([](auto& program) { program.warps = 33; }, "32 warps");
  broken([](auto& program) { program.accesses = 0; }, "no accesses");
  broken([](auto& program) { program.warp_shift = 4; }, "shift");
  // The last load ends at 128 + 3 * 32 + 512 + 16 = 752.
  broken([](auto& program) { program.store_shift = 736; }, "behind all loads");
  broken([](auto& program) { program.bytes = 1024 + 752 - 16; }, "store lies outside");
  broken([](auto& program) { program.operation = shared_access::Operation::load; }, "shift of stores");
  broken([](auto& program) { program.operation = shared_access::Operation::store; }, "shift of stores");
}

TEST_CASE("a result survives the boundary, and one without cycles is none") {
  const shared_access::Result result{{100, 101}, 7};
  const auto decoded = shared_access::decode_result(Answer{shared_access::encode(result)});
  CHECK(decoded.cycles == result.cycles);
  CHECK(decoded.overhead == result.overhead);
  CHECK_THROWS_WITH(shared_access::decode_result(Answer{shared_access::encode(shared_access::Result{})}),
                    ContainsSubstring("empty"));
}
