#include "acquire_saturation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tomograph/cache/retention.hpp"

namespace tomograph::data_cache {

namespace {

/// Counts at several places may scatter more than sampling explains. The error is then taken from that scatter.
constexpr std::int64_t placements = 4;

/// Footprints relative to the capacity, and the share of all tests that goes to them.
struct Portion {
  double factor = 1;
  double tests = 1;
};
/// Counts of smaller footprints vary less, but near the knee they depend on the size. Larger footprints show whether
/// sets differ so much that smaller ones leave some unfilled.
constexpr std::array contiguous_portions{Portion{1.5, 0.75}, Portion{2.5, 0.1}};
/// Lines at random places fill a set of few ways late.
constexpr std::array random_portions{Portion{3.0, 0.4}, Portion{4.0, 0.4}};
/// At most 750 tests: a rough capacity has a standard error of 5.2 %.
constexpr std::array rough_random_portion{Portion{3.0, 0.03}};
/// Where lines fall into sets by chance, so many leave 0.7 % of a cache of one way empty, and 0.03 % of one of two.
constexpr std::array far_portion{Portion{5.0, 0.5}};
/// At most 2500 tests.
constexpr std::array at_capacity{Portion{1.0, 0.1}};
/// At most 500 tests: a rough capacity has a standard error of 4.5 %.
constexpr std::array rough_portion{Portion{1.0, 0.02}};
/// Once full, a cache is in its steady state.
constexpr std::int64_t passes = 2;

/// Counts what footprints of one cache retain.
class Counter {
 public:
  Counter(const cache::Executor& execute, const cache::Subject& subject, std::int64_t stride, std::int64_t tests)
      : execute_(execute), subject_(subject), stride_(stride), all_tests_(tests) {}

  /// What contiguous footprints relative to `capacity` retain.
  std::vector<cache::RetainedBytes> contiguous(double capacity, std::span<const Portion> portions) {
    return at(capacity, portions, [this](std::int64_t lines, std::uint64_t seed) {
      const std::int64_t room = places() - lines;
      const std::int64_t first = room > 0 ? cache::random_choice(room, 1, seed).front() : 0;
      return chase::Ring{.array = 0, .start = first * stride_, .stride = stride_, .count = lines};
    });
  }

  /// The same of lines at random places.
  std::vector<cache::RetainedBytes> random(double capacity, std::span<const Portion> portions) {
    return at(capacity, portions, [this](std::int64_t lines, std::uint64_t seed) {
      chase::Ring ring{.array = 0};
      for (const std::int64_t place : cache::random_choice(places(), std::min(lines, places()), seed)) {
        ring.nodes.push_back(place * stride_);
      }
      return ring;
    });
  }

  /// The same of one size, relative to the capacity that was seen, with lines placed as they were then.
  cache::RetainedBytes placed_as(const Saturation& seen, std::span<const Portion, 1> portion) {
    const auto retained = seen.is_at_random ? random(seen.full.mean, portion) : contiguous(seen.full.mean, portion);
    return retained.front();
  }

  [[nodiscard]] std::int64_t tests() const { return tests_; }

 private:
  [[nodiscard]] std::int64_t places() const { return subject_.region() / stride_; }

  /// A test that misses evicts something: one repeat tests so few lines that at most 1 % are lost by it.
  [[nodiscard]] static double undisturbed_share(double factor) {
    return factor < 2 ? 1.0 / 16 / factor : 1.0 / 32 / factor;
  }

  /// The tests of one footprint of a portion. Where they would take many programs, several repeats share one.
  [[nodiscard]] cache::Footprint footprint_of(chase::Ring ring, const Portion& portion) const {
    // Short programs take their time on the host, so the places of a footprint have about 32. Chosen on an H200.
    constexpr double enough_programs = 32;
    constexpr double most_shared = 16;
    const auto nodes = static_cast<double>(ring.size());
    const double tests = std::max(1.0, portion.tests * static_cast<double>(all_tests_) / placements);
    const double share = undisturbed_share(portion.factor);
    const double tests_of_repeat = std::max(1.0, std::floor(share * nodes));
    const double shared = std::clamp(placements * tests / tests_of_repeat / enough_programs, 1.0, most_shared);
    // All nodes, again and again, rather than some of them: then chance has no part in which are tested.
    const double repeats = std::floor(tests > nodes ? tests / nodes : std::min(shared, tests / tests_of_repeat));
    return {.ring = std::move(ring),
            .passes = passes,
            .samples = std::llround(std::min(tests / std::max(1.0, repeats), nodes)),
            .repeats = std::max<std::int64_t>(1, std::llround(repeats)),
            .repeats_per_program = std::llround(shared),
            .share = share};
  }

