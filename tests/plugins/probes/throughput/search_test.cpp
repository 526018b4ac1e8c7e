#include <algorithm>
#include <cmath>

#include "acquire_search.hpp"
#include "analysis_precision.hpp"
#include "catch.hpp"

using namespace tomograph;
using throughput::Point;

namespace {

constexpr throughput::Bounds bounds{.sms = 4, .threads_per_sm = 2048};
constexpr streaming::Program base{.bytes = std::int64_t{64} << 20};

double bandwidth(const streaming::Result& result) { return result.bandwidth(); }

/// A device whose bandwidth is `rate` of the program.
template <typename Rate>
throughput::Execute device(Rate rate) {
  return [rate](std::span<const streaming::Program> batch) {
    std::vector<streaming::Result> results;
    for (const auto& program : batch) {
      results.push_back({.elapsed_ns = 1e9,
                         .cycles = {1},
                         .moved = static_cast<std::int64_t>(rate(program)),
                         .ctas_per_sm = std::min<std::int64_t>(program.ctas_per_sm, 16)});
    }
    return results;
  };
}

double distance(double a, double b) { return std::abs(std::log(a / b)); }

}  // namespace

TEST_CASE("the surface holds what fits an SM and accesses no more than the footprint at a time") {
  const auto all = throughput::surface(base, bounds);
  CHECK(all.size() > 80);
  for (const auto& program : all) CHECK(program.threads * program.ctas_per_sm <= 2048);
  streaming::Program small = base;
  small.bytes = 65536;
  const auto few = throughput::surface(small, bounds);
  CHECK(few.size() < all.size());
  for (const auto& program : few)
    CHECK(streaming::rounded_footprint(program, program.ctas_per_sm, bounds.sms) <= 65536);
}

TEST_CASE("the surface leaves out what has so few accesses in flight that it only takes time") {
  const auto in_flight = [](const streaming::Program& one) { return one.threads * one.ctas_per_sm * one.ilp; };
  const auto all = throughput::surface(base, bounds);
  const std::int64_t most = in_flight(std::ranges::max(all, {}, in_flight));
  CHECK(most == 2048 * throughput::most_ilp);
  CHECK(in_flight(std::ranges::min(all, {}, in_flight)) == most / 32);
  streaming::Program one_warp = base;
  one_warp.bytes = bounds.sms * streaming::warp_threads * base.element;
  CHECK_FALSE(throughput::surface(one_warp, bounds).empty());
}

TEST_CASE("a best configuration that the coarse surface steps over is found by going on from its best point") {
  const auto rate = [](const streaming::Program& program) {
    return 1e9 - 1e8 * distance(static_cast<double>(program.threads), 384) -
           1e8 * distance(static_cast<double>(program.ctas_per_sm), 3) - 1e7 * static_cast<double>(program.ilp) +
           (program.distribution == streaming::Distribution::sliced ? 2e7 : 0);
  };
  const auto found = throughput::search(device(rate), throughput::surface(base, bounds), bounds, bandwidth);
  CHECK(found.best.threads == 384);
  CHECK(found.best.ctas_per_sm == 3);
  CHECK(found.best.ilp == 1);
  CHECK(found.best.distribution == streaming::Distribution::sliced);
}

TEST_CASE("one lucky run decides nothing") {
  const auto rate = [](const streaming::Program& program) {
    const bool lucky = program.trial == 0 && program.threads == 64;
    return lucky ? 2e9 : program.threads == 512 ? 1e9 : 0.9e9;
  };
  const auto found = throughput::search(device(rate), throughput::surface(base, bounds), bounds, bandwidth);
  for (const double one : found.values(bandwidth)) CHECK(one <= 1e9);
  CHECK(std::ranges::max(found.surface, {}, &Point::value).value == 2e9);
}

TEST_CASE("points with fewer CTAs than asked for are no points of the surface") {
  const auto found =
      throughput::search(device([](const auto&) { return 1e9; }), throughput::surface(base, bounds), bounds, bandwidth);
  CHECK(std::ranges::none_of(found.surface, [](const Point& point) { return point.program.ctas_per_sm > 16; }));
  CHECK_FALSE(found.surface.empty());
}

