#include <array>

#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::constant_cache {

namespace {

constexpr std::array unknown_without_overflow{"line_size", "size", "sets", "ways", "set_ways", "index"};

void keep_sets(const Session& session, const Attempt& found) {
  std::vector<double> array;
  std::vector<double> offset;
  for (std::size_t line = 0; line < found.map->set_of.size(); ++line) {
    array.push_back(static_cast<double>(found.lines.array_of(line)));
    offset.push_back(static_cast<double>(found.lines.offset_of(line)));
  }
  session.evidence("constant_l15.sets",
                   std::vector{cache::column("array", array), cache::column("offset_B", offset),
                               cache::column("set", {found.map->set_of.begin(), found.map->set_of.end()}),
                               cache::column("ways", {found.map->ways.begin(), found.map->ways.end()})});
}

/// If no index makes the sets, some may have no line within an array, and what the others hold is a bound.
void publish_size(const Session& session, Fact fact, std::int64_t bytes, bool indexed) {
  fact.key = indexed ? "constant_l15.size" : "constant_l15.size_at_least";
  fact.value = bytes;
  if (!indexed) {
    fact.confidence = confidence::constant_cache::lower_bound;
    fact.conditions["bound"] = "lower";
  }
  session.publish(fact);
  if (indexed) return session.absent("constant_l15.size_at_least", "not needed: constant_l15.size is known");
  session.inconclusive("constant_l15.size", "the sets are no XORs of address bits, so that some may go unseen");
}

/// Confidence is lower if not every set was seen to overflow, or if no index makes the sets.
double confidence_of(const Attempt& found, const Ways& ways, bool indexed) {
  if (found.doubtful || !ways.overflow_seen || !indexed) return confidence::constant_cache::second_level_doubtful;
  return ways.disturbed == 0 ? confidence::constant_cache::second_level
                             : confidence::constant_cache::second_level_disturbed;
}

}  // namespace

void publish_organisation(const Session& session, const Attempt& found, std::int64_t first_miss) {
  keep_sets(session, found);
  const Ways ways = ways_of(*found.map);
  const auto sets = index_of(found, ways);
  Fact fact{.method = "missing-together",
            .confidence = confidence_of(found, ways, sets.has_value()),
            .samples = found.map->outcomes,
            .conditions = {{"first_miss", first_miss},
                           {"contradictions", found.map->contradictions},
                           {"sets_with_code", ways.disturbed},
                           {"offsets_below", found.lines.bytes_of_array()}},
            .evidence = "constant_l15.sets"};
  publish_size(session, fact, ways.lines() * found.lines.bytes(), sets.has_value());
  if (found.doubtful) {
    for (const char* name : {"line_size", "sets", "ways", "set_ways", "index"}) {
      session.inconclusive(cache::key(l15, name), "lines of half the length may explain what misses as well");
    }
    return;
  }
  fact.key = "constant_l15.line_size";
  fact.value = found.lines.bytes();
  session.publish(fact);
  if (sets) return cache::publish_sets(session, l15, *sets, fact);
  for (const char* name : {"sets", "ways", "set_ways", "index"}) {
    session.inconclusive(cache::key(l15, name), "the sets are no XORs of address bits");
  }
}

void publish_bound(const Session& session, const Bound& bound, std::int64_t block_bytes, const std::string& reason) {
  for (const char* name : unknown_without_overflow) session.inconclusive(cache::key(l15, name), reason);
  if (bound.held_at_once == 0) {
    return session.inconclusive("constant_l15.size_at_least", "even the smallest footprint misses now and then");
  }
  session.evidence("constant_l15.size_at_least", std::vector{cache::column("latency_cycles", bound.latencies)});
  session.publish({.key = "constant_l15.size_at_least",
                   .value = bound.held_at_once * block_bytes,
                   .method = "everything-within-reach",
                   .confidence = confidence::constant_cache::lower_bound,
                   .samples = static_cast<std::uint64_t>(bound.latencies.size()),
                   .conditions = {{"bound", "lower"}, {"misses_at", bound.beyond * block_bytes}},
                   .evidence = "constant_l15.size_at_least"});
}

}  // namespace tomograph::constant_cache