  std::vector<cache::RetainedBytes> at(double capacity, std::span<const Portion> portions, const auto& ring_of) {
    std::vector<cache::Footprint> footprints;
    for (const Portion& portion : portions) {
      const auto lines =
          std::max<std::int64_t>(1, std::llround(portion.factor * capacity / static_cast<double>(stride_)));
      for (std::int64_t place = 0; place < placements; ++place) {
        footprints.push_back(footprint_of(ring_of(lines, static_cast<std::uint64_t>(place + 1)), portion));
        footprints.back().bytes = std::max(subject_.region(), lines * stride_);
        footprints.back().seed = static_cast<std::uint64_t>(lines + place);
      }
    }
    return summed(cache::retained(execute_, subject_, footprints), portions.size());
  }

  std::vector<cache::RetainedBytes> summed(std::span<const cache::Retained> seen, std::size_t sizes) {
    std::vector<cache::RetainedBytes> sums;
    for (std::size_t i = 0; i < sizes; ++i) {
      std::vector<cache::RetainedBytes> by_place;
      for (const cache::Retained& one : seen.subspan(i * placements, placements)) {
        const auto sampled = static_cast<double>(one.sampled);
        // Half a hit more keeps the error of an all-hit or all-miss sample above 0.
        const double share = (static_cast<double>(one.hits) + 0.5) / (sampled + 1);
        const auto bytes = static_cast<double>(one.nodes * stride_);
        by_place.push_back(
            {static_cast<double>(stride_) * one.undisturbed(), bytes * std::sqrt(share * (1 - share) / sampled)});
        tests_ += one.sampled;
      }
      sums.push_back(cache::pooled(by_place));
    }
    return sums;
  }

  const cache::Executor& execute_;
  const cache::Subject& subject_;
  std::int64_t stride_;
  std::int64_t all_tests_;
  std::int64_t tests_ = 0;
};

/// Share of a footprint below which it is overfull for certain: one twice as large as the cache retains half.
constexpr double mostly = 0.6;

/// The capacity to a few per cent.
std::optional<double> rough(Counter& counter, std::int64_t start_bytes, std::int64_t limit_bytes) {
  for (std::int64_t bytes = start_bytes; bytes <= limit_bytes; bytes *= 2) {
    const double stays = counter.contiguous(static_cast<double>(bytes), rough_portion).front().mean;
    if (stays < mostly * static_cast<double>(bytes)) return std::max(stays, 1.0);
  }
  return std::nullopt;
}

/// What contiguous footprints retain of which even the smallest is too large. A rough capacity of a few dozen tests can
/// be half of the true one. Nothing if `limit_bytes` are still retained.
std::optional<std::vector<cache::RetainedBytes>> overfull(Counter& counter, double about, std::int64_t limit_bytes) {
  // Of 1.5 times the capacity 0.67 are retained; of 1.5 times 0.83 of it, 0.8.
  constexpr double most_retained = 0.8;
  while (true) {
    auto sizes = counter.contiguous(about, contiguous_portions);
    const double seen = sizes.front().mean;
    const bool is_overfull = seen < most_retained * contiguous_portions.front().factor * about;
    if (is_overfull) return sizes;
    if (seen > static_cast<double>(limit_bytes)) return std::nullopt;
    about = seen;
  }
}

/// The same from lines at random places, if they retain clearly more than `full`.
std::optional<double> rough_at_random(Counter& counter, const cache::RetainedBytes& full, double region) {
  constexpr double clearly_more = 1.1;  // chosen by hand
  constexpr double factor = rough_random_portion.front().factor;
  double most = full.mean;
  while (true) {
    const cache::RetainedBytes seen = counter.random(most, rough_random_portion).front();
    if (seen.mean - 3 * seen.error <= clearly_more * most) break;
    const bool fits = seen.mean > mostly * factor * most;
    most = seen.mean;
    if (!fits || factor * most > region) break;
  }
  return most > full.mean ? std::optional(most) : std::nullopt;
}

}  // namespace

std::optional<Saturation> saturation(const cache::Executor& execute, const cache::Subject& subject, std::int64_t stride,
                                     std::int64_t start_bytes, std::int64_t limit_bytes, std::int64_t tests) {
  Counter counter(execute, subject, stride, tests);
  const auto about = rough(counter, start_bytes, limit_bytes);
  if (!about) return std::nullopt;
  const auto sizes = overfull(counter, *about, limit_bytes);
  if (!sizes) return std::nullopt;
  Saturation found{.full = cache::level_of(*sizes)};
  const auto at_random = rough_at_random(counter, found.full, static_cast<double>(subject.region()));
  found.is_at_random = at_random.has_value();
  if (at_random) found.full = cache::level_of(counter.random(*at_random, random_portions));
  found.at_knee = counter.placed_as(found, at_capacity);
  found.tests = counter.tests();
  return found;
}

cache::RetainedBytes far_beyond(const cache::Executor& execute, const cache::Subject& subject, std::int64_t stride,
                                const Saturation& seen, std::int64_t tests) {
  return Counter(execute, subject, stride, tests).placed_as(seen, far_portion);
}

}  // namespace tomograph::data_cache
