#include "publish.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tomograph/analysis/agreement.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/column.hpp"

namespace tomograph::tlb {

namespace {

constexpr std::array names{"entries", "entry_span", "page_size", "reach", "set_ways", "replacement", "miss_penalty"};
constexpr const char* matrix_evidence = "tlb.matrix";

std::vector<double> group_sizes(const SetWays& sets) {
  std::vector<double> sizes;
  for (const Group& group : sets.groups) sizes.push_back(static_cast<double>(group.size()));
  return sizes;
}

/// The entries as they were counted, and as the ways of all sets.
analysis::Statement counted(const Findings& found) {
  const auto entries = static_cast<double>(*found.entries);
  return {{entries, entries}, found.confidence};
}
analysis::Statement in_sets(const Findings& found) {
  const auto& ways = found.sets.ways;
  const double sum = std::accumulate(ways.begin(), ways.end(), 0.0);
  return {{sum, sum}, std::min(found.sets.confidence, found.confidence)};
}

}  // namespace

Publisher::Publisher(const Session& session, const Memory& memory, double clock_step)
    : session_(session),
      memory_(memory),
      clock_step_(clock_step),
      conditions_({{"path", "global.cg"}, {"memory", memory.bytes}}) {}

void Publisher::matrix(const Matrix& matrix) const {
  const auto quantile = [](double p) {
    return [p](const Cell& cell) { return analysis::quantile(cell.extra_latency, p); };
  };
  session_.evidence(matrix_evidence, std::vector<NamedArray>{
                                         column("stride_B", matrix.cells, &Cell::stride),
                                         column("pages", matrix.cells, &Cell::pages),
                                         column("extra_p10_cycles", matrix.cells, quantile(0.1)),
                                         column("extra_median_cycles", matrix.cells,
                                                [](const Cell& cell) { return analysis::median(cell.extra_latency); }),
                                         column("extra_p90_cycles", matrix.cells, quantile(0.9)),
                                         {"control_extra_cycles", matrix.control}});
}

void Publisher::level(const std::string& prefix, const Findings& found) const {
  const std::string evidence = prefix.substr(0, prefix.size() - 1);
  session_.evidence(evidence,
                    std::vector<NamedArray>{
                        {"miss_to_miss_B", found.fill ? found.fill->distance : std::vector<double>{}},
                        {"pages_drawn", found.sets.drawn},
                        {"pages_drawn_missing", found.sets.drawn_missing},
                        {"group_pages", group_sizes(found.sets)},
                        {"full_set_extra_cycles", found.policy.trace},
                        {"miss_less_hit_cycles", found.penalty ? found.penalty->differences : std::vector<double>{}}});
  penalty(prefix, found, evidence);
  page_size(prefix + "page_size", found, evidence);
  size(prefix, found, evidence);
  sets(prefix, found, evidence);
  replacement(prefix, found, evidence);
}

void Publisher::window(const Level& level, const Fill& fill, const std::string& doubt) const {
  constexpr const char* cost = "page_window.miss_penalty";
  doubt.empty() ? plateau_penalty(cost, level, confidence::tlb::penalty_of_window) : session_.inconclusive(cost, doubt);
  // Distances of which three in four agree. Chosen by hand.
  constexpr std::size_t enough = 2;
  constexpr double agreeing = 0.75;
  if (fill.share < agreeing || fill.distance.size() < enough) {
    return session_.inconclusive(
        "page_window.size", "the " + std::to_string(memory_.bytes) + " B that are available hold no two whole windows");
  }
  session_.publish({.key = "page_window.size",
                    .value = fill.bytes,
                    .method = "miss-to-miss",
                    .confidence = confidence::tlb::window_size,
                    .samples = fill.distance.size(),
                    .conditions = conditions_,
                    .evidence = matrix_evidence});
}

void Publisher::missing_level(const std::string& prefix, const std::string& reason, const std::string& doubt) const {
  for (const char* name : names) missing(prefix + name, reason, doubt);
}
void Publisher::missing_window(const std::string& reason, const std::string& doubt) const {
  missing("page_window.size", reason, doubt);
  missing("page_window.miss_penalty", reason, doubt);
}

void Publisher::missing(const std::string& key, const std::string& reason, const std::string& doubt) const {
  doubt.empty() ? session_.absent(key, reason) : session_.inconclusive(key, doubt);
}

void Publisher::penalty(const std::string& prefix, const Findings& found, const std::string& evidence) const {
  const std::string key = prefix + "miss_penalty";
  if (found.penalty) {
    return visits_penalty(key, *found.penalty, confidence::tlb::penalty_of_pairs(found.confidence), evidence);
  }
  found.examined ? plateau_penalty(key, found.level, confidence::tlb::penalty_of_plateaus)
                 : session_.inconclusive(key, found.reason);
}

/// From the matrix: the difference of two plateaus.
void Publisher::plateau_penalty(const std::string& key, const Level& level, double confidence) const {
  const double cycles = level.miss - level.hit;
  // The distance within which modes count as one (analysis_levels.cpp).
  const double spread = 1.25 * clock_step_ + 0.03 * level.miss;
  Value conditions = conditions_;
  conditions["statistic"] = "difference of plateaus";
  session_.publish({.key = key,
                    .value = cycles,
                    .method = "paired-loads",
                    .confidence = confidence,
                    .interval = Interval{cycles - spread, cycles + spread},
                    .samples = 1,
                    .conditions = conditions,
                    .evidence = matrix_evidence});
}

void Publisher::visits_penalty(const std::string& key, const Penalty& found, double confidence,
                               const std::string& evidence) const {
  // What rounding to whole cycles and the visits in between may do to both sides alike. Chosen by hand.
  constexpr double rounding = 0.5;
  constexpr double visits_between = 0.01;
  // 4 standard errors: noise alone exceeds them with probability 6e-5.
  const double spread = rounding + visits_between * found.cycles + 4 * found.error;
  Value conditions = conditions_;
  conditions["statistic"] = found.overlaps ? "mode of the differences of the same visits above those that hit"
                                           : "biweight of the differences of the same visits";
  conditions["share_that_agrees"] = std::round(found.share * 1000) / 1000;
  session_.publish({.key = key,
                    .value = found.cycles,
                    .method = "paired-visits",
                    .confidence = confidence,
                    .interval = Interval{found.cycles - spread, found.cycles + spread},
                    .samples = found.differences.size(),
                    .conditions = conditions,
                    .evidence = evidence});
}

void Publisher::page_size(const std::string& key, const Findings& found, const std::string& evidence) const {
  if (!found.fill) return session_.inconclusive(key, found.reason);
  if (found.brings_whole_entries.value_or(false)) {
    return session_.publish(
        {.key = key,
         .value = *found.entry_span,
         .method = "halves-of-entries",
         .confidence = std::min(confidence::tlb::page_of_halves, confidence::tlb::entry_span(found.confidence)),
         .samples = 1,
         .conditions = conditions_,
         .evidence = evidence});
  }
  if (found.fill->bytes == found.fill->stride) {
    return session_.inconclusive(key, "at most " + std::to_string(found.fill->stride) +
                                          " B: each page misses at the smallest stride that overflows the level");
  }
  if (found.is_hidden()) {
    return session_.inconclusive(key, "at most " + std::to_string(found.fill->bytes) +
                                          " B: a miss of the level before brings as much, and hides less");
  }
  const bool levels_are_apart = found.entries && (found.brought_before || found.fill->bytes <= chase::array_alignment);
  // Memory may be contiguous in parts only. Then some regions take two entries, and too few pages seem to fit. Once an
  // H100 seemed to have 8 entries, and has 16; once a miss of an H200 seemed to bring half of an entry.
  const bool counts_are_sure = !found.fill->is_divided || found.brings_whole_entries;
  session_.publish({.key = key,
                    .value = found.fill->bytes,
                    .method = "miss-to-miss",
                    .confidence = levels_are_apart && counts_are_sure ? confidence::tlb::page_size(found.fill->share)
                                                                      : confidence::tlb::page_without_entries,
                    .samples = found.fill->distance.size(),
                    .conditions = conditions_,
                    .evidence = evidence});
}

void Publisher::size(const std::string& prefix, const Findings& found, const std::string& evidence) const {
  Fact fact{.method = found.method,
            .confidence = found.confidence,
            .samples = 1,
            .conditions = conditions_,
            .evidence = evidence};
  if (found.entry_span) {
    fact.key = prefix + "entry_span";
    fact.value = *found.entry_span;
    fact.method = "neighbours-in-a-full-level";
    fact.confidence = confidence::tlb::entry_span(found.confidence);
    session_.publish(fact);
  } else {
    session_.inconclusive(prefix + "entry_span", found.reason);
  }
  if (!found.entries) {
    session_.inconclusive(prefix + "entries", found.reason);
    return session_.inconclusive(prefix + "reach", found.reason);
  }
  fact.method = found.method;
  fact.confidence =
      found.sets.ways.empty() ? found.confidence : analysis::confidence_beside(counted(found), in_sets(found));
  fact.key = prefix + "entries";
  fact.value = *found.entries;
  session_.publish(fact);
  fact.key = prefix + "reach";
  fact.value = *found.entries * *found.entry_span;
  fact.confidence = confidence::not_negative(fact.confidence + confidence::tlb::reach(found.confidence) - 1);
  session_.publish(fact);
}

void Publisher::sets(const std::string& prefix, const Findings& found, const std::string& evidence) const {
  if (found.sets.ways.empty()) {
    return session_.inconclusive(prefix + "set_ways", found.sets.reason.empty() ? found.reason : found.sets.reason);
  }
  session_.publish({.key = prefix + "set_ways",
                    .value = found.sets.ways,
                    .method = found.sets.method,
                    .confidence = analysis::confidence_beside(in_sets(found), counted(found)),
                    .samples = found.sets.groups.size(),
                    .conditions = conditions_,
                    .evidence = evidence});
}

void Publisher::replacement(const std::string& prefix, const Findings& found, const std::string& evidence) const {
  if (found.policy.name.empty()) {
    return session_.inconclusive(prefix + "replacement",
                                 found.policy.reason.empty() ? found.reason : found.policy.reason);
  }
  session_.publish({.key = prefix + "replacement",
                    .value = found.policy.name,
                    .method = "full-set-walk",
                    .confidence = found.policy.confidence,
                    .samples = found.policy.trace.size(),
                    .conditions = conditions_,
                    .evidence = evidence});
}

}  // namespace tomograph::tlb
