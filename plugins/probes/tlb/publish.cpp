#include <algorithm>
#include <array>
#include <cmath>

#include "question.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tlb {

namespace {

constexpr std::array prefixes{"tlb.l1.", "tlb.l2.", "tlb.l3."};
constexpr std::array names{"entries", "entry_span", "page_size", "reach", "set_ways", "replacement", "miss_penalty"};
constexpr const char* matrix_evidence = "tlb.matrix";

std::vector<double> group_sizes(const SetWays& sets) {
  std::vector<double> sizes;
  for (const Group& group : sets.groups) sizes.push_back(static_cast<double>(group.size()));
  return sizes;
}

/// Publishes what concerns one run: conditions that all facts share.
class Publisher {
 public:
  Publisher(const Session& session, const Memory& memory)
      : session_(session), memory_(memory), conditions_({{"path", "global.cg"}, {"memory", memory.bytes}}) {}

  void matrix(const Matrix& matrix) const {
    std::vector<double> stride, pages, low, middle, high;
    for (const Cell& cell : matrix.cells) {
      stride.push_back(static_cast<double>(cell.stride));
      pages.push_back(static_cast<double>(cell.pages));
      low.push_back(analysis::quantile(cell.extra_latency, 0.1));
      middle.push_back(analysis::median(cell.extra_latency));
      high.push_back(analysis::quantile(cell.extra_latency, 0.9));
    }
    session_.evidence(matrix_evidence,
                      std::vector<NamedArray>{{"stride_B", stride},
                                              {"pages", pages},
                                              {"surplus_p10_cycles", low},
                                              {"surplus_median_cycles", middle},
                                              {"surplus_p90_cycles", high},
                                              {"same_lines_on_few_pages_surplus_cycles", matrix.folded}});
  }

  void level(const std::string& prefix, const Anatomy& found) const {
    const std::string evidence = prefix.substr(0, prefix.size() - 1);
    session_.evidence(evidence,
                      std::vector<NamedArray>{
                          {"miss_to_miss_B", found.fill ? found.fill->distance : std::vector<double>{}},
                          {"pages_drawn", found.sets.drawn},
                          {"pages_drawn_missing", found.sets.drawn_missing},
                          {"group_pages", group_sizes(found.sets)},
                          {"full_set_surplus_cycles", found.policy.trace},
                          {"missed_less_kept_cycles", found.penalty ? found.penalty->more : std::vector<double>{}}});
    if (found.penalty) {
      penalty(prefix + "miss_penalty", *found.penalty, evidence);
    } else if (found.drowned) {
      session_.inconclusive(prefix + "miss_penalty", found.reason);
    } else {
      penalty(prefix + "miss_penalty", found.level);
    }
    page_size(prefix + "page_size", found, evidence);
    size(prefix, found, evidence);
    if (found.sets.ways.empty()) {
      session_.inconclusive(prefix + "set_ways", found.sets.reason.empty() ? found.reason : found.sets.reason);
    } else {
      session_.publish({.key = prefix + "set_ways",
                        .value = found.sets.ways,
                        .method = found.sets.method,
                        .confidence = std::min(found.sets.confidence, found.confidence),
                        .samples = found.sets.groups.size(),
                        .conditions = conditions_,
                        .evidence = evidence});
    }
    if (found.policy.name.empty()) {
      session_.inconclusive(prefix + "replacement", found.policy.reason.empty() ? found.reason : found.policy.reason);
    } else {
      session_.publish({.key = prefix + "replacement",
                        .value = found.policy.name,
                        .method = "full-set-walk",
                        .confidence = found.policy.confidence,
                        .samples = found.policy.trace.size(),
                        .conditions = conditions_,
                        .evidence = evidence});
    }
  }

  /// `doubt` says why levels before it may be hidden, whose misses cost a part of what lies between the plateaus.
  void window(const Level& level, const Fill& fill, const std::string& doubt) const {
    constexpr const char* cost = "page_window.miss_penalty";
    doubt.empty() ? penalty(cost, level) : session_.inconclusive(cost, doubt);
    constexpr std::size_t enough = 2;
    if (fill.share < 0.75 || fill.distance.size() < enough) {
      return session_.inconclusive("page_window.size",
                                   "the " + std::to_string(memory_.bytes) +
                                       " B that could be had hold no two whole windows, from one change to the next");
    }
    session_.publish({.key = "page_window.size",
                      .value = fill.bytes,
                      .method = "miss-to-miss",
                      .confidence = confidence::tlb::window_size,
                      .samples = fill.distance.size(),
                      .conditions = conditions_,
                      .evidence = matrix_evidence});
  }

