#include <algorithm>
#include <array>
#include <functional>

#include "acquire_walks.hpp"
#include "analysis_overflow.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::classical_methods {
namespace {

constexpr std::int64_t element = chase::node_bytes;
constexpr int few_rounds = 4;               // of walks over every element, which are long
constexpr int many_rounds = 16;             // of walks over lines: random victims let each line miss twice in them
constexpr std::int64_t longest_line = 512;  // no known line is longer
constexpr std::int64_t most_sets = 512;     // a second stage of one walk for each: more take longer than is worthwhile

/// The first stage: the largest walk over every element that fits.
std::optional<std::int64_t> largest_without_misses(const cache::Executor& execute, const cache::Subject& subject,
                                                   std::int64_t limit) {
  const auto fits = [&](std::int64_t bytes) {
    return count_misses(execute, subject, {bytes, element}, few_rounds).nodes() == 0;
  };
  std::int64_t low = 0;
  std::int64_t high = 1024;
  for (; fits(high); high *= 2) {
    if (high > limit) return std::nullopt;
    low = high;
  }
  while (high - low > element) {
    const std::int64_t middle = low + (high - low) / 2 / element * element;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// Overflows by one element after the other until the number of missed elements has grown twice.
std::optional<std::int64_t> line_by_overflow(const cache::Executor& execute, const cache::Subject& subject,
                                             std::int64_t size) {
  std::vector<std::int64_t> missed;
  for (std::int64_t more = element; more <= longest_line + element; more += element) {
    missed.push_back(count_misses(execute, subject, {size + more, element}, few_rounds).nodes());
    if (const auto line = line_size(missed, element)) return line;
  }
  return std::nullopt;
}

/// The second stage: walks over lines, one more each time, until all of them miss.
struct SecondStage {
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> missed;
  std::vector<double> rate;
  bool is_periodic = false;
};

SecondStage overflow_by_lines(const cache::Executor& execute, const cache::Subject& subject, std::int64_t size,
                              std::int64_t line) {
  SecondStage stage;
  for (std::int64_t lines = size / line + 1; lines <= 2 * size / line && std::ssize(stage.bytes) < most_sets; ++lines) {
    const Misses seen = count_misses(execute, subject, {lines * line, line}, many_rounds);
    if (stage.bytes.empty()) stage.is_periodic = seen.is_periodic();
    stage.bytes.push_back(lines * line);
    stage.missed.push_back(seen.nodes());
    stage.rate.push_back(seen.rate());
    // Where misses are aperiodic, Mei & Chu walk on to half as much again as it holds.
    if (seen.nodes() == lines && (stage.is_periodic || 2 * lines * line >= 3 * size)) break;
  }
  return stage;
}

/// The misses of the first nodes of a walk too long to time, round after round.
Misses misses_of_window(const cache::Executor& execute, const cache::Subject& subject, const Walk& walk) {
  // If two of 10,000 loads are misread, one of 256 lines that fit misses twice in 8 rounds in 3e-4 of the cases. Where
  // sets of 16 ways with random victims have a line too many, no line does in 1e-10.
  constexpr std::int64_t window = 256;
  constexpr int rounds = 8;
  const std::int64_t nodes = walk.bytes / walk.stride;
  chase::Program program = cache::program_for(subject, walk.bytes);
  cache::add_ring(program, {.array = 0, .stride = walk.stride, .count = nodes});
  program.phases = {{0, 0, 0, filling_rounds * nodes, chase::Timing::untimed}};
  for (int round = 0; round < rounds; ++round) {
    program.phases.push_back({0, 0, 0, window, chase::Timing::each});
    program.phases.push_back({0, 0, window, nodes - window, chase::Timing::untimed});
  }
  Misses seen{std::vector<int>(window), rounds};
  const auto results = execute({&program, 1});
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto cycles = cache::net(results.front(), round);
    for (std::size_t node = 0; node < window; ++node) {
      seen.of_node[node] += cycles[node] > subject.threshold.cycles ? 1 : 0;
    }
  }
  return seen;
}

std::vector<double> reals(std::span<const std::int64_t> values) { return {values.begin(), values.end()}; }

void publish_stage(const Session& session, const cache::Level& level, const SecondStage& stage) {
  const std::string evidence = cache::key(level, "mei2017");
  session.evidence(evidence, std::array{cache::column("bytes", reals(stage.bytes)),
                                        cache::column("lines_missed", reals(stage.missed)),
                                        cache::column("misses_per_load", stage.rate)});
  Fact fact{.key = cache::key(level, "replacement"),
            .value = stage.is_periodic ? "lru" : "not-lru",
            .method = "mei2017",
            .confidence = unverified,
            .samples = stage.bytes.size(),
            .evidence = evidence};
  session.publish(fact);
  Value rates = Value::list();
  for (std::size_t i = 0; i < stage.bytes.size(); ++i) rates.push_back(Value::list(stage.bytes[i], stage.rate[i]));
  fact.key = cache::key(level, "miss_rate_by_size");
  fact.value = rates;
  session.publish(fact);
}

}  // namespace

void follow_mei_stages(const Session& session, const cache::Level& level) {
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject = cache::known_subject(session, level);
  const auto size = largest_without_misses(execute, subject, cache::search_range(session, level).limit);
  const auto line = size ? line_by_overflow(execute, subject, *size) : std::nullopt;
  if (!line) {
    for (const char* name : {"replacement", "miss_rate_by_size"}) {
      session.inconclusive(cache::key(level, name), "no walk shows where lines begin to miss");
    }
    return publish(session, level, "mei2017", 0, size ? std::optional(CacheParameters{.size = *size}) : std::nullopt);
  }
  const SecondStage stage = overflow_by_lines(execute, subject, *size, *line);
  const auto ways = ways_of_sets(stage.missed);
  const bool equal = !ways.empty() && std::ranges::adjacent_find(ways, std::not_equal_to<>{}) == ways.end();
  CacheParameters found{.size = *size, .line_size = line};
  if (!ways.empty()) found.sets = std::ssize(ways);
  if (equal) found.ways = ways.front();
  publish(session, level, "mei2017", stage.bytes.size(), found);
  publish_stage(session, level, stage);
}

void follow_mei_l2(const Session& session, const cache::Level& level) {
  const std::string key = cache::key(level, "replacement");
  const auto line = session.needed<std::int64_t>(cache::key(level, "line_size"));
  const std::int64_t lines = session.needed<std::int64_t>(cache::key(level, "nominal_size")) / line;
  // A sixteenth more than it holds: many sets overflow by a line, and some lines of any window belong to them.
  const Walk walk{(lines + lines / 16) * line, line};
  const Misses seen = misses_of_window(cache::executor(session), cache::known_subject(session, level), walk);
  session.evidence(key, std::array{cache::column("misses", {seen.of_node.begin(), seen.of_node.end()})});
  if (seen.nodes() == 0) return session.inconclusive(key, "no line of the walk misses");
  session.publish({.key = key,
                   .value = seen.is_periodic() ? "lru" : "not-lru",
                   .method = "mei2017",
                   .confidence = unverified,
                   .samples = seen.of_node.size(),
                   .evidence = key});
}

}  // namespace tomograph::classical_methods
