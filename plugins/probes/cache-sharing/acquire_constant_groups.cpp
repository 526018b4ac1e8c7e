#include <algorithm>
#include <numeric>

#include "analysis_counts.hpp"
#include "analysis_grouping.hpp"
#include "publish.hpp"
#include "questions.hpp"

namespace tomograph::cache_sharing {

namespace {

constexpr const char* groups_key = "constant_l15.sm_groups";
constexpr const char* size_key = "constant_l15.sms_per_instance";

/// The second level of constant caches.
struct SecondLevel {
  std::int64_t line_bytes = 0;
  std::int64_t held = 0;  ///< bytes of lines that it holds whatever the index
  double threshold = 0;   ///< latency above which neither level served a load
};

/// Compares SMs by whether they find constants that another SM has loaded. One SM loads lines; each of the others then
/// tests lines that only these two have loaded, so that one program compares one SM with as many as there are lines.
class Comparison {
 public:
  Comparison(const Session& session, const SecondLevel& level) : session_(&session), level_(level) {}

  std::vector<analysis::EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    Counts counts(others.size());
    std::vector<analysis::EffectOdds> odds;
    for (std::int64_t batch = 0; batch < most_batches; ++batch) {
      measure(base, others, batch, counts);
      odds = odds_without_partial(counts.nobody, counts.own, counts.others);
      if (all_sure(odds, sure)) break;
    }
    for (std::size_t i = 0; i < others.size(); ++i) {
      loader_.push_back(static_cast<double>(base));
      reader_.push_back(static_cast<double>(others[i]));
      tested_.push_back(static_cast<double>(counts.others[i].tests));
      found_.push_back(static_cast<double>(counts.others[i].events));
      cycles_.push_back(counts.cycles[i] / static_cast<double>(counts.others[i].tests));
    }
    return odds;
  }

  [[nodiscard]] std::vector<NamedArray> columns() const {
    return {{"loader_sm", loader_},
            {"reader_sm", reader_},
            {"tested", tested_},
            {"found", found_},
            {"mean_cycles", cycles_}};
  }
  [[nodiscard]] std::uint64_t tested() const {
    return static_cast<std::uint64_t>(std::accumulate(tested_.begin(), tested_.end(), 0.0));
  }

 private:
  /// Batches end when every comparison is wrong with less than this probability, or after the last one. The error of
  /// the groups is the sum of those of the comparisons. 16 trials bound the time; what is then undecided is not
  /// published.
  static constexpr double sure = 1e-5;
  static constexpr std::int64_t most_batches = 4;
  static constexpr std::int64_t trials_per_batch = 4;
  /// Lines that the base SM tests again itself.
  static constexpr std::int64_t own_tests = 8;

  /// Hits in lines that nobody has loaded; in lines that the base SM has loaded, by itself and by each of the others.
  struct Counts {
    explicit Counts(std::size_t count) : others(count), cycles(count) {}

    analysis::EventCount nobody;
    analysis::EventCount own;
    std::vector<analysis::EventCount> others;
    std::vector<double> cycles;  ///< sums over the tests of each of the others
  };

  /// The lines of a program, and so the SMs that one program can test.
  [[nodiscard]] std::size_t lines() const { return static_cast<std::size_t>(level_.held / level_.line_bytes); }

