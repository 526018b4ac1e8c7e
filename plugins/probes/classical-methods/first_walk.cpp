#include <algorithm>
#include <map>

#include "methods.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::classical_methods {
namespace {

enum class Way { upwards, downwards };

/// A walk through part of a page, one node for each `stride`.
struct Span {
  std::int64_t bytes = 0;
  std::int64_t stride = 0;

  [[nodiscard]] std::int64_t nodes() const { return bytes / stride; }
};

/// As much of a page as the cache may hold, in as many nodes as two rounds of a program may time.
Span span_of(std::int64_t nominal_bytes) {
  constexpr std::int64_t nodes = cache::timed_loads_shared / 2;
  const std::int64_t bytes = std::min(cache::page_bytes, nominal_bytes) / nodes * nodes;
  return {bytes, bytes / nodes};
}

chase::Program program(const cache::Subject& subject, const Span& span, Way way, std::int64_t flush_bytes) {
  chase::Program program = cache::program_for(subject, cache::page_bytes);
  chase::Ring ring{0, 0, span.stride, span.nodes()};
  if (way == Way::downwards) {
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

/// For each node whether it missed in the round of this number.
std::vector<bool> missed(const cache::Subject& subject, const chase::Result& result, std::size_t round) {
  std::vector<bool> misses;
  for (const std::uint32_t cycles : result.traces[round].latency) {
    misses.push_back(!cache::is_hit(subject, result, cycles));
  }
  return misses;
}

/// Bytes from the first cold miss to the next: one that does not miss in the second round, as one of a TLB may.
/// Nothing if there are no two.
std::optional<std::int64_t> brought(const cache::Subject& subject, const chase::Result& result, const Span& span) {
  const auto first = missed(subject, result, 0);
  const auto second = missed(subject, result, 1);
  std::optional<std::size_t> before;
  for (std::size_t node = 0; node < first.size(); ++node) {
    if (!first[node] || second[node]) continue;
    if (before) return static_cast<std::int64_t>(node - *before) * span.stride;
    before = node;
  }
  return std::nullopt;
}

/// What a first walk upwards shows, if the cache was cold: that is, if nearly all loads of a walk downwards miss, where
/// a prefetch of what lies behind brings nothing new.
struct Seen {
  bool cold = false;
  std::optional<std::int64_t> bytes;  ///< what most walks agree on
  std::vector<double> first_round;    ///< net cycles of one walk upwards
};

Seen look(const cache::Executor& execute, const cache::Subject& subject, const Span& span, std::int64_t flush_bytes) {
  constexpr std::int64_t trials = 5;
  std::vector<chase::Program> programs{program(subject, span, Way::downwards, flush_bytes)};
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    programs.push_back(program(subject, span, Way::upwards, flush_bytes));
    programs.back().trial = trial;
  }
  const auto results = execute(programs);
  constexpr std::int64_t nearly_all = 10;
  const auto hits = std::ranges::count(missed(subject, results.front(), 0), false);
  Seen seen{nearly_all * hits < span.nodes(), {}, cache::net(results[1])};
  std::map<std::optional<std::int64_t>, std::int64_t> votes;
  for (std::int64_t trial = 1; trial <= trials; ++trial) {
    const auto bytes = brought(subject, results[static_cast<std::size_t>(trial)], span);
    if (2 * ++votes[bytes] > trials) seen.bytes = bytes;
  }
  return seen;
}

}  // namespace

void follow_mei(const Session& session, const cache::Level& level) {
  const cache::Executor execute = cache::executor(session);
  const cache::Subject subject = cache::known_subject(session, level);
  const std::string key = cache::key(level, "prefetch");
  const Span span = span_of(session.needed<std::int64_t>(cache::key(level, "nominal_size")));
  Seen seen = look(execute, subject, span, 0);
  // What an earlier program left is pushed out, as far as the way of doing that leaves a prefetch any room.
  if (!seen.cold) seen = look(execute, subject, span, cache::flush_bytes(session));
  session.evidence(key, std::array{cache::column("cycles", seen.first_round)});
  if (!seen.cold) return session.inconclusive(key, "first loads do not miss, even after other data went through");
  if (!seen.bytes) return session.inconclusive(key, "the walks do not agree on where a load misses next, if at all");
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