  /// `doubt` says why there may be one all the same, or is empty.
  void missing_level(const std::string& prefix, const std::string& reason, const std::string& doubt) const {
    for (const char* name : names) missing(prefix + name, reason, doubt);
  }
  void missing_window(const std::string& reason, const std::string& doubt) const {
    missing("page_window.size", reason, doubt);
    missing("page_window.miss_penalty", reason, doubt);
  }

 private:
  void missing(const std::string& key, const std::string& reason, const std::string& doubt) const {
    doubt.empty() ? session_.absent(key, reason) : session_.inconclusive(key, doubt);
  }

  /// From walks of the matrix: what lies between two plateaus.
  void penalty(const std::string& key, const Level& level) const {
    const double cycles = level.miss - level.hit;
    const double spread = 1.25 + 0.03 * level.miss;
    Value conditions = conditions_;
    conditions["statistic"] = "difference of plateaus";
    session_.publish({.key = key,
                      .value = cycles,
                      .method = "paired-loads",
                      .confidence = confidence::tlb::penalty_of_plateaus,
                      .interval = Interval{cycles - spread, cycles + spread},
                      .samples = 1,
                      .conditions = conditions,
                      .evidence = matrix_evidence});
  }

  void penalty(const std::string& key, const Penalty& found, const std::string& evidence) const {
    // What rounding to whole cycles and other visits in between may do to both sides alike.
    const double spread = 0.5 + 0.01 * found.cycles + 4 * found.deviation;
    Value conditions = conditions_;
    conditions["statistic"] = "biweight of the differences of the same visits";
    conditions["share_that_agrees"] = std::round(found.share * 1000) / 1000;
    session_.publish({.key = key,
                      .value = found.cycles,
                      .method = "paired-visits",
                      .confidence = confidence::tlb::penalty_of_pairs,
                      .interval = Interval{found.cycles - spread, found.cycles + spread},
                      .samples = found.more.size(),
                      .conditions = conditions,
                      .evidence = evidence});
  }

  void page_size(const std::string& key, const Anatomy& found, const std::string& evidence) const {
    if (!found.fill) return session_.inconclusive(key, found.reason);
    if (found.fill->bytes == found.fill->stride) {
      return session_.inconclusive(key, "at most " + std::to_string(found.fill->stride) +
                                            " B: each page misses at the smallest stride that overflows the level");
    }
    session_.publish({.key = key,
                      .value = found.fill->bytes,
                      .method = "miss-to-miss",
                      .confidence = confidence::tlb::page_size(found.fill->share),
                      .samples = found.fill->distance.size(),
                      .conditions = conditions_,
                      .evidence = evidence});
  }

  void size(const std::string& prefix, const Anatomy& found, const std::string& evidence) const {
    Fact fact{.method = found.method,
              .confidence = found.confidence,
              .samples = 1,
              .conditions = conditions_,
              .evidence = evidence};
    if (found.entry_span) {
      fact.key = prefix + "entry_span";
      fact.value = *found.entry_span;
      fact.method = "neighbours-in-a-full-level";
      fact.confidence = confidence::tlb::entry_span;
      session_.publish(fact);
    } else {
      session_.inconclusive(prefix + "entry_span", found.reason);
    }
    if (!found.entries) {
      session_.inconclusive(prefix + "entries", found.reason);
      return session_.inconclusive(prefix + "reach", found.reason);
    }
    fact.method = found.method;
    fact.confidence = found.confidence;
    fact.key = prefix + "entries";
    fact.value = *found.entries;
    session_.publish(fact);
    fact.key = prefix + "reach";
    fact.value = *found.entries * *found.entry_span;
    session_.publish(fact);
  }