  /// Reader i tests line i. With `loaded`, the base SM walks all lines before, which evicts the first of them from its
  /// first level, and tests some of these at the end.
  [[nodiscard]] chase::Program program(std::int64_t base, std::span<const std::int64_t> readers, bool loaded,
                                       std::int64_t trial) const {
    const auto count = static_cast<std::int64_t>(lines());
    chase::Program made;
    made.arrays = {{.bytes = count * level_.line_bytes, .space = chase::Space::constant}};
    made.trial = trial;
    made.actors = {{base, chase::Path::constant, 1}};
    made.rings = {{.array = 0, .stride = level_.line_bytes, .count = count}};
    if (loaded) made.phases.push_back({0, 0, 0, count, chase::Timing::untimed});
    for (std::size_t i = 0; i < readers.size(); ++i) {
      // Another line each time.
      const std::int64_t line = (static_cast<std::int64_t>(i) + trial * 7) % count;
      made.rings.push_back({.array = 0, .nodes = {line * level_.line_bytes + cache::sample_offset}});
      made.actors.push_back({readers[i], chase::Path::constant, 1});
      made.phases.push_back({std::ssize(made.actors) - 1, std::ssize(made.rings) - 1, 0, 1, chase::Timing::each});
    }
    if (loaded) {
      const std::int64_t tests = std::min(own_tests, count);
      made.rings.push_back({.array = 0, .start = 2 * chase::node_bytes, .stride = level_.line_bytes, .count = tests});
      made.phases.push_back({0, std::ssize(made.rings) - 1, 0, tests, chase::Timing::each});
    }
    return made;
  }

  void count(const chase::Result& result, std::size_t trace, analysis::EventCount& into) const {
    for (const double latency : cache::net(result, trace)) {
      into += {.events = latency <= level_.threshold ? 1U : 0U, .tests = 1};
    }
  }

  void measure(std::int64_t base, std::span<const std::int64_t> others, std::int64_t batch, Counts& counts) const {
    struct Part {
      std::size_t first;
      std::size_t readers;
      bool loaded;
    };
    std::vector<chase::Program> programs;
    std::vector<Part> parts;
    for (std::int64_t i = 0; i < trials_per_batch; ++i) {
      const std::int64_t trial = batch * trials_per_batch + i;
      for (std::size_t first = 0; first < others.size(); first += lines()) {
        const auto readers = others.subspan(first, std::min(lines(), others.size() - first));
        for (const bool loaded : {true, false}) {
          if (!loaded && first > 0) continue;
          programs.push_back(program(base, readers, loaded, trial));
          parts.push_back({first, readers.size(), loaded});
        }
      }
    }
    const auto results = session_->execute(programs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (std::size_t reader = 0; reader < parts[i].readers; ++reader) {
        count(results[i], reader, parts[i].loaded ? counts.others[parts[i].first + reader] : counts.nobody);
        if (parts[i].loaded) counts.cycles[parts[i].first + reader] += cache::net(results[i], reader).front();
      }
      if (parts[i].loaded) count(results[i], parts[i].readers, counts.own);
    }
  }

  const Session* session_;
  SecondLevel level_;
  std::vector<double> loader_;
  std::vector<double> reader_;
  std::vector<double> tested_;
  std::vector<double> found_;
  std::vector<double> cycles_;
};

}  // namespace

void find_constant_groups(const Session& session) {
  const auto line = session.fact<std::int64_t>("constant_l15.line_size");
  const auto threshold = session.needed<double>("constant_l15.hit_threshold");
  constexpr std::int64_t long_line = 256;                           // no known line of a constant cache is longer
  constexpr std::int64_t usual_constants = std::int64_t{60} << 10;  // most of the 64 KiB of a CUDA module
  const std::int64_t reach = session.fact<std::int64_t>("constant_memory.reach").value_or(usual_constants);
  // Half of what it holds, so that no line is evicted, whatever the index.
  const auto bound = session.fact<std::int64_t>("constant_l15.size_at_least");
  const std::int64_t held = session.fact<std::int64_t>("constant_l15.size").value_or(bound.value_or(reach));
  Comparison compare(session, {line.value_or(long_line), std::min(reach, held) / 2, threshold});
  const auto found = analysis::group(session.needed<std::int64_t>("device.sm_count"), std::ref(compare));
  session.evidence(groups_key, compare.columns());
  publish(session,
          {.groups_key = groups_key,
           .size_key = size_key,
           .method = "finding-between-sms",
           .undecided = "it is undecided whether they find each other's constants",
           .samples = compare.tested()},
          found);
}

}  // namespace tomograph::cache_sharing
