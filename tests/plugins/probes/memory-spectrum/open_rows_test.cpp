#include <random>

#include "analysis_open_rows.hpp"
#include "analysis_samples.hpp"
#include "catch.hpp"

using namespace tomograph::memory_spectrum;

namespace {

/// Random loads of 8 MiB, from all of which hits of the data cache differ by 400 cycles; a row of 2 KiB that an earlier
/// load has opened saves so many cycles.
Samples random_loads(double saved) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> jitter(0, 15);
  Samples samples;
  SeenBlocks seen;
  for (int load = 0; load < 4096; ++load) {
    const std::int64_t sm = load % 16;
    samples[0].push_back({200 + jitter(random), sm, 0, 0});
    const auto block = seen.add(static_cast<std::int64_t>(random() % (8 << 20)));
    samples[3].push_back({600 - (block <= 2048 ? saved : 0) + jitter(random), sm, 0, block});
  }
  leave_out_open_rows(samples);
  return samples;
}

}  // namespace

TEST_CASE("a load knows the smallest block that an earlier load has seen") {
  SeenBlocks seen;
  CHECK(seen.add(4096) == 2 * largest_block);
  CHECK(seen.add(4096 + 700) == 1024);
  CHECK(seen.add(4096 + 3000) == 4096);
  CHECK(seen.add(4096 + 300) == 512);
  CHECK(seen.add(1 << 20) == 2 * largest_block);
}

TEST_CASE("loads that find their row open are no latency of memory") {
  const Samples samples = random_loads(30);
  CHECK(samples[3].row_block == 2048);
  CHECK(samples[3].in_open_rows + samples[3].cycles.size() == 4096);
  CHECK(latency_of(samples, 3).loads.mean == Approx(600).margin(1.5));
}

TEST_CASE("where rows close, near loads are as good as others") {
  const Samples samples = random_loads(0);
  CHECK(samples[3].in_open_rows == 0);
  CHECK(samples[3].cycles.size() == 4096);
}

TEST_CASE("loads that a cache behind L2 serves are no loads of memory, those that find a row open are") {
  const auto depths = [](double fast) {
    Samples samples;
    std::mt19937_64 random(3);
    std::normal_distribution<double> jitter(0, 5);
    for (int load = 0; load < 4096; ++load) {
      samples[0].push_back({200 + jitter(random), load % 16, 0, 0});
      samples[3].push_back({(load % 4 == 0 ? fast : 600) + jitter(random), load % 16, 0, 2 * largest_block});
    }
    return are_served_at_two_depths(samples);
  };
  CHECK(depths(300));
  CHECK_FALSE(depths(500));
  CHECK_FALSE(depths(600));
}

TEST_CASE("first visits of pages that take longer than all parts show a TLB that P3 hits") {
  const auto excess = [](double first_visit) {
    Samples samples;
    std::mt19937_64 random(3);
    std::normal_distribution<double> jitter(0, 5);
    for (int load = 0; load < 4096; ++load) {
      const std::int64_t sm = load % 16;
      samples[0].push_back({200 + jitter(random), sm, 0, 0});
      samples[2].push_back({300 + jitter(random), sm, 0, 0});
      samples[3].push_back({600 + jitter(random), sm, 0, 2 * largest_block});
      samples[4].push_back({first_visit + jitter(random), sm, 0, 2 * largest_block});
    }
    return sure_excess(samples, 4);
  };
  CHECK(excess(800) == Approx(100).margin(2));
  CHECK(excess(600) == Approx(-100).margin(2));
  CHECK(excess(701) == 0);
}
