#include <algorithm>
#include <stdexcept>

#include "analysis_average_latency.hpp"

namespace tomograph::classical_methods {
namespace {

/// Averages between those of a walk that always hits and one that always misses.
struct Range {
  double hit = 0;
  double miss = 0;

  explicit Range(std::span<const StrideCurve> curves) : hit(curves.front().cycles.front()), miss(hit) {
    for (const StrideCurve& curve : curves) {
      if (curve.cycles.empty() || curve.cycles.size() != curve.strides.size()) {
        throw std::invalid_argument("a stride curve needs one average per stride");
      }
      hit = std::min(hit, *std::ranges::min_element(curve.cycles));
      miss = std::max(miss, *std::ranges::max_element(curve.cycles));
    }
  }

  /// r of t = t0 + tm r.
  [[nodiscard]] double miss_rate(double cycles) const { return (cycles - hit) / (miss - hit); }
};

bool fits(const StrideCurve& curve, const Range& range) {
  // A curve that fits deviates by less than 5 % of the miss penalty: chosen by hand. The first misses of one
  // set of up to 20 exceed it.
  constexpr double noise = 0.05;
  return range.miss_rate(*std::ranges::max_element(curve.cycles)) < noise;
}

}  // namespace

bool shows_misses(std::span<const StrideCurve> curves) {
  // At the longest stride every load misses, and a miss takes at least twice as long as a hit in known caches. Chosen
  // by hand.
  constexpr double least_rise = 1.5;
  const double first = *std::ranges::min_element(curves.front().cycles);
  return *std::ranges::max_element(curves.back().cycles) > least_rise * first;
}

std::optional<CacheParameters> saavedra(std::span<const StrideCurve> curves) {
  if (curves.empty() || curves.front().cycles.empty()) throw std::invalid_argument("there is no stride curve");
  const Range range(curves);
  const auto overflows = [&](const StrideCurve& curve) { return !fits(curve, range); };
  const auto first_overflow = std::ranges::find_if(curves, overflows);
  const StrideCurve& large = curves.back();
  if (range.hit == range.miss || first_overflow == curves.begin() || !overflows(large)) return std::nullopt;

  CacheParameters found{std::prev(first_overflow)->bytes, {}, {}, {}};
  // The rate doubles with the stride up to 1 at s = b: the limit lies halfway between its last two values, 1/2 and 1.
  constexpr double misses_all = 0.75;
  constexpr double misses_none = 0.25;
  const auto misses = [&](double cycles) { return range.miss_rate(cycles) >= misses_all; };
  const auto line = std::ranges::find_if(large.cycles, misses);
  if (line == large.cycles.end()) return found;
  found.line_size = large.strides[static_cast<std::size_t>(line - large.cycles.begin())];
  const auto hits = [&](double cycles) { return range.miss_rate(cycles) <= misses_none; };
  const auto one_set = std::find_if(line, large.cycles.end(), hits);
  if (one_set == large.cycles.end()) return found;
  found.ways = large.bytes / large.strides[static_cast<std::size_t>(one_set - large.cycles.begin())];
  found.sets = found.size / (*found.ways * *found.line_size);
  return found;
}

}  // namespace tomograph::classical_methods
