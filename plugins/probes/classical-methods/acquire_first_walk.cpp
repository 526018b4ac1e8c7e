#include <algorithm>
#include <bit>

#include "analysis_first_walk.hpp"
#include "questions.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::classical_methods {
namespace {

enum class Direction { ascending, descending };

/// A part of a page with one node for each `stride`.
struct Span {
  std::int64_t bytes = 0;
  std::int64_t stride = 0;

  [[nodiscard]] std::int64_t nodes() const { return bytes / stride; }
};

/// As much of a page as the cache may hold, in as many nodes as two rounds of a program may time.
Span span_of(std::int64_t nominal_bytes, const cache::Subject& subject) {
  const auto nodes = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(subject.most_timed / 2)));
  const std::int64_t bytes = std::min(cache::page_bytes, nominal_bytes) / nodes * nodes;
  return {bytes, bytes / nodes};
}

chase::Program program(const cache::Subject& subject, const Span& span, Direction direction, std::int64_t flush_bytes) {
  chase::Program program = cache::program_for(subject, cache::page_bytes);
  chase::Ring ring{0, 0, span.stride, span.nodes()};
  if (direction == Direction::descending) {
    ring.nodes = chase::node_offsets(ring);
    std::ranges::reverse(ring.nodes);
  }
  cache::add_ring(program, std::move(ring));
  if (flush_bytes > 0) cache::add_flush(program, subject, flush_bytes);
  for (int round = 0; round < 2; ++round) {
    program.phases.push_back({0, 0, 0, span.nodes(), chase::Timing::each});
  }
  return program;
}

std::vector<bool> missed(const cache::Subject& subject, const chase::Result& result, std::size_t round) {
  std::vector<bool> misses;
  for (const std::uint32_t cycles : result.traces[round].latency) {
    misses.push_back(!cache::is_hit(subject, result, cycles));
  }
  return misses;
}

/// What the walks show, and the net cycles of one ascending first walk.
struct Measured {
  FirstWalk shown;
  std::vector<double> first_round;
};

Measured measure(const cache::Executor& execute, const cache::Subject& subject, const Span& span,
                 std::int64_t flush_bytes) {
  constexpr std::int64_t trials = 5;  // most must agree, so two disturbed ones do not matter
  std::vector<chase::Program> programs{program(subject, span, Direction::descending, flush_bytes)};
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    programs.push_back(program(subject, span, Direction::ascending, flush_bytes));
    programs.back().trial = trial;
  }
  const auto results = execute(programs);
  std::vector<TwoRounds> ascending;
  for (std::size_t i = 1; i < results.size(); ++i) {
    ascending.push_back({missed(subject, results[i], 0), missed(subject, results[i], 1)});
  }
  return {first_walk(missed(subject, results.front(), 0), ascending, span.stride), cache::net(results[1])};
}

}  // namespace

void follow_mei(const Session& session, const cache::Level& level) {
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject = cache::known_subject(session, level);
  const std::string key = cache::key(level, "prefetch");
  const Span span = span_of(session.needed<std::int64_t>(cache::key(level, "nominal_size")), subject);
  Measured measured = measure(execute, subject, span, 0);
  // What an earlier program left in the cache is flushed.
  if (!measured.shown.cold) measured = measure(execute, subject, span, cache::flush_bytes(session));
  const FirstWalk& seen = measured.shown;
  session.evidence(key, std::array{cache::column("cycles", measured.first_round)});
  if (!seen.cold) return session.inconclusive(key, "first loads hit, even after other data was loaded");
  if (!seen.bytes) return session.inconclusive(key, "the walks do not agree on which load misses next");
  if (*seen.bytes == span.stride)
    return session.absent(key, "the first load of every " + std::to_string(span.stride) + " B misses");
  session.publish({.key = key,
                   .value = {{"order", "sequential"}, {"size", *seen.bytes}},
                   .method = "mei2017",
                   .confidence = unverified,
                   .samples = static_cast<std::uint64_t>(span.nodes()),
                   .conditions = {{"resolution", span.stride}},
                   .evidence = key});
}

}  // namespace tomograph::classical_methods
