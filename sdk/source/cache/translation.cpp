#include "tomograph/cache/translation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>

#include "tomograph/analysis/clock_step.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cache {

namespace {

constexpr std::int64_t half_page = smallest_page_bytes / 2;

/// Visits of a program: more pages than the first TLB of any known GPU holds, and few lines for the smallest L2.
constexpr std::int64_t visits = 128;

/// Loads of a visit: of the line that brings the translation, and twice of another one.
constexpr std::int64_t loads_of_visit = 3;

/// Visits of lines in as many regions of 64 KiB, each behind a load in the same 4 KiB, or else in another 4 KiB of the
/// region.
chase::Program program_of_visits(bool in_same_page, std::int64_t trial) {
  chase::Program program;
  program.trial = trial;
  program.arrays = {{visits * small_page_bytes}};
  program.actors = {{.sm = 0, .path = chase::Path::global_cg}};
  program.alone = true;
  chase::Ring ring{.array = 0};
  const auto order = random_choice(visits, visits, static_cast<std::uint64_t>(trial + 1));
  for (std::int64_t visit = 0; visit < visits; ++visit) {
    constexpr std::int64_t slot_bytes = 512;  // no known line is longer
    const std::int64_t line = visit * 5 % (small_page_bytes / 2 / slot_bytes) * slot_bytes;
    const std::int64_t page = line / smallest_page_bytes * smallest_page_bytes;
    const std::int64_t in_page = line % half_page;
    const std::int64_t region = order[static_cast<std::size_t>(visit)] * small_page_bytes;
    ring.nodes.push_back(region + page + (in_same_page ? 0 : small_page_bytes / 2) + half_page + in_page);
    ring.nodes.push_back(region + page + in_page);
    ring.nodes.push_back(region + page + in_page + chase::node_bytes);
  }
  program.phases = {{0, 0, 0, ring.size(), chase::Timing::untimed}, {0, 0, 0, ring.size(), chase::Timing::each}};
  add_ring(program, std::move(ring));
  return program;
}

/// What the first load of each visit's line takes longer than the second, and what the second takes.
struct Visits {
  std::vector<double> longer;
  std::vector<double> hits;

  void add(const chase::Result& result) {
    const auto latencies = net(result);
    for (std::size_t load = 1; load + 1 < latencies.size(); load += loads_of_visit) {
      longer.push_back(latencies[load] - latencies[load + 1]);
      hits.push_back(latencies[load + 1]);
    }
  }
};

/// The same visits without and with their translations known.
struct Compared {
  Visits any;
  Visits translated;
};

Compared compare(const Executor& execute, std::int64_t first_trial, std::int64_t last_trial) {
  std::vector<chase::Program> programs;
  for (std::int64_t trial = first_trial; trial <= last_trial; ++trial) {
    for (const bool in_same_page : {false, true}) programs.push_back(program_of_visits(in_same_page, trial));
  }
  const auto results = execute(programs);
  Compared compared;
  for (std::size_t i = 0; i < results.size(); i += 2) {
    compared.any.add(results[i]);
    compared.translated.add(results[i + 1]);
  }
  return compared;
}

/// By how much visits may take longer by chance, in the median. That of a hundred differences from translated ones has
/// a standard error of 0.18 of the noise.
double most_by_chance(std::span<const double> translated) {
  constexpr double deviation_of_a_normal = 1.4826;  // over its median absolute deviation
  const double noise = deviation_of_a_normal * analysis::median_absolute_deviation(translated);
  return noise * std::sqrt(static_cast<double>(visits) / static_cast<double>(translated.size()));
}

/// A program of which each timed load follows one of another line within its 4 KiB.
class Translated {
 public:
  explicit Translated(const chase::Program& original) : original_(&original), program_(original) {
    for (const chase::Phase& phase : original.phases) {
      if (phase.timing != chase::Timing::untimed) is_timed_.insert(phase.ring);
    }
    is_possible_ = !is_timed_.empty() && std::ranges::all_of(original.phases, [&](const chase::Phase& phase) {
      return phase.timing == chase::Timing::untimed || original.actors[index(phase.actor)].threads == 1;
    });
    for (const std::int64_t ring : is_timed_) is_possible_ = is_possible_ && double_ring(ring);
    if (!is_possible_) return;
    for (chase::Phase& phase : program_.phases) {
      if (!is_timed_.contains(phase.ring)) continue;
      phase.first *= 2;
      phase.loads *= 2;
      if (phase.timing == chase::Timing::total) phase.timing = chase::Timing::each;
    }
  }

  [[nodiscard]] const chase::Program& program() const { return is_possible_ ? program_ : *original_; }

