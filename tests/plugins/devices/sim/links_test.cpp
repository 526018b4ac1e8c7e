#include <algorithm>
#include <cmath>
#include <string>

#include "catch.hpp"
#include "measuring.hpp"
#include "sim/links/facts.hpp"
#include "sound_description.hpp"
#include "tomograph/remote_chase.hpp"
#include "tomograph/transfer.hpp"

namespace tomograph::sim {

namespace {

using transfer::pinned;

/// Four GPUs; 1 and 3 have a slow link, 0 and 2 none.
Gpu node_of_four() {
  Gpu gpu = gpu_with_l1(classical_cache(128, std::vector<std::int64_t>(32, 4)));
  gpu.sm_clock_mhz = 1000;
  gpu.host = HostLink{.latency_ns = 1200,
                      .copy_latency_ns = 2000,
                      .read = 50e9,
                      .write = 52e9,
                      .copy_in = 54e9,
                      .copy_out = 55e9,
                      .both_ways = 80e9,
                      .pageable_in = 10e9,
                      .pageable_out = 11e9,
                      .page_fault_ns = 25000,
                      .numa_node = 1};
  const GpuLink usual{.latency_ns = 900,
                      .atomic_latency_ns = 1000,
                      .copy_latency_ns = 2000,
                      .read = 370e9,
                      .write = 372e9,
                      .copy = 400e9,
                      .both_ways = 700e9};
  GpuLink slow = usual;
  slow.copy = 100e9;
  slow.atomic_latency_ns.reset();
  gpu.node = Node{.gpus = 4, .own = 1, .link = usual, .pairs = {{{1, 3}, slow}, {{0, 2}, std::nullopt}}};
  return gpu;
}

Answer asked(const Gpu& gpu, const Experiment& experiment, const Options& options = quiet) {
  return Simulator(gpu, options, 1).execute(std::vector{experiment}).front();
}

constexpr std::int64_t large = std::int64_t{1} << 32;

/// GB/s of each route, all together.
std::vector<double> rates(const Gpu& gpu, std::vector<transfer::Route> routes) {
  const transfer::Program program{.routes = std::move(routes), .bytes = large};
  const Answer answer = asked(gpu, transfer::encode(program));
  if (answer.status != TOMOGRAPH_OK) throw std::runtime_error(answer.reason);
  const auto result = transfer::decode_result(program, answer);
  std::vector<double> found;
  for (std::size_t i = 0; i < program.routes.size(); ++i) found.push_back(result.rate(program, i) / 1e9);
  return found;
}

double nanoseconds(const Gpu& gpu, const remote_chase::Program& program) {
  return remote_chase::decode_result(program, asked(gpu, remote_chase::encode(program))).seconds(program).front() * 1e9;
}

}  // namespace

TEST_CASE("a copy takes its latency and the time of its bytes on its link") {
  const Gpu gpu = node_of_four();
  CHECK(rates(gpu, {{1, 0}})[0] == Approx(400).epsilon(0.001));
  CHECK(rates(gpu, {{1, 3}})[0] == Approx(100).epsilon(0.001));
  CHECK(rates(gpu, {{pinned, 1}})[0] == Approx(54).epsilon(0.001));
  const transfer::Program brief{.routes = {{1, 0}}, .bytes = 4096, .passes = 10};
  const auto result = transfer::decode_result(brief, asked(gpu, transfer::encode(brief)));
  CHECK(result.elapsed_ns[0] == Approx(10 * (2000 + 4096 / 400.0)));
}

TEST_CASE("copies at the same time share what they both pass") {
  Gpu gpu = node_of_four();
  CHECK(rates(gpu, {{1, 0}, {0, 1}})[1] == Approx(350).epsilon(0.001));
  CHECK(rates(gpu, {{1, pinned}, {pinned, 1}})[0] == Approx(40).epsilon(0.001));
  CHECK(rates(gpu, {{1, 0}, {1, 2}})[0] == Approx(400).epsilon(0.001));
  gpu.node.port = 400e9;
  CHECK(rates(gpu, {{1, 0}, {1, 2}})[0] == Approx(200).epsilon(0.001));
  gpu.node.fabric = 150e9;
  CHECK(rates(gpu, {{1, 0}, {2, 3}})[1] == Approx(75).epsilon(0.001));
}

TEST_CASE("SMs read and write the memories that are next to them") {
  const Gpu gpu = node_of_four();
  const auto rate = [&](transfer::Route route) {
    const transfer::Program program{.routes = {route}, .engine = transfer::Engine::sms, .bytes = large};
    return transfer::decode_result(program, asked(gpu, transfer::encode(program))).rate(program, 0) / 1e9;
  };
  CHECK(rate({0, 1}) == Approx(370).epsilon(0.001));
  CHECK(rate({1, 0}) == Approx(372).epsilon(0.001));
  CHECK(rate({pinned, 1}) == Approx(50).epsilon(0.001));
  const transfer::Program others{.routes = {{2, 3}}, .engine = transfer::Engine::sms};
  CHECK(asked(gpu, transfer::encode(others)).status == TOMOGRAPH_UNSUPPORTED);
}

TEST_CASE("each access of a remote chase takes the latency of its link") {
  const Gpu gpu = node_of_four();
  CHECK(nanoseconds(gpu, {.place = 0, .nodes = 8, .steps = 100}) == Approx(900));
  CHECK(nanoseconds(gpu, {.place = pinned, .nodes = 8, .steps = 100}) == Approx(1200));
  CHECK(nanoseconds(gpu, {.place = 0, .operation = remote_chase::Operation::atomic, .nodes = 8, .steps = 9}) ==
        Approx(1000));
  CHECK(nanoseconds(gpu, {.place = transfer::managed, .nodes = 8, .stride = 4096, .steps = 8}) == Approx(25000));
}

TEST_CASE("what a node lacks is unsupported, with the reason") {
  Gpu gpu = node_of_four();
  gpu.node.own = 0;
  const auto reason = [&](const Experiment& experiment) {
    const Answer answer = asked(gpu, experiment);
    CHECK(answer.status == TOMOGRAPH_UNSUPPORTED);
    return answer.reason;
  };
  CHECK(reason(transfer::encode(transfer::Program{.routes = {{0, 2}}})) == "no peer access to GPU 2");
  CHECK(reason(transfer::encode(transfer::Program{.routes = {{0, 4}}})) == "there is no GPU 4");
  gpu.host.reset();
  CHECK(reason(remote_chase::encode({.place = pinned})) == "the host of this GPU is not described");
}

TEST_CASE("repetitions of a link differ by the described deviation, and by nothing without noise") {
  Gpu gpu = node_of_four();
  gpu.node.sigma = 0.01;
  const Experiment experiment = remote_chase::encode({.place = 0, .steps = 100, .runs = 64});
  const auto answer = asked(gpu, experiment, {1, true});
  const auto cycles = numbers<double>(answer.arrays, "cycles");
  double square = 0;
  for (const double run : cycles) square += (run / 90000 - 1) * (run / 90000 - 1);
  CHECK(std::sqrt(square / 64) == Approx(0.01).epsilon(0.3));
  CHECK(asked(gpu, experiment).arrays == asked(gpu, experiment, {2, false}).arrays);
}

TEST_CASE("a node reports its GPUs and what links them") {
  const auto facts = link_facts(node_of_four());
  const auto value = [&](std::string_view key) {
    return std::ranges::find_if(facts, [&](const LinkFact& fact) { return fact.key == key; })->value;
  };
  CHECK(value("device.gpus").elements().size() == 4);
  CHECK(value("device.gpu") == 1);
  CHECK(value("device.numa_node") == 1);
  CHECK(to_json(value("device.peer_access")) == "[[0,true],[2,true],[3,true]]");
  CHECK(to_json(value("device.native_atomics")) == "[[0,true],[2,true],[3,false]]");
  CHECK(link_facts(gpu_with_l1(classical_cache(128, {4}))).empty());
}

TEST_CASE("a wrong node is refused with its place") {
  const std::string link = "{ latency_ns = 900, copy_latency_ns = 2000, read = 1e9, write = 1e9, copy = 1e9 }";
  const auto node = [&](const std::string& pair) {
    return error_of(sound + "[node]\ngpus = 3\nlink = " + link + "\n[[node.pair]]\nbetween = " + pair + "\n");
  };
  CHECK(node("[0, 2]") == "no error");
  CHECK_THAT(node("[1, 1]"), Catch::Matchers::ContainsSubstring("names the same GPU twice"));
  CHECK_THAT(node("[1, 3]"), Catch::Matchers::ContainsSubstring("is 3, must be at most 2"));
}

}  // namespace tomograph::sim
