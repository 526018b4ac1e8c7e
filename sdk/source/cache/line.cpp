#include "tomograph/cache/line.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "line_pairs.hpp"

namespace tomograph::cache {

namespace {

/// What all programs of the experiment have in common.
struct Plan {
  std::int64_t granularity = 0;
  std::int64_t region = 0;     ///< bytes that are filled
  std::int64_t intruders = 0;  ///< lines that go through the cache afterwards
};

/// Pairs at one distance.
using Pairs = std::vector<Pair>;

/// Fills the region in random order, loads intruders at random places and times both blocks of each pair, one distance
/// after the other. Each intruder is loaded twice in a row, since some policies protect lines that were used again.
chase::Program pair_program(const Subject& subject, const Plan& plan, std::span<const Pairs> by_distance,
                            std::int64_t trial) {
  // Random gaps make places as good as random anywhere: any index spreads them unevenly over its sets.
  constexpr std::int64_t widest = 15;
  const std::int64_t place = plan.granularity;
  const std::int64_t widest_gap =
      std::clamp<std::int64_t>((subject.largest - plan.region) / (plan.intruders * place), 1, widest);
  chase::Program program = program_for(subject, plan.region);
  program.trial = trial;
  program.arrays.push_back({.bytes = plan.intruders * widest_gap * place, .space = chase::space_of(subject.path)});
  add_ring(program, {0, 0, plan.granularity, plan.region / plan.granularity, chase::Order::shuffled, trial});
  chase::Ring intruder{.array = 1};
  std::mt19937_64 random(static_cast<std::uint64_t>(trial));
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < plan.intruders; ++i) {
    intruder.nodes.push_back(at * place);
    intruder.nodes.push_back(at * place + chase::node_bytes);
    at += 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(widest_gap));
  }
  add_ring(program, std::move(intruder));
  constexpr std::int64_t many = 1024;  // threads of the largest CTA; one chain of so many loads takes too long
  program.actors.push_back({subject.sm, subject.path, subject.shared && plan.intruders > 8 * many ? many : 1});
  program.phases = {{0, 0, 0, 3 * (plan.region / plan.granularity), chase::Timing::untimed},
                    {1, 1, 0, 2 * plan.intruders, chase::Timing::untimed}};
  for (const Pairs& pairs : by_distance) {
    const std::int64_t ring = add_ring(program, both_blocks(pairs));
    program.phases.push_back({0, ring, 0, 2 * std::ssize(pairs), chase::Timing::each});
  }
  return program;
}

/// Some blocks of the region, each tested at one distance.
Pairs choose_pairs(std::int64_t region, std::int64_t distance, std::int64_t seed) {
  const std::int64_t blocks = region / (2 * distance);
  const auto count = std::min<std::int64_t>({64, blocks, std::max<std::int64_t>(1, blocks / 4)});
  Pairs pairs;
  for (const std::int64_t block : random_choice(blocks, count, static_cast<std::uint64_t>(seed))) {
    pairs.push_back({block * 2 * distance, distance});
  }
  return pairs;
}

/// All blocks of the region, shared out among the distances, ascending: a test at one touches none of another.
std::vector<Pairs> share_out(std::int64_t region, std::span<const std::int64_t> distances, std::int64_t seed) {
  const std::int64_t block_bytes = 2 * distances.back();
  const std::int64_t blocks = region / block_bytes;
  std::vector<Pairs> shares(distances.size());
  std::size_t next = 0;
  for (const std::int64_t block : random_choice(blocks, blocks, static_cast<std::uint64_t>(seed))) {
    const std::size_t which = next++ % distances.size();
    shares[which].push_back({block * block_bytes, distances[which]});
  }
  return shares;
}

/// Whether the cache is so large that a program takes long, but tests many pairs.
bool is_large(std::int64_t capacity_bytes) { return capacity_bytes > std::int64_t{4} << 20; }

/// Sixteen lines of 256 B.
constexpr std::int64_t few_lines = std::int64_t{4} << 10;
constexpr std::int64_t largest_region = std::int64_t{256} << 10;  // 256 pairs of blocks up to 512 B apart

/// The share of the region that so many intruders evict, each number in `trials` programs.
std::vector<double> evicted_shares(const Executor& execute, const Subject& subject, Plan plan,
                                   std::span<const std::int64_t> intruders, std::int64_t trials) {
  std::vector<chase::Program> programs;
  for (const std::int64_t count : intruders) {
    plan.intruders = count;
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      const Pairs pairs = choose_pairs(plan.region, plan.granularity, trial);
      programs.push_back(pair_program(subject, plan, {&pairs, 1}, trial));
    }
  }
  const auto results = execute(programs);
  std::vector<double> shares;
  for (std::size_t i = 0; i < intruders.size(); ++i) {
    const auto own = std::span(results).subspan(i * static_cast<std::size_t>(trials), static_cast<std::size_t>(trials));
    shares.push_back(evicted_share(count_pairs(subject, own, plan.granularity)));
  }
  return shares;
}

