#include "acquire_level.hpp"

#include <algorithm>
#include <utility>

#include "acquire_memory.hpp"
#include "acquire_whole.hpp"
#include "analysis_matrix.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::tlb {

namespace {

/// Bytes that a miss brings. Missing pages lie a multiple of it apart, and not always the first: random victims, and
/// orders in which a policy keeps every other entry, hide misses between them.
std::int64_t bytes_brought(Reach& reach, const Fill& fill) {
  std::int64_t bytes = fill.bytes;
  while (bytes / 2 >= fill.stride && !reach.twice_as_many_fit(bytes)) bytes /= 2;
  return bytes;
}

/// Finds the bytes that an entry serves: at least what a miss brings, and more if its parts are filled one by one.
/// Where every page missed, a miss may bring less than the stride, unless one entry serves both halves of it.
void find_span(Reach& reach, Findings& found) {
  // An entry of more parts than this is not plausible.
  constexpr std::int64_t widest = 64;
  const std::int64_t brought = bytes_brought(reach, *found.fill);
  found.fill->is_divided = brought < std::exchange(found.fill->bytes, brought);
  if (brought == found.fill->stride && !reach.one_entry(brought / 2).value_or(false)) {
    found.reason =
        "at most " + std::to_string(brought) + " B: each page misses at the smallest stride that can be measured";
    return;
  }
  for (std::int64_t distance = brought; distance <= widest * brought; distance *= 2) {
    const auto same = reach.one_entry(distance);
    if (!same) {
      found.reason =
          "an entry serves at least " + std::to_string(distance) +
          " B; whether it serves more is unknown: memory is too small, or the pages are too many to be timed";
      return;
    }
    if (!*same) {
      found.entry_span = distance;
      return;
    }
  }
  found.reason = "pages far apart seem to share an entry";
}

/// Whether a miss of the level may bring less than the distance between misses, of which the level before hides some.
bool may_bring_less(const Findings& found) {
  // A choice: where part of the memory is not contiguous, half of the distances agree.
  constexpr double nearly_all = 0.75;
  return found.is_hidden() || found.fill->share < nearly_all;
}

/// Drops what was counted if the entries may serve less than pages seem to share.
void doubt_hidden_span(Reach& reach, Findings& found) {
  if (found.brings_whole_entries.value_or(false) || !may_bring_less(found)) return;
  if (reach.halves_share_entry(*found.entry_span).value_or(!found.is_hidden())) return;
  found.reason = "an entry serves at most " + std::to_string(*found.entry_span) +
                 " B; it may serve less, which the level before hides";
  found.doubted = {*found.entries, *found.entry_span};
  found.entry_span.reset();
  found.entries.reset();
  found.sets = {};
  found.policy = {};
}

/// Whether a walk over somewhat fewer than `most` pages leaves as many, `after_most`, if `fitting` pages fit.
template <typename Left>
bool fewer_leave_as_many(const Left& left, std::int64_t most, std::int64_t fitting, std::int64_t after_most) {
  if (most == 5 * fitting) return left(most - most / 8) == after_most;
  // Where memory or time ends the walk, few pages more than entries may leave sets of a hashed index unfilled: on an
  // H100, which has 2,048 entries and memory for 2,359 pages, 2,065 pages left 1,931 to 2,048 of them, and 2,212 pages
  // all.
  return left(most - most / 16) == after_most && left(most - most / 32) == after_most;
}

/// Counts entries in two ways: the most pages, one span apart, that fit, and the pages left after a long walk.
void count_entries(const Memory& memory, Reach& reach, std::int64_t before, Findings& found) {
  const std::int64_t span = *found.entry_span;
  const auto fitting = reach.most_fitting(span);
  if (!fitting) {
    found.reason =
        "the memory that is available does not overflow the level with one page per entry, or these pages are too many "
        "to be timed often enough";
    return;
  }
  // Each set gets at least four times as many pages as the smallest one holds: one of twice its size overflows, too.
  const std::int64_t most =
      std::min({memory.places(span), memory.most_visits / 2, memory.most_timed / 8, 5 * *fitting});
  const auto left = [&](std::int64_t pages) {
    return retained(memory, found.level, evenly(span, pages), memory.spread(span));
  };
  const std::int64_t after_most = most > *fitting ? left(most) : 0;
  found.entries = fitting;
  found.method = "first-miss";
  found.confidence = confidence::tlb::entries_first_miss;
  // Under most other policies than LRU and FIFO, what a walk leaves depends on its length. (Tree-PLRU leaves as many
  // pages as there are entries after a multiple of these.)
  const std::int64_t shorter = (most - 1) / *fitting * *fitting;
  const auto leaves_as_many = [&] { return shorter <= *fitting || left(shorter) == after_most; };
  if (after_most == *fitting && leaves_as_many()) {
    found.method = "first-miss+retained-pages";
    found.confidence = confidence::tlb::entries_two_methods;
  } else if (10 * after_most > 9 * *fitting && fewer_leave_as_many(left, most, *fitting, after_most) &&
             (after_most > *fitting || !fully_associative(memory, {found.level, *fitting, span, before}))) {
    // With a hashed index, one set overflows before all are full; or a small buffer holds what was replaced. The tenth
    // is what was seen on simulated GPUs and an H200. Where any pages fit, there is no buffer: another policy than LRU
    // and FIFO leaves fewer than fit.
    found.entries = after_most;
    found.method = "retained-pages";
    found.confidence = confidence::tlb::entries_retained;
  }
}

/// Where victims are random, a long walk does not leave as many pages as there are entries. Sets that hold exactly
/// their share of them confirm the entries as well.
void confirm_entries(const Memory& memory, const Organisation& known, Findings& found) {
  if (found.confidence > confidence::tlb::entries_first_miss || found.sets.ways.empty()) return;
  const bool one_set = found.sets.ways.size() == 1;
  if (one_set ? !one_more_overflows(memory, known) : found.sets.method == "conflict-groups") return;
  found.method = "first-miss+sets";
  found.confidence = confidence::tlb::entries_by_sets;
}

}  // namespace

