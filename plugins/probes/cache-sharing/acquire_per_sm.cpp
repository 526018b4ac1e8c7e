#include "analysis_counts.hpp"
#include "analysis_grouping.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Trials, which test few lines each in a small cache, end when every comparison is wrong with less than this
/// probability, or after the last one. The error of the groups is the sum of those of the comparisons.
constexpr double sure_per_sm = 1e-4;
constexpr std::uint64_t most_trials = 16;  // bounds the time; what is then undecided is not published
/// Tests of the base warp with itself in each trial.
constexpr std::size_t own_tests = 8;

/// Counts by pair of warps, for the evidence.
struct Curve {
  std::vector<double> base;
  std::vector<double> other;
  std::vector<double> tested;
  std::vector<double> missed;
  std::vector<double> missed_idle;

  [[nodiscard]] std::vector<NamedArray> columns() const {
    return {{"base_warp", base},
            {"other_warp", other},
            {"tested", tested},
            {"missed", missed},
            {"missed_idle", missed_idle}};
  }
};

/// Compares warps: each fills half of its cache, and the other walks as much as the cache holds (Größler 2022, section
/// 4.6: base and test warp).
class PerSmComparison {
 public:
  PerSmComparison(const Session& session, const CacheUser& user) : execute_(cache::executor(session)), user_(user) {}

  std::vector<analysis::EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    const auto tests = tests_of(base, others);
    analysis::EventCount own;
    std::vector<WarpPair> pairs(others.size());
    std::vector<analysis::EffectOdds> odds;
    for (std::uint64_t trial = 1; trial <= most_trials; ++trial) {
      const auto seen = count_evictions(execute_, tests, static_cast<std::uint64_t>(base) * most_trials + trial);
      for (std::size_t i = 0; i < own_tests; ++i) own += seen[i];
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i].forth += seen[own_tests + 3 * i];
        pairs[i].back += seen[own_tests + 3 * i + 1];
        pairs[i].idle += seen[own_tests + 3 * i + 2];
      }
      odds = same_cache_odds(own, pairs);
      if (all_sure(odds, sure_per_sm)) break;
    }
    keep(base, others, pairs);
    return odds;
  }

  [[nodiscard]] const Curve& curve() const { return curve_; }
  [[nodiscard]] std::uint64_t tested() const { return tested_; }

 private:
  /// The base warp with itself, then three tests of each pair.
  [[nodiscard]] std::vector<EvictionTest> tests_of(std::int64_t base, std::span<const std::int64_t> others) const {
    std::vector<EvictionTest> tests(own_tests, test(base, base));
    for (const std::int64_t other : others) {
      tests.push_back(test(base, other));
      tests.push_back(test(other, base));
      tests.push_back(test(base, other));
      tests.back().idle = true;
    }
    return tests;
  }

  [[nodiscard]] EvictionTest test(std::int64_t owner, std::int64_t rival) const {
    EvictionTest result{.owner = user_, .rival = user_, .fill_bytes = user_.size / 2};
    result.owner.warp = owner;
    result.rival.warp = rival;
    result.walk_bytes = common_walk(user_, user_, result.fill_bytes, user_.size);
    return result;
  }

  void keep(std::int64_t base, std::span<const std::int64_t> others, std::span<const WarpPair> pairs) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      const std::size_t tested = pairs[i].forth.tests + pairs[i].back.tests;
      curve_.base.push_back(static_cast<double>(base));
      curve_.other.push_back(static_cast<double>(others[i]));
      curve_.tested.push_back(static_cast<double>(tested));
      curve_.missed.push_back(static_cast<double>(pairs[i].forth.events + pairs[i].back.events));
      curve_.missed_idle.push_back(static_cast<double>(pairs[i].idle.events));
      tested_ += tested;
    }
  }

  cache::Executor execute_;
  CacheUser user_;
  Curve curve_;
  std::uint64_t tested_ = 0;
};

}  // namespace

void find_instances(const Session& session, const LoadPath& path) {
  PerSmComparison compare(session, known_user(session, path).value());
  const auto found = analysis::group(chase::warps_of_cta, std::ref(compare));
  const std::string fact = key(path, "per_sm");
  session.evidence(fact, compare.curve().columns());
  if (!found.undecided.empty()) {
    return session.inconclusive(fact, "warps " + found.undecided +
                                          " evict some of each other's lines, but fewer than one warp does of its own");
  }
  Fact result{.key = fact,
              .value = found.count,
              .method = "eviction-between-warps",
              .confidence = confidence::from_error(found.error),
              .samples = compare.tested(),
              .conditions = {{"warps", chase::warps_of_cta}, {"error_rate", found.error}},
              .evidence = fact};
  if (found.count > 1) result.conditions["warp_groups"] = found.groups();
  session.publish(result);
}

}  // namespace tomograph::cache_sharing
