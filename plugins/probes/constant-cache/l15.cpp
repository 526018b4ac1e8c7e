#include <algorithm>

#include "arrays.hpp"
#include "questions.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/overflow.hpp"

namespace tomograph::constant_cache {

namespace {

/// All constants that a program can load, walked and then loaded once more.
cache::Retained everything(const Session& session, std::int64_t stride) {
  const auto subject = cache::known_subject(session, l15);
  const std::int64_t bytes = subject.largest / stride * stride;
  const cache::Footprint all{
      .ring = {0, 0, stride, bytes / stride}, .bytes = bytes, .samples = bytes / stride, .share = 1};
  return cache::retained(cache::executor(session), subject, {&all, 1}).front();
}

/// Several misses in a row of loads are more than stray ones.
bool holds(const cache::Retained& seen, const cache::Subject& subject) {
  const double stray = 5 + 3 * subject.threshold.false_miss * static_cast<double>(seen.sampled);
  return static_cast<double>(seen.sampled - seen.hits) <= stray;
}

/// What the level is known to hold, and the smallest footprint that it does not, or 0 if none was found.
struct Bound {
  std::int64_t bytes = 0;
  std::int64_t beyond = 0;
  cache::Retained seen;
};

/// Where a program can have several arrays, footprints beyond one of them are bisected. What the kernels' own
/// instructions and parameters take of the level makes the bound lower, never higher.
Bound bound_over_arrays(const Session& session, std::int64_t stride, cache::Retained seen) {
  const auto subject = cache::known_subject(session, l15);
  const auto execute = cache::executor(session);
  Bound bound{subject.largest / stride * stride, 0, std::move(seen)};
  const std::int64_t arrays = arrays_together(execute, subject);
  std::int64_t next = arrays * bound.bytes;
  while (next > bound.bytes) {
    auto retained = retained_in_arrays(execute, subject, next, stride);
    if (holds(retained, subject)) {
      bound.bytes = next;
      bound.seen = std::move(retained);
    } else {
      bound.beyond = next;
    }
    if (bound.beyond == 0) break;
    next = (bound.bytes + bound.beyond) / 2 / stride * stride;
  }
  return bound;
}

}  // namespace

void find_l15_size(const Session& session) {
  const auto subject = cache::known_subject(session, l15);
  const auto fetch = session.needed<std::int64_t>("constant_l15.fetch_granularity");
  const auto line = session.fact<std::int64_t>("constant_l15.line_size");
  const auto size = line ? cache::measured_size(session, l15) : std::nullopt;
  if (size) {
    session.publish(*size);
    return session.absent("constant_l15.size_at_least", "the size itself was found");
  }
  const auto seen = everything(session, fetch);
  if (!holds(seen, subject)) {
    for (const char* name : {"constant_l15.size", "constant_l15.size_at_least"}) {
      session.inconclusive(name, "some of the constants that a program can load miss, but no footprint shows where");
    }
    return;
  }
  const Bound bound = bound_over_arrays(session, fetch, seen);
  session.inconclusive("constant_l15.size",
                       bound.beyond == 0 ? "all constants that a program can load fit: see constant_l15.size_at_least"
                                         : "only several arrays exceed it, and the kernels that read them take "
                                           "room of their own: see constant_l15.size_at_least");
  session.evidence("constant_l15.size_at_least", std::vector{cache::column("latency_cycles", bound.seen.latencies)});
  session.publish({.key = "constant_l15.size_at_least",
                   .value = bound.bytes,
                   .method = "everything-within-reach",
                   .confidence = 0.999,
                   .samples = static_cast<std::uint64_t>(bound.seen.sampled),
                   .conditions = {{"bound", "lower"}, {"misses_at", bound.beyond}},
                   .evidence = "constant_l15.size_at_least"});
}

void find_l15_sets(const Session& session) {
  const auto line = session.needed<std::int64_t>("constant_l15.line_size");
  const auto size = session.fact_record("constant_l15.size").value();
  const auto fitting = size.at("conditions").at("first_miss").get<std::int64_t>();
  const auto sets = cache::sets_by_overflow(cache::executor(session), cache::known_subject(session, l15),
                                            {.line_bytes = line}, fitting);
  const bool complete = sets && sets->lines() * line == size.at("value").get<std::int64_t>();
  if (!complete) {
    for (const char* fact : {"sets", "ways", "set_ways", "index"}) {
      session.inconclusive(cache::key(l15, fact), "no further line makes just one full set overflow");
    }
    return;
  }
  session.evidence("constant_l15.sets",
                   std::vector{cache::column("ways", {sets->set_ways.begin(), sets->set_ways.end()})});
  constexpr std::size_t settling = 8;
  cache::publish_sets(session, l15, *sets,
                      {.method = "one-line-too-many",
                       .confidence = sets->confirming >= settling ? 0.995 : 0.9,
                       .samples = sets->differences,
                       .evidence = "constant_l15.sets"});
}

}  // namespace tomograph::constant_cache
