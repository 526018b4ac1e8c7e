#include "tomograph/chase.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "catch.hpp"
#include "edited_arrays.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::Arrays;
using tomograph::Experiment;

namespace chase = tomograph::chase;

namespace {

/// Two arrays, one an alias of the other; a shuffled, a sequential and a listed ring; two actors; all timings.
chase::Program rich_program() {
  return {.arrays = {{.bytes = 1 << 21}, {.bytes = 1 << 21, .alias = 0}},
          .rings = {{.array = 0, .start = 0, .stride = 128, .count = 16, .order = chase::Order::shuffled, .seed = 7},
                    {.array = 0, .start = 1 << 20, .stride = 32, .count = 8},
                    {.array = 1, .count = 3, .nodes = {4096, 64, 8192}}},
          .actors = {{.sm = 3, .path = chase::Path::global_cg}, {.path = chase::Path::global_nc, .threads = 32}},
          .phases = {{.actor = 1, .ring = 0, .loads = 16},
                     {.actor = 0, .ring = 1, .first = 2, .loads = 8, .timing = chase::Timing::total},
                     {.actor = 0, .ring = 2, .loads = 3, .timing = chase::Timing::each}},
          .carveout = 65536,
          .alone = true,
          .trial = 5};
}

chase::Program small_program() {
  return {.arrays = {{.bytes = 4096}},
          .rings = {{.stride = 128, .count = 32}},
          .actors = {{}},
          .phases = {{.loads = 32, .timing = chase::Timing::each}}};
}

}  // namespace

TEST_CASE("a program survives the boundary unchanged") {
  CHECK(chase::decode(chase::encode(rich_program())) == rich_program());
  CHECK(chase::decode(chase::encode(small_program())) == small_program());
}

TEST_CASE("absent optional parameters take the defaults of the header") {
  const std::set<std::string_view> optional{"array.alias",   "ring.order",  "ring.seed", "ring.nodes", "actor.sm",
                                            "actor.threads", "phase.first", "carveout",  "alone",      "trial"};
  Experiment experiment = chase::encode(small_program());
  experiment.parameters = only(experiment.parameters, [&](std::string_view name) { return !optional.contains(name); });
  CHECK(chase::decode(experiment) == small_program());
}

TEST_CASE("a request that is no chase names the parameter at fault") {
  Experiment experiment = chase::encode(small_program());

  SECTION("missing") {
    experiment.parameters = without(experiment.parameters, "ring.stride");
    CHECK_THROWS_WITH(chase::decode(experiment), ContainsSubstring("'ring.stride' is missing"));
  }
  SECTION("wrong type") {
    experiment.parameters = with(experiment.parameters, {"ring.stride", 128.0});
    CHECK_THROWS_WITH(chase::decode(experiment), ContainsSubstring("'ring.stride' has the wrong element type"));
  }
  SECTION("wrong length") {
    experiment.parameters = with(experiment.parameters, {"ring.stride", std::vector<std::int64_t>{128, 128}});
    CHECK_THROWS_WITH(chase::decode(experiment), ContainsSubstring("'ring.stride' has 2 elements, expected 1"));
  }
  SECTION("no such enumerator") {
    experiment.parameters = with(experiment.parameters, {"actor.path", std::int64_t{99}});
    CHECK_THROWS_WITH(chase::decode(experiment), ContainsSubstring("'actor.path' has no meaning for 99"));
  }
  SECTION("unknown") {
    experiment.parameters.add({"ring.colour", std::int64_t{1}});
    CHECK_THROWS_WITH(chase::decode(experiment), ContainsSubstring("unknown parameter"));
  }
  SECTION("twice") {
    experiment.parameters.add(Arrays(experiment.parameters).front());
    CHECK_THROWS_WITH(chase::decode(experiment), ContainsSubstring("'array.bytes' occurs twice"));
  }
}

TEST_CASE("the parameters of a chase may come in any order") {
  Experiment experiment = chase::encode(rich_program());
  const Arrays in_order = experiment.parameters;
  experiment.parameters = {};
  for (std::size_t i = in_order.size(); i > 0; --i) experiment.parameters.add(in_order[i - 1]);
  CHECK(chase::decode(experiment) == rich_program());
}

TEST_CASE("a program that keeps the rules has no violation") {
  CHECK(chase::violation(rich_program()) == std::nullopt);
  CHECK(chase::violation(small_program()) == std::nullopt);
}

