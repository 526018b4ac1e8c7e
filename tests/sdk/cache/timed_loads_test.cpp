#include "catch.hpp"
#include "memory_host.hpp"
#include "tomograph/cache/levels.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/cache/translation.hpp"

using namespace tomograph;

TEST_CASE("where a translation comes before each load, programs time no more loads of L2 than a device keeps") {
  MemoryHost host;
  host.facts = {{"device.max_shared_memory_per_block", R"({"value": 49152})"},
                {"l2.hit_threshold", R"({"value": 300.0})"},
                {"l2.hit_threshold.false_miss", R"({"value": 0.001})"},
                {"l2.hit_threshold.false_hit", R"({"value": 0.001})"}};
  const Session session(*host.abi());
  const cache::Subject subject = cache::known_subject(session, cache::l2);
  chase::Program program = cache::program_for(subject, cache::page_bytes);
  cache::add_ring(program, {0, 0, 4096, 512});
  program.phases = {{0, 0, 0, subject.most_timed, chase::Timing::each}};
  std::int64_t timed = 0;
  const auto execute = cache::with_translations([&](std::span<const chase::Program> asked) {
    timed = asked.front().phases.front().loads;
    const auto loads = static_cast<std::size_t>(timed);
    chase::Result::Trace trace{std::vector<std::uint32_t>(loads), std::vector<std::uint32_t>(loads)};
    return std::vector{chase::Result{.traces = {std::move(trace)}}};
  });
  CHECK(execute({&program, 1}).front().traces.front().latency.size() == static_cast<std::size_t>(subject.most_timed));
  constexpr std::int64_t kept = (49152 - 2048) / chase::node_bytes;
  CHECK(timed > subject.most_timed);
  CHECK(timed <= kept);
}
