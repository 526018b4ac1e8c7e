#include <algorithm>
#include <cmath>

#include "tomograph/analysis/change_point.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/knee.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/cache/sets.hpp"
#include "tomograph/column.hpp"

namespace tomograph::cache {

namespace {

/// Most lines of a cache of which each is counted often enough to tell it from noise.
constexpr std::int64_t few_lines = 256;

/// Whether the change point of the sweep (Größler 2022, section 3.3) lies within 10 % of the first miss. A third method
/// on the same loads; it changes the name of the method, not the confidence, since it accepts noise too often.
bool change_point_agrees(const Capacity& capacity) {
  constexpr std::size_t loads = 64;  // samples must be equally long
  std::vector<std::vector<double>> samples;
  std::vector<std::int64_t> sizes;
  for (const SweepPoint& point : capacity.sweep) {
    if (point.seen.latencies.size() < loads) continue;
    samples.emplace_back(point.seen.latencies.begin(), point.seen.latencies.begin() + loads);
    sizes.push_back(point.bytes);
  }
  if (samples.size() < 16) return false;
  const auto change = analysis::find_change_point(analysis::reduce(samples));
  if (!change || !change->accepted) return false;
  const auto at = static_cast<double>(sizes[change->index]);
  return std::abs(at / static_cast<double>(capacity.first_miss_bytes) - 1) < 0.1;
}

std::vector<NamedArray> columns(const Capacity& capacity) {
  const auto& sweep = capacity.sweep;
  return {tomograph::column("footprint_B", sweep, &SweepPoint::bytes),
          tomograph::column("tested", sweep, [](const SweepPoint& point) { return point.seen.sampled; }),
          tomograph::column("hits", sweep, [](const SweepPoint& point) { return point.seen.hits; })};
}

std::uint64_t loads(const Capacity& capacity) {
  std::int64_t sum = 0;
  for (const SweepPoint& point : capacity.sweep) sum += point.seen.sampled;
  return static_cast<std::uint64_t>(sum);
}

/// What samples of larger footprints retain at most.
double most_retained(const Capacity& capacity) {
  return capacity.retained_bytes + 3 * capacity.retained_error;  // false alarm 1.3e-3 (one-sided normal)
}

/// The interval of a soft knee, or of one that noise blurs, or the resolution of a sampled one, where a few lines too
/// many may go unseen.
std::optional<Interval> interval(const Level& level, const Capacity& capacity, double value) {
  // With 0.2 % too many lines, at least 8 of 4096 tests miss. Up to 3 misses may be misread loads (see fits), so that
  // the footprint seems to fit with a probability of 4 % at most (Poisson).
  constexpr double unseen = 0.002;
  const auto first_miss = static_cast<double>(capacity.first_miss_bytes);
  if (!capacity.sharp) {
    const auto missing = static_cast<double>(capacity.missing_bytes);
    const double least = (capacity.sampled ? 1 - unseen : 1) * first_miss;
    return Interval{std::min(value, least), std::max({value, capacity.most_bytes, missing})};
  }
  if (!capacity.sampled) {
    // Sets of a shared cache may keep a line of others, so that a footprint misses that would just fit. As many lines
    // as may go unnoticed at a sharp knee. If one of few sets has fewer ways, larger footprints retain a few lines
    // more. Where only samples of larger ones are counted, a knee may be as soft as their error.
    constexpr double of_others = 0.005;
    const bool all_counted = capacity.retained_error == 0;
    const double counted = all_counted ? capacity.most_counted : most_retained(capacity);
    const double most = std::max({static_cast<double>(capacity.perhaps_fitting_bytes), counted,
                                  level.shared ? (1 + of_others) * first_miss : 0});
    const auto least = static_cast<double>(capacity.surely_fitting_bytes);
    const bool is_exact = least == most || (all_counted && value != first_miss);
    return is_exact ? std::nullopt : std::optional(Interval{least, most});
  }
  return Interval{(1 - unseen) * first_miss,
                  std::max(static_cast<double>(capacity.missing_bytes), most_retained(capacity))};
}

Fact size_fact(const Level& level, const Capacity& capacity, std::int64_t line) {
  Fact fact{.key = key(level, "size"),
            .value = capacity.bytes(line),
            .method = capacity.sharp ? "first-miss+retained-lines" : "retained-lines",
            .confidence = !capacity.sharp    ? confidence::cache::size_soft
                          : capacity.sampled ? confidence::cache::size_sampled
                          : level.shared     ? confidence::cache::size_two_methods_shared
                                             : confidence::cache::size_two_methods,
            .samples = loads(capacity),
            .conditions = {{"first_miss", capacity.first_miss_bytes}},
            .evidence = key(level, "size")};
  if (change_point_agrees(capacity)) fact.method += "+change-point";
  fact.interval = interval(level, capacity, fact.value.get<double>());
  return fact;
}

/// Replaces a noisy count of few lines (victims are random) by the ways of all sets, if noise explains the difference.
void settle_by_sets(const Session& session, const Level& level, Fact& size) {
  const auto line = session.needed<std::int64_t>(key(level, "line_size"));
  const std::int64_t counted = size.value.get<std::int64_t>() / line;
  if (size.confidence != confidence::cache::size_soft || counted > few_lines) return;
  const auto execute = executor(session, level);
  const auto subject = known_subject(session, level);
  // At 40 cycles and 1.7 GHz, the loads of the search take 1.2 s of one SM.
  const SetSearch search{.line_bytes = line, .capacity_lines = counted, .budget = 50'000'000};
  const auto sets = recover_sets(execute, subject, search, conflict_groups(execute, subject, search));
  constexpr std::size_t settling = 8;  // a wrong index survives so many further pairs with a probability of 2^-8
  if (!sets || sets->confirming < settling) return;
  // Three standard deviations of a Poisson count, and two lines: false alarms 6.2e-3 at most from eight lines on, 5e-2
  // of fewer.
  const double noise = 2 + 3 * std::sqrt(static_cast<double>(counted));
  if (std::abs(static_cast<double>(sets->lines() - counted)) > noise) return;
  size.value = sets->lines() * line;
  size.method += "+conflict-groups";
  size.confidence = confidence::cache::size_counted_sets;
  size.interval.reset();
}

/// Whether the sectors of a private cache's lines have no place for all of them. A recording that lacks the walk tells
/// nothing.
bool lacks_data(const Executor& execute, const Subject& subject, std::int64_t bytes) {
  if (subject.shared) return false;
  try {
    return !all_sectors_fit(execute, subject, bytes);
  } catch (const Refused&) {
    return false;
  }
}

}  // namespace

std::optional<MeasuredSize> measured_size(const Session& session, const Level& level) {
  const auto subject = known_subject(session, level);
  auto stride = session.needed<std::int64_t>(key(level, "line_size"));
  const auto [start, limit] = search_range(session, level);
  const auto execute = executor(session, level);
  auto found = capacity(execute, subject, stride, start, limit);
  if (found && lacks_data(execute, subject, found->first_miss_bytes)) {
    stride = smallest_line;
    found = capacity(execute, subject, stride, start, limit);
  }
  if (!found) return std::nullopt;
  const bool few = found->first_miss_bytes <= few_lines * stride;
  if (few && found->sharp && !found->plateau) {
    found->sharp = sets_are_full(execute, subject, stride, found->first_miss_bytes);
  }
  session.evidence(key(level, "size"), columns(*found));
  return MeasuredSize{size_fact(level, *found, stride), stride};
}

void find_size(const Session& session, const Level& level) {
  auto size = measured_size(session, level);
  if (size) {
    settle_by_sets(session, level, size->fact);
    return session.publish(size->fact);
  }
  session.inconclusive(key(level, "size"), "no footprint was too large for the cache");
}

}  // namespace tomograph::cache
