#include <algorithm>
#include <array>
#include <utility>

#include "acquire_footprint.hpp"
#include "analysis_l15.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::constant_cache {

namespace {

ConstantSpace space_of(const Session& session, const cache::Subject& subject) {
  ConstantSpace space;
  space.block_bytes = session.needed<std::int64_t>("constant_l15.fetch_granularity");
  space.blocks_per_array = subject.largest / space.block_bytes;
  space.arrays = arrays_together(cache::executor(session), subject);
  const auto size = session.fact<std::int64_t>("constant_l1.size");
  const auto line = session.fact<std::int64_t>("constant_l1.line_size");
  space.fetched_before = session.fact<std::int64_t>("constant_l1.fetch_granularity").value_or(0);
  if (size && line) {
    space.bytes_before = *size;
    space.lines_before = *size / *line;
  }
  return space;
}

/// Contiguous footprints are bisected. What the kernels' own instructions and parameters take of the level makes the
/// bound lower, never higher.
Bound find_bound(const Session& session, const cache::Subject& subject, const ConstantSpace& space) {
  Bound bound;
  for (std::int64_t next = space.blocks(); next > bound.held;) {
    auto footprint = first_blocks(next);
    FootprintWalk seen = walk_footprints(cache::executor(session), subject, space, {&footprint, 1}).front();
    if (seen.missing() == 0) {
      bound.held = next;
      bound.held_at_once = seen.held_at_once;
      bound.latencies = std::move(seen.latencies);
    } else {
      bound.beyond = next;
    }
    if (bound.beyond == 0) break;
    next = (bound.held + bound.beyond) / 2;
  }
  return bound;
}

Attempt attempt(const Session& session, const cache::Subject& subject, const ConstantSpace& space, const Bound& bound,
                std::int64_t blocks_per_line, std::uint64_t seed) {
  const CandidateLines lines(space, blocks_per_line, bound.held);
  const auto parts = lines.parts(seed);
  return attempt_of(lines, parts, walk_footprints(cache::executor(session), subject, space, parts));
}

/// Lines are at least as long as what a miss fetches. The first guess is the shortest length at which one line of each
/// pair does not overflow the level.
std::int64_t likely_length(const Session& session, const cache::Subject& subject, const ConstantSpace& space,
                           const Bound& bound, std::span<const std::int64_t> lengths, std::uint64_t seed) {
  for (const std::int64_t length : lengths) {
    const CandidateLines lines(space, length, bound.held);
    const std::array footprint{lines.one_of_each_pair(seed)};
    if (mostly_held(walk_footprints(cache::executor(session), subject, space, footprint).front())) return length;
  }
  return lengths.back();
}

/// The length with which the number of a set's lines decides whether it misses.
Attempt find_sets(const Session& session, const cache::Subject& subject, const ConstantSpace& space, const Bound& bound,
                  std::uint64_t seed) {
  constexpr std::int64_t longest = 512;  // bytes; no known line is longer
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 1; length * space.block_bytes <= std::max(longest, space.block_bytes); length *= 2) {
    lengths.push_back(length);
  }
  const auto with_length = [&](std::int64_t length) { return attempt(session, subject, space, bound, length, seed); };
  const std::int64_t likely = likely_length(session, subject, space, bound, lengths, seed);
  Attempt best = with_length(likely);
  for (const std::int64_t length : {2 * likely, likely / 2}) {
    if (best.explained() || length < lengths.front() || length > lengths.back()) continue;
    Attempt other = with_length(length);
    if (other.contradictions() < best.contradictions()) best = std::move(other);
  }
  // If lines are loaded whole, twice the true length looks the same: each line is then one of each of two sets. Half
  // the true length is ruled out if most lines miss. The limit lies between the share that misses of lines of the
  // true length, about a third, and all. Chosen by hand.
  constexpr double most = 0.75;
  while (best.map && best.lines.loaded_whole() && best.lines.blocks_per_line() > 1) {
    Attempt half = with_length(best.lines.blocks_per_line() / 2);
    if (!half.half_explained()) {
      best.doubtful = half.missing < most;
      break;
    }
    best = std::move(half);
  }
  return best;
}

bool is_indexed(const Attempt& found) { return found.explained() && index_of(found, ways_of(*found.map)).has_value(); }

/// Other lines, if the first ones do not show an index: something may have disturbed their walks.
Attempt find_indexed_sets(const Session& session, const cache::Subject& subject, const ConstantSpace& space,
                          const Bound& bound) {
  Attempt first = find_sets(session, subject, space, bound, 1);
  if (is_indexed(first)) return first;
  Attempt second = find_sets(session, subject, space, bound, 2);
  return is_indexed(second) || !first.explained() ? std::move(second) : std::move(first);
}

}  // namespace

void find_l15_organisation(const Session& session) {
  const auto subject = cache::known_subject(session, l15);
  const ConstantSpace space = space_of(session, subject);
  const Bound bound = find_bound(session, subject, space);
  if (bound.beyond == 0)
    return publish_bound(session, bound, space.block_bytes, "all constants that a program can load fit");
  if (bound.held == 0 || !CandidateLines(space, 1, bound.held).suffice()) {
    return publish_bound(session, bound, space.block_bytes,
                         "a program cannot load enough constants to overflow every set");
  }
  const Attempt found = find_indexed_sets(session, subject, space, bound);
  if (!found.explained()) {
    return publish_bound(session, bound, space.block_bytes, "lines do not miss set by set");
  }
  publish_organisation(session, found, bound.beyond * space.block_bytes);
}

}  // namespace tomograph::constant_cache