bool Findings::is_hidden() const {
  // Large arrays have pages of 2 MiB or more.
  return fill->bytes > chase::array_alignment && brought_before && fill->bytes <= *brought_before;
}

namespace {

/// Parts of the memory of which the first may be left out: the rest still shows levels that reach 7/8 of it.
constexpr std::int64_t parts = 8;

/// The memory in which a level is examined: behind places that are not contiguous, if nearly all of it lies there.
Memory regular_memory(const Memory& memory, const std::optional<Fill>& fill) {
  if (!fill || fill->regular_from == 0 || parts * fill->regular_from > memory.bytes) return memory;
  return behind(memory, fill->regular_from);
}

/// The memory in which a page's visits load lines that one miss brings. Others may miss though an entry has the page.
Memory within_what_a_miss_brings(Memory memory, const Fill& fill) {
  memory.widest_spread = std::min(memory.widest_spread, fill.bytes);
  return memory;
}

/// Whether a miss brings only a part of an entry, of which no stride shows the bytes.
bool brings_unknown_part(const Findings& found) { return found.brings_whole_entries == false && !found.is_hidden(); }

/// The memory in which visits tell sets and a policy. If one miss brings less than the smallest stride showed, visits
/// of an entry must stay within the smallest page: others would miss though the entry is held.
Memory within_a_page(Memory memory, const Findings& found) {
  if (brings_unknown_part(found)) {
    memory.widest_spread = std::min(memory.widest_spread, cache::smallest_page_bytes);
  }
  return memory;
}

/// Pages that were drawn to share a set may belong to several if the sets do not account for the entries. Visits to
/// them agree with no policy.
Policy of_known_sets(Policy policy, const SetWays& sets) {
  if (policy.name != "not-lru" || !sets.ways.empty()) return policy;
  return {.reason = "visits agree with no policy, but " + (sets.reason.empty() ? "the sets are unknown" : sets.reason),
          .trace = std::move(policy.trace)};
}

Findings examine_in(const Memory& memory, std::span<const Cell> matrix, const Level& level, std::optional<Fill> fill,
                    const Before& before, const Level* next) {
  Findings found;
  found.level = level;
  found.fill = std::move(fill);
  found.brought_before = before.brought;
  if (!found.fill) {
    found.reason = "more pages than can be timed are needed to overflow the level";
    return found;
  }
  if (misses_bring_next(memory, level, matrix, *found.fill)) {
    found.fill.reset();
    found.reason = "a miss also brings the entry of the next page, so that pages and entries are not told apart";
    return found;
  }
  Reach reach(memory, found.level, matrix, before.evicting_pages);
  find_span(reach, found);
  if (!found.entry_span) return found;
  count_entries(memory, reach, before.evicting_pages, found);
  if (!found.entries) return found;
  const Organisation known{level, *found.entries, *found.entry_span, before.evicting_pages};
  if (found.fill->bytes == found.fill->stride || found.is_hidden() || found.fill->is_divided) {
    found.brings_whole_entries = brings_whole_entry(memory, known);
  }
  const Memory whole_visits = within_what_a_miss_brings(memory, *found.fill);
  const Memory page_visits = within_a_page(whole_visits, found);
  found.sets = set_ways(whole_visits, known);
  // Lines of one page of many entries meet in few sets of L2, so that they come second.
  if (found.sets.ways.empty() && brings_unknown_part(found)) found.sets = set_ways(page_visits, known);
  confirm_entries(whole_visits, known, found);
  found.policy = of_known_sets(policy(page_visits, known, found.sets), found.sets);
  found.penalty = miss_penalty(whole_visits, known, pages_held_behind(matrix, next, known.entry_span));
  if (before.evicting_pages > 0) doubt_hidden_span(reach, found);
  return found;
}

/// A first level whose entries one method alone counted is examined once more in other memory: where some of the memory
/// is not contiguous, or something else takes entries, too few pages fit. The surer count is taken.
Findings surest(Findings found, const Memory& memory, std::span<const Cell> matrix, const std::optional<Fill>& fill,
                const Before& before, const Level* next) {
  if (!found.entries || found.confidence >= confidence::tlb::entries_two_methods) return found;
  const std::int64_t part = memory.bytes / parts / chase::array_alignment * chase::array_alignment;
  try {
    Findings elsewhere = examine_in(behind(memory, part), matrix, found.level, fill, before, next);
    return elsewhere.confidence > found.confidence ? elsewhere : found;
  } catch (const Refused&) {
    return found;  // recordings may know one place
  }
}

}  // namespace

Findings examine(const Memory& memory, std::span<const Cell> matrix, const Level& level,
                 const std::optional<Fill>& fill, const Before& before, const Level* next) {
  Findings found = examine_in(regular_memory(memory, fill), matrix, level, fill, before, next);
  const bool is_first = before.evicting_pages == 0;
  return is_first ? surest(std::move(found), memory, matrix, fill, before, next) : found;
}

Findings not_examined(const Level& level, const std::string& reason) {
  Findings nothing;
  nothing.level = level;
  nothing.reason = reason;
  nothing.examined = false;
  return nothing;
}

}  // namespace tomograph::tlb