TEST_CASE("of two summits that no single step joins, the higher is found from its own way of dealing out") {
  // Queues are best with many threads and bad with few; slices the other way round, and a little lower.
  const auto rate = [](const streaming::Program& program) {
    const auto threads = static_cast<double>(program.threads);
    if (program.distribution == streaming::Distribution::queued) return 1e9 - 2e8 * distance(threads, 1024);
    return 0.97e9 - 2e8 * distance(threads, 32);
  };
  auto coarse = throughput::surface(base, bounds);
  streaming::Program queue = base;
  queue.distribution = streaming::Distribution::queued;
  std::ranges::move(throughput::surface(queue, bounds), std::back_inserter(coarse));
  const auto found = throughput::search(device(rate), coarse, bounds, bandwidth);
  CHECK(found.best.distribution == streaming::Distribution::queued);
  CHECK(found.best.threads == 1024);
}

TEST_CASE("if longer runs fall short of the short ones, the runner-up is used") {
  const auto tires = [](double lasting) {
    return [lasting](const streaming::Program& program) {
      const bool best = program.threads == 256 && program.ctas_per_sm == 4 && program.ilp == 1;
      if (best) return program.passes > base.passes ? lasting : 1e9;
      return program.threads == 256 ? 0.99e9 : 0.9e9;
    };
  };
  const auto search = [](const auto& rate) {
    return throughput::search(device(rate), throughput::surface(base, bounds), bounds, bandwidth);
  };
  const auto tired = search(tires(0.95e9));
  CHECK(tired.best.threads == 256);
  for (const double one : tired.values(bandwidth)) CHECK(one == 0.99e9);
  // What is lost by less than others lack is no reason to change.
  const auto steady = search(tires(0.995e9));
  for (const double one : steady.values(bandwidth)) CHECK(one == 0.995e9);
}

TEST_CASE("what lasts is found behind several configurations that are as fast for a short time") {
  const auto rate = [](const streaming::Program& program) {
    const std::int64_t threads = program.threads * program.ctas_per_sm;
    if (threads != 1024 || program.ilp != 1) return 0.9e9;
    const double fast = 1e9 + 1e5 * static_cast<double>(program.threads);
    return program.passes > base.passes && program.threads > 64 ? 0.95e9 : fast;
  };
  const auto found = throughput::search(device(rate), throughput::surface(base, bounds), bounds, bandwidth);
  CHECK(found.best.threads <= 64);
}

TEST_CASE("where the long runs of all candidates fall short, the best of them is taken") {
  const auto rate = [](const streaming::Program& program) {
    const bool lasts = program.passes > base.passes;
    if (program.threads * program.ctas_per_sm != 1024 || program.ilp != 1) return lasts ? 0.5e9 : 0.9e9;
    if (program.threads == 256) return lasts ? 0.8e9 : 1e9;
    return lasts ? 0.9e9 : 0.999e9;
  };
  const auto found = throughput::search(device(rate), throughput::surface(base, bounds), bounds, bandwidth);
  CHECK(found.best.threads != 256);
  for (const double one : found.values(bandwidth)) CHECK(one == 0.9e9);
}

TEST_CASE("where hill climbing ends lower than it started, the start is taken") {
  // Short runs favour 320 threads, by less than what brings in the runner-up.
  const auto rate = [](const streaming::Program& program) {
    if (program.threads == 320) return program.passes > base.passes ? 0.995e9 : 1.01e9;
    return program.threads == 256 ? 1e9 : 0.9e9;
  };
  const auto found = throughput::search(device(rate), throughput::surface(base, bounds), bounds, bandwidth);
  CHECK(found.best.threads == 256);
  for (const double one : found.values(bandwidth)) CHECK(one == 1e9);
}

TEST_CASE("the best configuration is repeated as often as its scatter demands") {
  const auto repetitions = [](double scatter) {
    const auto rate = [scatter](const streaming::Program& program) {
      return 1e9 * (1 + scatter * std::sin(static_cast<double>(program.trial)));
    };
    return throughput::search(device(rate), {base}, bounds, bandwidth).repetitions.size();
  };
  CHECK(repetitions(0) == 11);
  CHECK(repetitions(0.005) == 11);
  CHECK(repetitions(0.05) > 11);
  CHECK(repetitions(0.5) == 297);
}

TEST_CASE("the relative interval is half of the interval of the median, as a share of it") {
  // The extremes of eleven values enclose the median of all but for 1 in 1024.
  CHECK(throughput::relative_ci(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) == Approx(5.0 / 6));
  CHECK(throughput::relative_ci(std::vector<double>(11, 3.0)) == 0);
}
