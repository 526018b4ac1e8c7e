#include "tomograph/cache/overflow.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace tomograph::cache {

namespace {

constexpr std::int64_t fewest_passes = 6;

/// Unlike places at random, an extra line may lie anywhere.
std::int64_t within_reach(const Subject& subject) { return std::min(page_bytes, subject.largest); }

/// Lines that missed in at least two passes, the one from beyond among them: a stray load is late once.
struct Overflow {
  std::int64_t extra = 0;
  std::vector<std::int64_t> missing;
};

chase::Program overflow_program(const Subject& subject, std::int64_t line_bytes, std::int64_t lines,
                                std::int64_t extra) {
  chase::Program program = program_for(subject, within_reach(subject));
  chase::Ring ring{.array = 0};
  for (std::int64_t line = 0; line < lines; ++line) ring.nodes.push_back(line * line_bytes);
  ring.nodes.push_back(extra * line_bytes);
  add_ring(program, std::move(ring));
  const std::int64_t walk = lines + 1;
  const std::int64_t passes = std::max(fewest_passes, timed_loads / walk);
  program.phases = {{0, 0, 0, 3 * walk, chase::Timing::untimed}, {0, 0, 0, passes * walk, chase::Timing::each}};
  return program;
}

Overflow overflow_of(const Subject& subject, const chase::Result& result, std::int64_t lines, std::int64_t extra) {
  std::map<std::int64_t, int> misses;
  const auto& trace = result.traces.front();
  for (std::size_t i = 0; i < trace.latency.size(); ++i) {
    if (!is_hit(subject, result, trace.latency[i])) ++misses[trace.node[i]];
  }
  Overflow seen{extra, {}};
  for (const auto& [node, count] : misses) {
    if (count > 1) seen.missing.push_back(node == lines ? extra : node);
  }
  return seen;
}

/// Differences of the lines that went missing together.
std::vector<std::uint64_t> differences(std::span<const Overflow> seen, std::int64_t line_bytes) {
  std::vector<std::uint64_t> found;
  for (const Overflow& overflow : seen) {
    for (const std::int64_t line : overflow.missing) {
      const auto difference = static_cast<std::uint64_t>((line * line_bytes) ^ (overflow.missing.front() * line_bytes));
      if (difference != 0) found.push_back(difference);
    }
  }
  return found;
}

/// How many of the last differences left the index as it was, as far as it matters.
std::size_t confirmations(std::span<const std::uint64_t> found, std::uint64_t varied, std::size_t bits) {
  constexpr std::size_t enough = 32;
  std::size_t confirming = 0;
  while (confirming < enough && confirming + 1 < found.size() &&
         analysis::recover_index(found.first(found.size() - confirming - 1), varied).bits() == bits) {
    ++confirming;
  }
  return confirming;
}

/// The lines of the footprint in each set, if each was seen to overflow and nearly all of its lines to go missing.
std::optional<std::vector<std::int64_t>> full_sets(const std::vector<std::vector<std::int64_t>>& by_set,
                                                   std::span<const Overflow> seen, std::int64_t lines) {
  std::vector<std::int64_t> ways;
  for (const auto& members : by_set) {
    const std::set<std::int64_t> own(members.begin(), members.end());
    std::set<std::int64_t> missing;
    for (const Overflow& overflow : seen) {
      if (own.contains(overflow.extra)) missing.insert(overflow.missing.begin(), overflow.missing.end());
    }
    const auto held = std::ranges::count_if(members, [&](std::int64_t line) { return line < lines; });
    const auto gone = std::ranges::count_if(missing, [&](std::int64_t line) { return line < lines; });
    if (held == 0 || gone * 10 < held * 8) return std::nullopt;
    ways.push_back(held);
  }
  return ways;
}

}  // namespace

std::optional<Sets> sets_by_overflow(const Executor& execute, const Subject& subject, const SetSearch& search,
                                     std::int64_t fitting_bytes) {
  const std::int64_t lines = fitting_bytes / search.line_bytes;
  const std::int64_t beyond = within_reach(subject) / search.line_bytes - lines;
  if (lines < 1 || beyond < 1) return std::nullopt;
  constexpr std::int64_t most_extras = 256;
  std::vector<std::int64_t> extras;
  for (const std::int64_t place : random_choice(beyond, std::min(beyond, most_extras), 1)) {
    extras.push_back(lines + place);
  }
  std::vector<chase::Program> programs;
  for (const std::int64_t extra : extras) {
    programs.push_back(overflow_program(subject, search.line_bytes, lines, extra));
  }
  const auto results = execute(programs);
  std::vector<Overflow> seen;
  for (std::size_t i = 0; i < extras.size(); ++i) {
    seen.push_back(overflow_of(subject, results[i], lines, extras[i]));
  }
  const auto found = differences(seen, search.line_bytes);
  if (found.empty()) return std::nullopt;
  const auto region = std::bit_ceil(static_cast<std::uint64_t>(within_reach(subject)));
  const auto varied = (region - 1) & ~static_cast<std::uint64_t>(search.line_bytes - 1);
  Sets sets{.index = analysis::recover_index(found, varied), .set_ways = {}, .differences = found.size()};
  constexpr std::size_t most_index_bits = 12;
  if (sets.index.bits() > most_index_bits) return std::nullopt;
  sets.confirming = confirmations(found, varied, sets.index.bits());
  auto ways = full_sets(lines_by_set(sets.index, search.line_bytes, static_cast<std::int64_t>(region)), seen, lines);
  if (!ways) return std::nullopt;
  sets.set_ways = std::move(*ways);
  return sets;
}

}  // namespace tomograph::cache