  const Session& session_;
  const Memory& memory_;
  Value conditions_;
};

/// Whether the lines of the largest walk, on few pages, look like hits.
bool control_is_clean(const Matrix& matrix, const std::vector<Level>& levels) {
  const auto over = std::ranges::count_if(
      matrix.folded, [&](double cycles) { return cycles > levels.front().hit + 6 * matrix.noise + 4; });
  return static_cast<double>(over) <= 0.05 * static_cast<double>(matrix.folded.size());
}

/// One window is active at a time: a level of a single entry. At the smallest stride that overflows it, since at larger
/// ones so few pages reach beyond a window that no TLB misses.
bool is_window(const Matrix& matrix, const Level& level, const Fill& fill) {
  std::optional<std::int64_t> smallest;
  for (const Cell& cell : matrix.cells) {
    const bool overflows = bracket(matrix.cells, level, cell.stride).overflows.has_value();
    if (overflows && (!smallest || cell.stride < *smallest)) smallest = cell.stride;
  }
  if (!smallest || fill.bytes <= *smallest) return false;
  return bracket(matrix.cells, level, *smallest).fits * *smallest < 2 * fill.bytes;
}

/// Pages, one per entry, that surely push everything out of a level that was examined: by its entries or, if these
/// stayed unknown, by what overflowed it at the largest stride.
std::int64_t enough_to_evict(const Matrix& matrix, const Anatomy& found, std::int64_t before) {
  constexpr std::int64_t margin = 8;
  if (found.entries) return std::max(before, 2 * *found.entries + margin);
  std::int64_t pages = before;
  std::int64_t largest = 0;
  for (const Cell& cell : matrix.cells) {
    const auto overflows = bracket(matrix.cells, found.level, cell.stride).overflows;
    if (!overflows || cell.stride < largest) continue;
    largest = cell.stride;
    pages = std::max(before, 2 * *overflows);
  }
  return pages;
}

std::string cycles(double number) { return std::to_string(std::lround(number)) + " cycles"; }

/// Why a level before the first one that stands out seems to be hidden in noise; empty if none does.
std::string hidden_level(const Matrix& matrix, const std::vector<Level>& levels) {
  const double floor = std::max(3.0, matrix.noise / 6);
  const double longer = levels.empty() ? 0 : hidden_before(matrix.cells, levels.front());
  if (longer <= floor) return {};
  return "before the first level that stands out visits get " + cycles(longer) + " longer: noise hides a level";
}

/// Why no walk tells which of its visits missed the level; empty if walks do.
std::string drowned_level(const Level& level) {
  if (level.resolvable()) return {};
  return "single visits vary by " + cycles(level.noise) + " where a miss of a level takes " +
         cycles(level.miss - level.hit) + " more: no walk tells which of them missed";
}

Anatomy drowned(const Level& level, const std::string& reason) {
  Anatomy nothing;
  nothing.level = level;
  nothing.reason = reason;
  nothing.drowned = true;
  return nothing;
}

}  // namespace

void find_tlbs(const Session& session) {
  const Memory memory = spare_memory(session);
  const Publisher publisher(session, memory);
  const Matrix matrix = measure_matrix(memory);
  publisher.matrix(matrix);
  session.progress(0.2);
  const auto levels = find_levels(matrix.cells, matrix.noise);
  if (!levels.empty() && !control_is_clean(matrix, levels)) {
    throw std::runtime_error("as many lines on a few pages take as long as on many: not the TLBs' doing");
  }
  const std::string nothing_further =
      "no walk within the " + std::to_string(memory.bytes) + " B that could be had shows it";
  std::size_t named = 0;
  bool window = false;
  std::int64_t before = 0;
  std::string doubt = hidden_level(matrix, levels);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    if (doubt.empty()) doubt = drowned_level(level);
    const auto brought = level.resolvable() ? fill(memory, level, matrix.cells) : std::nullopt;
    const bool like_window = brought && is_window(matrix, level, *brought);
    if (doubt.empty() && like_window && !level.sharp()) {
      doubt = "noise leaves open whether a level that holds few pages is a TLB or the page window";
    }
    if (like_window && level.sharp()) {
      publisher.window(level, *brought, doubt);
      window = true;
    } else if (named < prefixes.size()) {
      const Level* next = i + 1 < levels.size() ? &levels[i + 1] : nullptr;
      const Anatomy found =
          doubt.empty() ? examine(memory, matrix.cells, level, brought, before, next) : drowned(level, doubt);
      publisher.level(prefixes[named++], found);
      before = enough_to_evict(matrix, found, before);
    }
    session.progress(0.2 + 0.8 * static_cast<double>(named) / static_cast<double>(levels.size()));
  }
  give_back(memory);
  for (; named < prefixes.size(); ++named) publisher.missing_level(prefixes[named], nothing_further, doubt);
  if (!window) publisher.missing_window(nothing_further, doubt);
}

}  // namespace tomograph::tlb