TEST_CASE("every broken rule of a program is named") {
  struct Case {
    const char* expected;
    std::function<void(chase::Program&)> break_rule;
  };
  const std::vector<Case> cases{
      {"empty or larger", [](auto& program) { program.arrays[0].bytes = 0; }},
      {"empty or larger", [](auto& program) { program.arrays[0].bytes = (std::int64_t{1} << 40) + 8; }},
      {"does not come before", [](auto& program) { program.arrays[0].alias = 0; }},
      {"of another size", [](auto& program) { program.arrays.push_back({.bytes = 8192, .alias = 0}); }},
      {"names an array", [](auto& program) { program.rings[0].array = 1; }},
      {"no nodes", [](auto& program) { program.rings[0].count = 0; }},
      {"overlap", [](auto& program) { program.rings[0].stride = 4; }},
      {"outside its array", [](auto& program) { program.rings[0].count = 33; }},
      {"outside its array", [](auto& program) { program.rings[0].start = -128; }},
      {"outside its array",
       [](auto& program) { program.rings[0].start = std::numeric_limits<std::int64_t>::max() - 7; }},
      {"misaligned", [](auto& program) { program.rings[0].start = 4; }},
      {"two nodes overlap", [](auto& program) { program.rings.push_back({.stride = 8, .count = 17}); }},
      {"no or more than 1024 threads", [](auto& program) { program.actors[0].threads = 0; }},
      {"negative SM", [](auto& program) { program.actors[0].sm = -2; }},
      {"actor that does not exist", [](auto& program) { program.phases[0].actor = 1; }},
      {"ring that does not exist", [](auto& program) { program.phases[0].ring = -1; }},
      {"starts at a node", [](auto& program) { program.phases[0].first = 32; }},
      {"no loads", [](auto& program) { program.phases[0].loads = 0; }},
      {"each load of several threads", [](auto& program) { program.actors[0].threads = 2; }},
      {"carve-out is negative", [](auto& program) { program.carveout = -5; }},
  };
  for (const Case& broken : cases) {
    chase::Program program = small_program();
    broken.break_rule(program);
    const auto violation = chase::violation(program);
    INFO(broken.expected);
    REQUIRE(violation.has_value());
    CHECK_THAT(*violation, ContainsSubstring(broken.expected));
  }
}

TEST_CASE("a sequential ring visits its nodes by address") {
  CHECK(chase::node_offsets({.start = 64, .stride = 128, .count = 3}) == std::vector<std::int64_t>{64, 192, 320});
}

TEST_CASE("a listed ring visits its nodes in the order of the list") {
  CHECK(chase::node_offsets({.nodes = {512, 0, 64}}) == std::vector<std::int64_t>{512, 0, 64});
}

TEST_CASE("a shuffled ring visits every node once, in an order fixed by its seed on every machine") {
  const chase::Ring ring{.start = 0, .stride = 8, .count = 8, .order = chase::Order::shuffled, .seed = 1};
  CHECK(chase::node_offsets(ring) == std::vector<std::int64_t>{0, 32, 56, 16, 8, 24, 40, 48});

  chase::Ring large = ring;
  large.count = 5000;
  auto visited = chase::node_offsets(large);
  large.seed = 2;
  CHECK(visited != chase::node_offsets(large));
  std::ranges::sort(visited);
  large.order = chase::Order::sequential;
  CHECK(visited == chase::node_offsets(large));
}

TEST_CASE("a result survives the boundary cut into its timed phases") {
  const chase::Program program = rich_program();
  const chase::Result result{.traces = {{{40, 41, 300}, {0, 1, 2}}},
                             .totals = {320.5},
                             .overhead_each = 2,
                             .overhead_total = 12,
                             .sms = {3, 17},
                             .kernel_shared = 1024};
  const chase::Result back = chase::decode_result(program, {chase::encode(result)});
  REQUIRE(back.traces.size() == 1);
  CHECK(back.traces[0].latency == result.traces[0].latency);
  CHECK(back.traces[0].node == result.traces[0].node);
  CHECK(back.totals == result.totals);
  CHECK(back.overhead_each == 2);
  CHECK(back.overhead_total == 12);
  CHECK(back.sms == result.sms);
  CHECK(back.kernel_shared == 1024);
}

TEST_CASE("an answer that does not fit its program is refused, not read out of bounds") {
  const chase::Program program = small_program();
  chase::Result result{
      .traces = {{std::vector<std::uint32_t>(32, 40), std::vector<std::uint32_t>(32, 0)}}, .totals = {}, .sms = {0}};
  SECTION("too short") {
    result.traces[0].latency.pop_back();
    CHECK_THROWS_WITH(chase::decode_result(program, {chase::encode(result)}), ContainsSubstring("too short"));
  }
  SECTION("too long") {
    result.traces[0].latency.push_back(40);
    CHECK_THROWS_WITH(chase::decode_result(program, {chase::encode(result)}), ContainsSubstring("too long"));
  }
  SECTION("a total that nobody asked for") {
    result.totals.push_back(1);
    CHECK_THROWS_WITH(chase::decode_result(program, {chase::encode(result)}),
                      ContainsSubstring("'total' does not fit"));
  }
  SECTION("a node that the ring lacks") {
    result.traces[0].node[5] = 4'000'000'000;
    CHECK_THROWS_WITH(chase::decode_result(program, {chase::encode(result)}),
                      ContainsSubstring("'node' has node 4000000000 of a ring of"));
  }
  SECTION("an SM that nobody asked for") {
    chase::Program on_one = program;
    on_one.actors[0].sm = 0;
    result.sms = {77};
    CHECK_THROWS_WITH(chase::decode_result(on_one, {chase::encode(result)}),
                      ContainsSubstring("'sm' has SM 77 for an actor on SM 0"));
  }
  SECTION("an overhead that is no number") {
    result.overhead_each = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(chase::decode_result(program, {chase::encode(result)}), ContainsSubstring("not finite"));
  }
  SECTION("an array missing") {
    CHECK_THROWS_WITH(chase::decode_result(program, Answer{}), ContainsSubstring("'latency' is missing"));
  }
}

TEST_CASE("the overhead of timing is taken off each load") {
  const chase::Result result{.traces = {{{37, 40}, {0, 1}}}, .overhead_each = 4.5};
  CHECK(result.net_latencies() == std::vector<double>{32.5, 35.5});
  CHECK_THROWS_AS(result.net_latencies(1), std::out_of_range);
}
