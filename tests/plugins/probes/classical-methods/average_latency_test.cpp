#include <algorithm>

#include "analysis_average_latency.hpp"
#include "catch.hpp"

using namespace tomograph::classical_methods;

namespace {

constexpr double hit = 100;
constexpr double penalty = 110;

/// A cache for which the methods' assumptions hold: C = 4096, b = 64, T = 8, a = 8.
struct Textbook {
  static constexpr std::int64_t line = 64;
  static constexpr std::int64_t sets = 8;
  static constexpr std::int64_t ways = 8;
  static constexpr std::int64_t size = line * sets * ways;

  /// Average latency of a cyclic walk under LRU: all lines of a set miss once per round as soon as it overflows.
  static double average(std::int64_t bytes, std::int64_t stride) {
    std::vector<std::int64_t> lines(sets);
    std::int64_t nodes = 0;
    std::int64_t last = -1;
    for (std::int64_t at = 0; at < bytes; at += stride, ++nodes) {
      if (at / line != last) ++lines[static_cast<std::size_t>((last = at / line) % sets)];
    }
    std::int64_t misses = 0;
    for (const std::int64_t in_set : lines) misses += in_set > ways ? in_set : 0;
    return hit + penalty * static_cast<double>(misses) / static_cast<double>(nodes);
  }
};

StrideCurve stride_curve(std::int64_t bytes) {
  StrideCurve curve{bytes, {}, {}};
  for (std::int64_t stride = 4; stride <= bytes / 2; stride *= 2) {
    curve.strides.push_back(stride);
    curve.cycles.push_back(Textbook::average(bytes, stride));
  }
  return curve;
}

SizeCurve size_curve(std::int64_t stride) {
  SizeCurve curve;
  for (std::int64_t bytes = Textbook::size - 256; bytes <= Textbook::size + 1024; bytes += stride) {
    curve.bytes.push_back(bytes);
    curve.cycles.push_back(Textbook::average(bytes, stride));
  }
  return curve;
}

}  // namespace

TEST_CASE("Saavedra's method finds all parameters of a cache that keeps its assumptions") {
  const std::vector<StrideCurve> curves{stride_curve(2048), stride_curve(4096), stride_curve(16384)};
  CHECK(saavedra(curves) == CacheParameters{4096, 64, 8, 8});
}

TEST_CASE(
    "Wong's method finds all parameters of a cache that keeps its assumptions, whatever the stride up to a line") {
  for (const std::int64_t stride : {8, 32, 64}) {
    INFO("stride " << stride);
    CHECK(wong(size_curve(stride)) == CacheParameters{4096, 64, 8, 8});
  }
}

TEST_CASE("Saavedra's method reads Mei and Chu's Fig. 4 as they did") {
  // Miss rates of the Kepler texture cache at 12 KB and 48 KB: s/b up to 32 B, all up to 1 KB, none from 2 KB on.
  StrideCurve fitting{12288, {}, {}};
  StrideCurve large{49152, {}, {}};
  for (std::int64_t stride = 8; stride <= 4096; stride *= 2) {
    fitting.strides.push_back(stride);
    fitting.cycles.push_back(hit);
    large.strides.push_back(stride);
    const double rate = stride < 32 ? static_cast<double>(stride) / 32 : stride < 2048 ? 1 : 0;
    large.cycles.push_back(hit + penalty * rate);
  }
  CHECK(saavedra(std::vector{fitting, large}) == CacheParameters{12288, 32, 16, 24});
}

TEST_CASE("Wong's method reads Mei and Chu's Fig. 5 as they did") {
  SizeCurve curve;
  for (std::int64_t bytes = 12288 - 64; bytes <= 12288 + 640; bytes += 8) {
    const auto sets =
        static_cast<double>(std::min<std::int64_t>((std::max<std::int64_t>(bytes, 12288) - 12288 + 127) / 128, 4));
    curve.bytes.push_back(bytes);
    curve.cycles.push_back(hit + penalty / 4 * sets / 4);
  }
  CHECK(wong(curve) == CacheParameters{12288, 128, 4, 24});
}

TEST_CASE("curves without misses, or with nothing but misses, give no parameters") {
  CHECK(saavedra(std::vector{stride_curve(1024), stride_curve(2048)}) == std::nullopt);
  CHECK(saavedra(std::vector{stride_curve(16384)}) == std::nullopt);
  SizeCurve flat{{1024, 2048, 3072}, {hit, hit, hit}};
  CHECK(wong(flat) == std::nullopt);
}

TEST_CASE("where all sets overflow at once there is a size, but no line size and no ways") {
  CHECK(wong({{1000, 2000, 3000}, {hit, hit + penalty, hit + penalty}}) == CacheParameters{1000, {}, 1, {}});
}

TEST_CASE("curves whose arrays differ in length are refused") {
  CHECK_THROWS_AS(saavedra(std::vector{StrideCurve{1024, {8, 16}, {hit}}}), std::invalid_argument);
  CHECK_THROWS_AS(wong({{1, 2}, {hit}}), std::invalid_argument);
}

TEST_CASE("a curve shows misses once the footprint exceeds the cache") {
  CHECK_FALSE(shows_misses(std::vector{stride_curve(2048)}));
  CHECK(shows_misses(std::vector{stride_curve(2048), stride_curve(16384)}));
}
