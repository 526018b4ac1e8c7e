#include "catch.hpp"
#include "tomograph/remote_chase.hpp"
#include "tomograph/transfer.hpp"

using Catch::Matchers::ContainsSubstring;

namespace remote_chase = tomograph::remote_chase;
namespace transfer = tomograph::transfer;

namespace {

transfer::Program rich_transfer() {
  return {.routes = {{0, 1}, {1, 0}, {transfer::pinned, 2}}, .bytes = 8192, .passes = 3, .ctas_per_sm = 2, .trial = 4};
}

std::string complaint(transfer::Program program) { return transfer::violation(program).value_or(""); }
std::string complaint(remote_chase::Program program) { return remote_chase::violation(program).value_or(""); }

}  // namespace

TEST_CASE("a transfer survives the boundary unchanged") {
  CHECK(transfer::decode(transfer::encode(rich_transfer())) == rich_transfer());
  CHECK_FALSE(transfer::violation(rich_transfer()));
  const transfer::Result result{.elapsed_ns = {1000, 2000, 3000}};
  const auto decoded = transfer::decode_result(rich_transfer(), {transfer::encode(result)});
  CHECK(decoded.elapsed_ns == result.elapsed_ns);
  CHECK(decoded.rate(rich_transfer(), 1) == Approx(3 * 8192 / 2e-6));
}

TEST_CASE("a transfer that breaks a rule is told which") {
  const auto one = [](transfer::Route route) { return transfer::Program{.routes = {route}}; };
  CHECK_THAT(complaint(one({1, 1})), ContainsSubstring("ends where it begins"));
  CHECK_THAT(complaint(one({transfer::pinned, transfer::pageable})), ContainsSubstring("is a GPU"));
  CHECK_THAT(complaint(one({transfer::managed, 0})), ContainsSubstring("from is -3"));
  CHECK_THAT(complaint(transfer::Program{}), ContainsSubstring("1 to 4096"));
  CHECK_THAT(complaint({.routes = {{0, transfer::pageable}, {0, 1}}}), ContainsSubstring("alone"));
  CHECK_THAT(complaint({.routes = {{0, 1}, {1, 0}}, .engine = transfer::Engine::sms}), ContainsSubstring("SMs"));
  CHECK_THAT(complaint({.routes = {{0, 1}}, .bytes = 5000}), ContainsSubstring("4096"));
  CHECK_THAT(complaint({.routes = {{0, 1}}, .passes = 257}), ContainsSubstring("passes is 257"));
  CHECK_THAT(complaint({.routes = {{0, 1}}, .ctas_per_sm = 3}), ContainsSubstring("ctas_per_sm"));
}

TEST_CASE("a transfer's answer has one positive time for each route") {
  CHECK_THROWS(transfer::decode_result(rich_transfer(), {transfer::encode(transfer::Result{.elapsed_ns = {1, 2}})}));
  CHECK_THROWS(transfer::decode_result(rich_transfer(), {transfer::encode(transfer::Result{.elapsed_ns = {1, 2, 0}})}));
}

TEST_CASE("a remote chase survives the boundary unchanged") {
  const remote_chase::Program program{.place = 3,
                                      .operation = remote_chase::Operation::atomic,
                                      .nodes = 100,
                                      .stride = 64,
                                      .steps = 50,
                                      .runs = 2,
                                      .trial = 7};
  CHECK(remote_chase::decode(remote_chase::encode(program)) == program);
  CHECK_FALSE(remote_chase::violation(program));
  const remote_chase::Result result{.cycles = {5000, 10000}, .clock_hz = 1e9};
  const auto decoded = remote_chase::decode_result(program, {remote_chase::encode(result)});
  CHECK(decoded.seconds(program) == std::vector{1e-7, 2e-7});
  CHECK_THROWS(remote_chase::decode_result(program, {remote_chase::encode({.cycles = {1}, .clock_hz = 1e9})}));
  CHECK_THROWS(remote_chase::decode_result(program, {remote_chase::encode({.cycles = {1, 2}, .clock_hz = 0})}));
}

TEST_CASE("a remote chase that breaks a rule is told which") {
  CHECK_THAT(complaint({.place = transfer::pageable}), ContainsSubstring("pageable"));
  CHECK_THAT(complaint({.stride = 12}), ContainsSubstring("multiple of 8"));
  CHECK_THAT(complaint({.nodes = 1}), ContainsSubstring("nodes is 1"));
  CHECK_THAT(complaint({.place = transfer::managed, .nodes = 4, .steps = 8}), ContainsSubstring("more than once"));
  CHECK_THAT(complaint({.place = transfer::managed, .nodes = 4, .steps = 1, .runs = 8}),
             ContainsSubstring("more than once"));
  CHECK_FALSE(remote_chase::violation({.place = transfer::managed, .nodes = 4, .steps = 1, .runs = 4}));
}
