#include <algorithm>

#include "question.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::tlb {

namespace {

/// An entry serves at least what a miss brings; whether it serves more, parts being filled one by one, pairs tell.
/// Where every page missed, a miss may have brought less than from one to the next, unless half of that is one entry's.
void find_span(const Memory& memory, std::span<const Cell> matrix, Anatomy& found) {
  constexpr std::int64_t widest = 64;
  const std::int64_t brought = found.fill->bytes;
  if (brought == found.fill->stride && !one_entry(memory, found.level, brought / 2, matrix).value_or(false)) {
    found.reason =
        "at most " + std::to_string(brought) + " B: each page misses at the smallest stride that can be told";
    return;
  }
  for (std::int64_t distance = brought; distance <= widest * brought; distance *= 2) {
    const auto same = one_entry(memory, found.level, distance, matrix);
    if (!same) {
      found.reason =
          "the memory that could be had is too small, or the pages are too many to be timed, to tell whether " +
          std::string("an entry serves more than the ") + std::to_string(distance) + " B that are sure";
      return;
    }
    if (!*same) {
      found.entry_span = distance;
      return;
    }
  }
  found.reason = "pages far apart seem to share an entry";
}

/// Pages one span apart, forwards to the first miss, and those left after a long walk: two witnesses.
void count_entries(const Memory& memory, std::span<const Cell> matrix, Anatomy& found) {
  const std::int64_t span = *found.entry_span;
  const auto fitting = most_fitting(memory, found.level, span, matrix);
  if (!fitting) {
    found.reason =
        "the memory that could be had does not overflow the level with one page per entry, or these are too many to be "
        "timed often enough";
    return;
  }
  const std::int64_t places = (memory.bytes - spread(span)) / span;
  const std::int64_t most = std::min({places, memory.most_visits / 2, memory.most_timed / 8, 4 * *fitting});
  const auto left = [&](std::int64_t pages) {
    return retained(memory, found.level, evenly(span, pages), spread(span));
  };
  const std::int64_t after_most = most > *fitting ? left(most) : 0;
  found.entries = fitting;
  found.method = "first-miss";
  found.confidence = confidence::tlb::entries_first_miss;
  if (after_most == *fitting) {
    found.method = "first-miss+retained-pages";
    found.confidence = confidence::tlb::entries_two_methods;
  } else if (10 * after_most > 9 * *fitting && left(most - most / 8) == after_most) {
    // A hashed index, by which one set overflows before all are full; or a small buffer for what is replaced.
    found.entries = after_most;
    found.method = "retained-pages";
    found.confidence = confidence::tlb::entries_retained;
  }
}

/// Pages, one per entry, that the next level surely holds.
std::int64_t room_in(std::span<const Cell> matrix, const Level* next, std::int64_t span) {
  std::int64_t most = 0;
  for (const Cell& cell : matrix) {
    if (cell.stride == span) most = std::max(most, cell.pages);
  }
  return next == nullptr ? most : bracket(matrix, *next, span).fits;
}

}  // namespace

Anatomy examine(const Memory& memory, std::span<const Cell> matrix, const Level& level, std::optional<Fill> fill,
                std::int64_t before, const Level* next) {
  Anatomy found;
  found.level = level;
  found.fill = std::move(fill);
  if (!found.fill) {
    found.reason = "more pages than can be timed are needed to overflow the level";
    return found;
  }
  find_span(memory, matrix, found);
  if (!found.entry_span) return found;
  count_entries(memory, matrix, found);
  if (!found.entries) return found;
  const Organisation known{level, *found.entries, *found.entry_span, before};
  found.sets = set_ways(memory, known);
  found.policy = policy(memory, known, found.sets);
  found.penalty = miss_penalty(memory, known, room_in(matrix, next, known.entry_span));
  return found;
}

}  // namespace tomograph::tlb
