#include "tomograph/kernel.hpp"

#include "catch.hpp"
#include "edited_arrays.hpp"

using Catch::Matchers::ContainsSubstring;

namespace kernel = tomograph::kernel;
using kernel::Access;
using kernel::Kernel;
using kernel::Operation;
using kernel::Step;

namespace {

Step load_of(kernel::Pattern pattern) {
  return {.operation = Operation::load, .access = Access{.pattern = pattern, .span = 1 << 20}};
}

/// Every pattern, and every kind of need.
Kernel rich_kernel() {
  Kernel kernel{.warps = 3,
                .ctas = 10,
                .ctas_per_sm = 2,
                .iterations = 7,
                .footprint = 1 << 20,
                .warm_passes = 0,
                .carveout = 4096,
                .timed = 1,
                .sms = {4, 2},
                .trial = 9};
  kernel.loop = {load_of(kernel::Stride{2, 64, 5, 1}),
                 load_of(kernel::Hash{4, 64, 17}),
                 load_of(kernel::Gather{0}),
                 load_of(kernel::Stencil{64, -1, 2}),
                 load_of(kernel::Csr{9}),
                 load_of(kernel::Column{128}),
                 {.operation = Operation::fp32, .count = 4, .lanes = 7, .needs = {0, 3, 7 + 6}}};
  kernel.loop[1].access->cache = kernel::Cache::cg;
  return kernel;
}

/// What is wrong with the rich kernel after a change.
template <typename Change>
std::string complaint(Change change) {
  Kernel kernel = rich_kernel();
  change(kernel);
  const auto broken = violation(kernel);
  return broken ? to_string(*broken) : "";
}

}  // namespace

TEST_CASE("a kernel survives the way to the device and back") {
  const Kernel kernel = rich_kernel();
  CHECK(kernel::decode(encode(kernel)) == kernel);
  CHECK(violation(kernel) == std::nullopt);
}

TEST_CASE("a result survives the way back") {
  const kernel::Result result{.elapsed_ns = 5, .cycles = {1, 2}, .clock_hz = 3, .latency = 4, .instructions = 6};
  const auto back = kernel::decode_result({}, {.arrays = encode(result)});
  CHECK(back.cycles == result.cycles);
  CHECK(back.latency == 4);
  CHECK(back.instructions == 6);
}

TEST_CASE("a parameter that is unknown, missing or of the wrong length is named") {
  auto experiment = encode(rich_kernel());
  experiment.parameters.add({"wraps", std::int64_t{1}});
  CHECK_THROWS_WITH(kernel::decode(experiment), ContainsSubstring("'wraps' is unknown"));
  experiment = encode(rich_kernel());
  experiment.parameters = tomograph::with(experiment.parameters, {"lanes", std::int64_t{1}});
  CHECK_THROWS_WITH(kernel::decode(experiment), ContainsSubstring("'lanes' has 1 elements"));
  CHECK_THROWS_WITH(kernel::decode({TOMOGRAPH_KERNEL_ID, {}}), ContainsSubstring("'warps'"));
}

TEST_CASE("a kernel that no device can execute is refused with the rule that it breaks") {
  CHECK(complaint([](Kernel& k) { k.warps = 0; }) == "warps is 0, expected 1 to 32");
  CHECK(complaint([](Kernel& k) { k.sms = {3, 3}; }) == "sm names an SM twice");
  CHECK(complaint([](Kernel& k) { k.loop.clear(); }) == "instruction is 0, expected 1 to 64");
  CHECK(complaint([](Kernel& k) { k.timed = 6; }) == "timed is no load");
  CHECK(complaint([](Kernel& k) { k.loop[0].lanes = 33; }) == "instruction 0: lanes is 33, expected 1 to 32");
  CHECK(complaint([](Kernel& k) { k.loop[0].count = 2; }) == "instruction 0: count is 2, expected 1 to 1");
}

TEST_CASE("needs that are cyclic, too many or of nothing are refused") {
  CHECK_THAT(complaint([](Kernel& k) { k.loop[6].needs = {6}; }), ContainsSubstring("needs is cyclic"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[0].needs = {3}; }), ContainsSubstring("needs is cyclic"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[0].needs = {7, 8, 9}; }), ContainsSubstring("at most 2"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[6].needs = {14}; }), ContainsSubstring("expected 0 to 13"));
  CHECK_THAT(complaint([](Kernel& k) {
               k.loop[5] = {.operation = Operation::barrier};
               k.loop[6].needs = {5};
             }),
             ContainsSubstring("without a result"));
}

TEST_CASE("accesses outside of the footprint and patterns that do not fit are refused") {
  CHECK_THAT(complaint([](Kernel& k) { k.loop[0].access->span += 32; }), ContainsSubstring("span is"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[0].access->element = 3; }), ContainsSubstring("power of 2"));
  CHECK_THAT(complaint([](Kernel& k) {
               k.loop[1].access->pattern = kernel::Hash{32, 64};
             }),
             ContainsSubstring("block is smaller"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[2].access->pattern = kernel::Gather{6}; }), ContainsSubstring("index"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[3].access->pattern = kernel::Stencil{33}; }),
             ContainsSubstring("multiple of 32"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[4].access->pattern = kernel::Csr{4096}; }),
             ContainsSubstring("a row for each thread"));
  CHECK_THAT(complaint([](Kernel& k) { k.loop[5].access->pattern = kernel::Column{100}; }),
             ContainsSubstring("whole rows"));
}

TEST_CASE("a gather by memory that the kernel writes is refused, since its addresses would be unknown") {
  CHECK_THAT(complaint([](Kernel& k) { k.loop[5].operation = Operation::store; }), ContainsSubstring("writes"));
}

TEST_CASE("instructions are counted as the interface says") {
  Kernel kernel{.warps = 2, .ctas = 3, .iterations = 5, .footprint = 1 << 20};
  kernel.loop = {load_of(kernel::Hash{}), load_of(kernel::Gather{0}), {.operation = Operation::fp32, .count = 6}};
  kernel.loop[2].needs = {1};
  // 3 + 1, 2 + 1, 6; one combines the result of the last; 3 are those of the loop.
  CHECK(instructions_per_iteration(kernel) == 17);
  CHECK(instructions(kernel) == 17 * 2 * 3 * 5);
  kernel.loop[1].needs = {0};
  CHECK(instructions_per_iteration(kernel) == 19);
}

TEST_CASE("nothing waits for an atomic whose result nothing needs") {
  Kernel kernel{.iterations = 5, .footprint = 1 << 20};
  Step atomic = load_of(kernel::Hash{});
  atomic.operation = Operation::atomic;
  kernel.loop = {atomic};
  CHECK(kernel::needed_results(kernel) == std::vector{false});
  CHECK(kernel::unneeded_results(kernel).empty());
  kernel.loop.push_back({.operation = Operation::fp32, .needs = {0}});
  CHECK(kernel::needed_results(kernel) == std::vector{true, false});
  CHECK(kernel::unneeded_results(kernel) == std::vector<std::int64_t>{1});
}
