#include <algorithm>
#include <array>
#include <map>

#include "analysis_grouping.hpp"
#include "sm_groups.hpp"
#include "view.hpp"

namespace tomograph::cache_sharing {

namespace {

constexpr const char* groups_key = "constant_l15.sm_groups";
constexpr const char* size_key = "constant_l15.sms_per_instance";

/// A cache behind another one, in constant memory.
struct Outer {
  std::int64_t line_bytes = 0;
  std::int64_t room = 0;  ///< bytes of lines that it holds for sure
  double threshold = 0;   ///< a load that takes longer was served by neither cache
};

/// Whether SMs find constants that another SM has loaded. One SM loads lines; each of the others then tests lines that
/// none but these two have touched, so that one program compares one SM with as many as there are lines.
class Finding {
 public:
  Finding(const Session& session, const Outer& outer) : session_(&session), outer_(outer) {}

  std::vector<analysis::EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    Counts counts(others.size());
    std::vector<analysis::EffectOdds> odds;
    for (std::int64_t batch = 0; batch < most_batches; ++batch) {
      measure(base, others, batch, counts);
      odds = counts.odds();
      if (std::ranges::all_of(odds, [](const auto& one) { return one.error() < sure; })) break;
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
    double sum = 0;
    for (const double one : tested_) sum += one;
    return static_cast<std::uint64_t>(sum);
  }

 private:
  static constexpr double sure = 1e-5;
  static constexpr std::int64_t most_batches = 4;
  static constexpr std::int64_t trials_per_batch = 4;
  /// Lines that the base SM tests again itself.
  static constexpr std::int64_t own_tests = 8;

  /// Hits of lines that nobody had loaded, that the base had, found by itself, and found by each of the others.
  struct Counts {
    explicit Counts(std::size_t count) : others(count), cycles(count) {}

    /// An instance serves an SM or does not: there is nothing between. Most SMs have one of two counts.
    [[nodiscard]] std::vector<analysis::EffectOdds> odds() const {
      std::map<std::pair<std::size_t, std::size_t>, analysis::EffectOdds> known;
      std::vector<analysis::EffectOdds> result;
      for (const auto& one : others) {
        const auto [entry, is_new] = known.try_emplace({one.events, one.tests});
        if (is_new) entry->second = analysis::odds(analysis::effect_evidence(nobody, own, one), 0);
        result.push_back(entry->second);
      }
      return result;
    }

    analysis::EventCount nobody;
    analysis::EventCount own;
    std::vector<analysis::EventCount> others;
    std::vector<double> cycles;  ///< sums over the tests of each of the others
  };

  /// The lines of a program, and so the SMs that one program can test.
  [[nodiscard]] std::size_t lines() const { return static_cast<std::size_t>(outer_.room / outer_.line_bytes); }

  /// Reader i tests line i. With `loaded`, the base SM has walked all lines before, which pushes the first of them out
  /// of its first cache, and tests some of these at the end.
  [[nodiscard]] chase::Program program(std::int64_t base, std::span<const std::int64_t> readers, bool loaded,
                                       std::int64_t trial) const {
    const auto count = static_cast<std::int64_t>(lines());
    chase::Program made;
    made.arrays = {{.bytes = count * outer_.line_bytes, .space = chase::Space::constant}};
    made.trial = trial;
    made.actors = {{base, chase::Path::constant, 1}};
    made.rings = {{.array = 0, .stride = outer_.line_bytes, .count = count}};
    if (loaded) made.phases.push_back({0, 0, 0, count, chase::Timing::untimed});
    for (std::size_t i = 0; i < readers.size(); ++i) {
      // Another line each time.
      const std::int64_t line = (static_cast<std::int64_t>(i) + trial * 7) % count;
      made.rings.push_back({.array = 0, .nodes = {line * outer_.line_bytes + cache::sample_offset}});
      made.actors.push_back({readers[i], chase::Path::constant, 1});
      made.phases.push_back({std::ssize(made.actors) - 1, std::ssize(made.rings) - 1, 0, 1, chase::Timing::each});
    }
    if (loaded) {
      const std::int64_t tests = std::min(own_tests, count);
      made.rings.push_back({.array = 0, .start = 2 * chase::node_bytes, .stride = outer_.line_bytes, .count = tests});
      made.phases.push_back({0, std::ssize(made.rings) - 1, 0, tests, chase::Timing::each});
    }
    return made;
  }

  void count(const chase::Result& result, std::size_t trace, analysis::EventCount& into) const {
    for (const double latency : cache::net(result, trace)) {
      into += {.events = latency <= outer_.threshold ? 1U : 0U, .tests = 1};
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
  Outer outer_;
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
  constexpr std::int64_t long_line = 256;
  constexpr std::int64_t usual_constants = std::int64_t{60} << 10;
  const std::int64_t reach = session.fact<std::int64_t>("constant_memory.reach").value_or(usual_constants);
  // Half of what it holds, so that no line goes whatever the index does.
  const std::int64_t held = session.fact<std::int64_t>("constant_l15.size").value_or(reach);
  Finding finding(session, {line.value_or(long_line), std::min(reach, held) / 2, threshold});
  const auto found = analysis::group(session.needed<std::int64_t>("device.sm_count"), std::ref(finding));
  session.evidence(groups_key, finding.columns());
  publish(session,
          {.groups_key = groups_key,
           .size_key = size_key,
           .method = "finding-between-sms",
           .undecided = "whether they find each other's constants comes out neither way",
           .samples = finding.tested()},
          found);
}

}  // namespace tomograph::cache_sharing