  /// The result of the original program.
  [[nodiscard]] chase::Result result(chase::Result of_program) const {
    if (!is_possible_) return of_program;
    chase::Result result = of_program;
    result.traces.clear();
    std::size_t next = 0;
    for (const chase::Phase& phase : original_->phases) {
      if (phase.timing == chase::Timing::untimed) continue;
      chase::Result::Trace trace = every_other(of_program.traces.at(next++));
      if (phase.timing == chase::Timing::each) {
        result.traces.push_back(std::move(trace));
        continue;
      }
      double total = of_program.overhead_total;
      for (const std::uint32_t latency : trace.latency) total += latency - of_program.overhead_each;
      result.totals.push_back(total);
    }
    return result;
  }

 private:
  static std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

  static chase::Result::Trace every_other(const chase::Result::Trace& both) {
    chase::Result::Trace trace;
    for (std::size_t load = 1; load < both.latency.size(); load += 2) {
      trace.latency.push_back(both.latency[load]);
      trace.node.push_back(both.node[load] / 2);
    }
    return trace;
  }

  /// The slots of all nodes in an array.
  [[nodiscard]] std::unordered_set<std::int64_t> slots_of(std::int64_t array) const {
    std::unordered_set<std::int64_t> slots;
    for (const chase::Ring& ring : program_.rings) {
      if (ring.array != array) continue;
      for (const std::int64_t node : chase::node_offsets(ring)) slots.insert(node);
    }
    return slots;
  }

  /// Puts a line of the other half of its 4 KiB before each node. False if there is no room.
  [[nodiscard]] bool double_ring(std::int64_t number) {
    chase::Ring& ring = program_.rings[index(number)];
    auto taken = slots_of(ring.array);
    const std::int64_t bytes = program_.arrays[index(ring.array)].bytes;
    std::vector<std::int64_t> nodes;
    for (const std::int64_t node : chase::node_offsets(ring)) {
      const auto slot = free_slot(node, bytes, taken);
      if (!slot) return false;
      nodes.push_back(*slot);
      nodes.push_back(node);
    }
    ring = {.array = ring.array, .nodes = std::move(nodes)};
    return true;
  }

  /// A slot in the other half of the node's 4 KiB, taken from now on.
  static std::optional<std::int64_t> free_slot(std::int64_t node, std::int64_t bytes,
                                               std::unordered_set<std::int64_t>& taken) {
    const std::int64_t half = (node ^ half_page) / half_page * half_page;
    for (std::int64_t tried = 0; tried < half_page; tried += chase::node_bytes) {
      const std::int64_t slot = half + (node + tried) % half_page;
      if (slot + chase::node_bytes <= bytes && taken.insert(slot).second) return slot;
    }
    return std::nullopt;
  }

  const chase::Program* original_;
  chase::Program program_;
  std::unordered_set<std::int64_t> is_timed_;  ///< numbers of rings
  bool is_possible_ = false;
};

}  // namespace

bool translated_alike(std::span<const double> visits, std::span<const double> translated) {
  std::vector<double> longer;
  std::ranges::transform(visits, translated, std::back_inserter(longer), std::minus<>{});
  const double median = analysis::median(longer);
  const double rounding = 2 * analysis::clock_step(translated);  // of two latencies
  if (median > rounding + most_by_chance(translated)) return false;
  // Misses of a quarter of the visits show in the quartiles. Lines that a cache loses lengthen either visit: so many
  // that they show in a quartile by chance show in the distance of three quarters, too.
  std::vector<double> distances;
  for (const double one : longer) distances.push_back(std::abs(one - median));
  return analysis::quantile(longer, 0.25) + analysis::quantile(longer, 0.75) <=
         rounding + analysis::quantile(distances, 0.75);
}

bool has_small_pages(const Executor& execute) {
  // Of a hit: as much as latencies may differ from run to run. Where noise is as large, a first TLB that adds less
  // would stay unseen, and so would those behind it, which add several times as much.
  constexpr double hidden = 0.02;
  constexpr std::int64_t more = 15;  // trials, which leave a quarter of the noise
  const auto are_alike = [](const Compared& visits) {
    return translated_alike(visits.any.longer, visits.translated.longer);
  };
  try {
    const Compared few = compare(execute, 0, 0);
    if (!are_alike(few)) return true;
    if (most_by_chance(few.translated.longer) <= hidden * analysis::median(few.translated.hits)) return false;
    return !are_alike(compare(execute, 1, more));
  } catch (const Refused&) {
    return false;
  }
}

Executor with_translations(Executor execute) {
  return [execute = std::move(execute)](std::span<const chase::Program> programs) {
    std::vector<Translated> translated(programs.begin(), programs.end());
    std::vector<chase::Program> asked;
    for (const Translated& one : translated) asked.push_back(one.program());
    auto results = execute(asked);
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = translated[i].result(std::move(results[i]));
    return results;
  };
}

}  // namespace tomograph::cache
