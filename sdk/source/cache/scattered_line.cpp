#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "line_pairs.hpp"
#include "tomograph/cache/retention.hpp"

namespace tomograph::cache {

namespace {

/// What all programs of the experiment have in common.
struct Scatter {
  std::int64_t granularity = 0;
  std::int64_t lines = 0;      ///< that the cache holds, about
  std::int64_t intruders = 0;  ///< lines that go through the cache afterwards

  [[nodiscard]] std::int64_t pairs() const { return std::clamp<std::int64_t>(lines / 8, 1, timed_loads / 2); }
  /// Programs in which 400 pairs are tested. If half the blocks are evicted, 200 pairs of two lines are apart, and 30
  /// more than are misread suffice.
  [[nodiscard]] std::int64_t trials() const { return 400 / pairs() + 1; }
};

/// Bytes over which pairs are spread: fewer than the region has where a program cannot have half as many for intruders,
/// as with constants.
std::int64_t pair_region(const Subject& subject) {
  const std::int64_t region = subject.region();
  if (region + region / 2 <= subject.largest) return region;
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(subject.largest / 2)));
}

/// Bytes over which intruders are spread: as many as the pairs have, or half of that where a program cannot have twice
/// as many.
std::int64_t intruder_region(const Subject& subject) {
  const std::int64_t region = pair_region(subject);
  return 2 * region <= subject.largest ? region : region / 2;
}

/// How many blocks at random places stay of more than fit. They lie far enough apart for the two nodes of each.
std::int64_t lines_at_random(const Executor& execute, const Subject& subject, std::int64_t granularity) {
  const std::int64_t distance = std::max(granularity, retained_distance);
  const std::int64_t places = subject.region() / distance;
  double stay = 0;
  for (std::int64_t count = 32; count <= places / 2; count *= 2) {
    chase::Ring ring{.array = 0};
    for (const std::int64_t place : random_choice(places, count, 1)) ring.nodes.push_back(place * distance);
    const Footprint footprint{.ring = std::move(ring), .bytes = subject.region(), .samples = 512};
    stay = retained(execute, subject, {&footprint, 1}).front().estimate();
    // One twice as large as the cache retains half. 512 samples of that have a standard error of 2.2 %.
    if (stay < 0.6 * static_cast<double>(count)) break;
  }
  return static_cast<std::int64_t>(stay);
}

std::vector<Pair> scattered_pairs(const Subject& subject, const Scatter& scatter, std::int64_t distance,
                                  std::uint64_t seed) {
  std::vector<Pair> pairs;
  std::set<std::int64_t> taken;
  for (const std::int64_t place : random_choice(pair_region(subject) / scatter.granularity, scatter.pairs(), seed)) {
    const std::int64_t first = place * scatter.granularity;
    if (!taken.insert(first & ~distance).second) continue;
    pairs.push_back({first, distance});
  }
  return pairs;
}

chase::Program scattered_program(const Subject& subject, const Scatter& scatter, std::int64_t distance,
                                 std::int64_t trial) {
  const auto seed = static_cast<std::uint64_t>(trial + scatter.trials() * distance);
  const auto pairs = scattered_pairs(subject, scatter, distance, seed);
  chase::Program program = program_for(subject, pair_region(subject));
  program.trial = trial;
  program.arrays.push_back(program.arrays.front());
  program.arrays.back().bytes = intruder_region(subject);
  chase::Ring filled{.array = 0};
  for (const std::int64_t slot : random_choice(2 * std::ssize(pairs), 2 * std::ssize(pairs), seed)) {
    const Pair& pair = pairs[static_cast<std::size_t>(slot / 2)];
    filled.nodes.push_back(slot % 2 == 0 ? pair.first : pair.first ^ pair.distance);
  }
  const std::int64_t walk = 3 * filled.size();
  add_ring(program, std::move(filled));
  chase::Ring intruder{.array = 1};
  for (const std::int64_t place :
       random_choice(intruder_region(subject) / scatter.granularity, scatter.intruders, seed + 1)) {
    intruder.nodes.push_back(place * scatter.granularity);
    intruder.nodes.push_back(place * scatter.granularity + chase::node_bytes);
  }
  add_ring(program, std::move(intruder));
  add_ring(program, both_blocks(pairs));
  program.phases = {{0, 0, 0, walk, chase::Timing::untimed},
                    {0, 1, 0, 2 * scatter.intruders, chase::Timing::untimed},
                    {0, 2, 0, 2 * std::ssize(pairs), chase::Timing::each}};
  return program;
}

/// As many intruders as evict about half of the blocks.
void balance(const Executor& execute, const Subject& subject, Scatter& scatter) {
  // From an eighth of the lines to 5.7 times as many, by half octaves.
  constexpr std::int64_t levels = 12;
  constexpr std::int64_t trials = 8;  // 32 pairs in each give the share a standard error of 3 %
  std::vector<chase::Program> programs;
  std::vector<std::int64_t> counts;
  for (std::int64_t level = 0; level < levels; ++level) {
    const double factor = std::pow(2.0, static_cast<double>(level) / 2 - 3);
    scatter.intruders = std::clamp<std::int64_t>(static_cast<std::int64_t>(factor * static_cast<double>(scatter.lines)),
                                                 1, intruder_region(subject) / scatter.granularity);
    counts.push_back(scatter.intruders);
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      programs.push_back(scattered_program(subject, scatter, scatter.granularity, trial));
    }
  }
  const auto results = execute(programs);
  double best = 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto own = std::span(results).subspan(i * trials, trials);
    const double off = std::abs(evicted_share(count_pairs(subject, own, scatter.granularity)) - 0.5);
    if (off >= best) continue;
    best = off;
    scatter.intruders = counts[i];
  }
}

}  // namespace

Line scattered_line(const Executor& execute, const Subject& subject, std::int64_t granularity, std::int64_t limit) {
  Scatter scatter{granularity, lines_at_random(execute, subject, granularity), 0};
  balance(execute, subject, scatter);
  std::vector<chase::Program> programs;
  std::vector<std::int64_t> distances;
  for (std::int64_t distance = granularity; distance <= limit; distance *= 2) {
    distances.push_back(distance);
    for (std::int64_t trial = 0; trial < scatter.trials(); ++trial) {
      programs.push_back(scattered_program(subject, scatter, distance, trial));
    }
  }
  const auto results = execute(programs);
  const auto each = static_cast<std::size_t>(scatter.trials());
  Line line;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    line.pairs.push_back(count_pairs(subject, std::span(results).subspan(i * each, each), distances[i]));
  }
  line.bytes = first_apart(subject, line.pairs);
  return line;
}

}  // namespace tomograph::cache