/// The plan whose intruders evict a share of the region that is nearest to half of it. Their number depends on line
/// size and policy, which are not known yet.
Plan balanced_plan(const Executor& execute, const Subject& subject, std::int64_t granularity,
                   std::int64_t capacity_bytes) {
  const std::int64_t trials = is_large(capacity_bytes) ? 1 : 8;
  // A quarter of the cache, but half of one that may have few lines: of two lines, one set evicts both or none.
  const std::int64_t part = capacity_bytes <= few_lines ? 2 : 4;
  Plan plan{granularity, std::clamp(capacity_bytes / part / granularity * granularity, 2 * granularity, largest_region),
            0};
  const std::int64_t most = std::max<std::int64_t>(4, (subject.largest - plan.region) / granularity);
  std::vector<std::int64_t> levels;
  // From few enough for lines of 256 B to enough for lines of 32 B.
  const std::size_t steps = is_large(capacity_bytes) ? 6 : 14;
  const double factor = std::pow(25.0, 1 / static_cast<double>(steps - 1));
  for (double level = static_cast<double>(capacity_bytes) / 400; levels.size() < steps; level *= factor) {
    levels.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(level), 4, most));
  }
  // In a large cache programs run one by one anyway, the cheapest first, until more than half is evicted.
  const std::size_t batch = is_large(capacity_bytes) ? 1 : levels.size();
  double best = 1;
  for (std::size_t first = 0; first < levels.size(); first += batch) {
    const auto shares = evicted_shares(execute, subject, plan, std::span(levels).subspan(first, batch), trials);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double distance = std::abs(shares[i] - 0.5);
      if (distance >= best) continue;
      best = distance;
      plan.intruders = levels[first + i];
    }
    if (shares.back() > 0.5) break;
  }
  return plan;
}

/// Whether blocks nearer than a line were apart more often than misread loads explain. Then lines of one set may mostly
/// be evicted together because they were loaded together. False alarms: 1.5e-3 at most per distance (Poisson).
bool are_nearer_apart(const Subject& subject, const Line& line) {
  const double misread = 2 * (subject.threshold.false_hit + subject.threshold.false_miss);
  return std::ranges::any_of(line.pairs, [&](const PairCount& count) {
    const double expected = misread * static_cast<double>(count.pairs);
    const double most = expected + 4 * std::sqrt(expected) + 1;
    return count.distance<*line.bytes&& static_cast<double>(count.apart)> most;
  });
}

/// Whether the region has so few blocks that one set may hold a pair and all of its neighbours, which are then evicted
/// together without being a line.
bool may_share_set(const Plan& plan, const Line& line) {
  constexpr std::int64_t few_blocks = 8;  // chosen by hand
  return *line.bytes > plan.granularity && plan.region < few_blocks * plan.granularity;
}

/// Many programs for each distance.
std::vector<PairCount> pairs_by_distance(const Executor& execute, const Subject& subject, const Plan& plan,
                                         std::span<const std::int64_t> distances) {
  // Even with one pair in each program, half of them evicted, two lines seem to be one once in 2^40 = 1e12 times.
  constexpr std::int64_t trials = 40;
  std::vector<chase::Program> programs;
  for (const std::int64_t distance : distances) {
    for (std::int64_t trial = 0; trial < trials; ++trial) {
      const std::int64_t seed = trial + trials * distance;
      const Pairs pairs = choose_pairs(plan.region, distance, seed);
      programs.push_back(pair_program(subject, plan, {&pairs, 1}, seed));
    }
  }
  const auto results = execute(programs);
  std::vector<PairCount> counts;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    counts.push_back(count_pairs(subject, std::span(results).subspan(i * trials, trials), distances[i]));
  }
  return counts;
}

/// Few programs, each for all distances: a cache so large is not disturbed by the tests.
std::vector<PairCount> pairs_together(const Executor& execute, const Subject& subject, const Plan& plan,
                                      std::span<const std::int64_t> distances) {
  constexpr std::int64_t trials = 2;  // of 51 pairs at each of five distances: likewise once in 2^102 times
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 1; trial <= trials; ++trial) {
    programs.push_back(pair_program(subject, plan, share_out(plan.region, distances, trial), trial));
  }
  const auto results = execute(programs);
  std::vector<PairCount> counts;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    counts.push_back(count_pairs(subject, results, distances[i], i));
  }
  return counts;
}

}  // namespace

Line evicted_together(const Executor& execute, const Subject& subject, std::int64_t granularity,
                      std::int64_t capacity_bytes, std::int64_t limit) {
  const Plan plan = balanced_plan(execute, subject, granularity, capacity_bytes);
  std::vector<std::int64_t> distances;
  for (std::int64_t distance = granularity; distance <= limit && 2 * distance <= plan.region; distance *= 2) {
    distances.push_back(distance);
  }
  Line line{{},
            is_large(capacity_bytes) ? pairs_together(execute, subject, plan, distances)
                                     : pairs_by_distance(execute, subject, plan, distances)};
  line.bytes = first_apart(subject, line.pairs);
  constexpr double unlikely = 1e-3;  // false alarms of chance_of_agreement before more pairs are tested
  const bool clear = line.bytes && chance_of_agreement(line) < unlikely && !are_nearer_apart(subject, line);
  if (clear && !may_share_set(plan, line)) return line;
  if (subject.before > 0 || is_large(capacity_bytes)) return line;
  Line scattered = scattered_line(execute, subject, granularity, limit);
  if (!scattered.bytes) return line;
  if (are_nearer_apart(subject, scattered)) scattered.bytes.reset();
  return scattered;
}

}  // namespace tomograph::cache
