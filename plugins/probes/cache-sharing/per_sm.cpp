#include <algorithm>
#include <map>

#include "analysis_grouping.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "view.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Small caches have few lines to test at a time. Trials end when every comparison is as sure as this, or after the
/// last.
constexpr double sure = 1e-4;
constexpr std::uint64_t most_trials = 16;
/// Contests of the base warp with itself.
constexpr std::size_t own_contests = 8;

/// Counts of contests between the base warp and one other, for the evidence.
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

/// Whether two warps use the same cache: each fills half of it, and the other walks as much as it holds (Größler 2022,
/// section 4.6: base and test warp).
class Comparison {
 public:
  Comparison(const Session& session, const cache::Party& party) : execute_(executor(session)), party_(party) {}

  std::vector<analysis::EffectOdds> operator()(std::int64_t base, std::span<const std::int64_t> others) {
    std::vector<cache::Contest> contests(own_contests, contest(base, base));
    for (const std::int64_t other : others) {
      contests.push_back(contest(base, other));
      contests.push_back(contest(other, base));
      contests.push_back(contest(base, other));
      contests.back().idle = true;
    }
    std::vector<analysis::EventCount> counts(contests.size());
    std::vector<analysis::EffectOdds> odds;
    for (std::uint64_t trial = 1; trial <= most_trials; ++trial) {
      const auto seen = cache::contend(execute_, contests, static_cast<std::uint64_t>(base) * most_trials + trial);
      for (std::size_t i = 0; i < seen.size(); ++i) counts[i] += seen[i];
      odds = judge(others.size(), counts);
      if (std::ranges::all_of(odds, [](const auto& one) { return one.error() < sure; })) break;
    }
    keep(base, others, counts);
    return odds;
  }

  [[nodiscard]] const Curve& curve() const { return curve_; }
  [[nodiscard]] std::uint64_t tested() const { return tested_; }

 private:
  [[nodiscard]] cache::Contest contest(std::int64_t owner, std::int64_t rival) const {
    cache::Contest result{.owner = party_, .rival = party_, .fill_bytes = party_.size / 2};
    result.owner.warp = owner;
    result.rival.warp = rival;
    result.walk_bytes = cache::common_walk(party_, party_, result.fill_bytes, party_.size);
    return result;
  }

  static std::vector<analysis::EffectOdds> judge(std::size_t others, std::span<const analysis::EventCount> counts) {
    analysis::EventCount own;
    for (const auto& count : counts.first(own_contests)) own += count;
    const auto of_others = counts.subspan(own_contests);
    analysis::EventCount idle;
    for (std::size_t i = 0; i < others; ++i) idle += of_others[3 * i + 2];
    std::map<std::pair<std::size_t, std::size_t>, analysis::EffectEvidence> known;
    const auto evidence = [&](const analysis::EventCount& count) {
      const auto [entry, is_new] = known.try_emplace({count.events, count.tests});
      if (is_new) entry->second = analysis::effect_evidence(idle, own, count);
      return entry->second;
    };
    std::vector<analysis::EffectOdds> odds;
    for (std::size_t i = 0; i < others; ++i) {
      auto both = evidence(of_others[3 * i]);
      both += evidence(of_others[3 * i + 1]);
      odds.push_back(analysis::odds(both));
    }
    return odds;
  }

  void keep(std::int64_t base, std::span<const std::int64_t> others, std::span<const analysis::EventCount> counts) {
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto three = counts.subspan(own_contests + 3 * i, 3);
      curve_.base.push_back(static_cast<double>(base));
      curve_.other.push_back(static_cast<double>(others[i]));
      curve_.tested.push_back(static_cast<double>(three[0].tests + three[1].tests));
      curve_.missed.push_back(static_cast<double>(three[0].events + three[1].events));
      curve_.missed_idle.push_back(static_cast<double>(three[2].events));
      tested_ += three[0].tests + three[1].tests;
    }
  }

  cache::Executor execute_;
  cache::Party party_;
  Curve curve_;
  std::uint64_t tested_ = 0;
};

}  // namespace

void find_instances(const Session& session, const View& view) {
  Comparison compare(session, known_party(session, view).value());
  const auto found = analysis::group(chase::warps_of_cta, std::ref(compare));
  const std::string fact = key(view, "per_sm");
  session.evidence(fact, compare.curve().columns());
  if (!found.undecided.empty()) {
    return session.inconclusive(
        fact, "warps " + found.undecided + " neither evict each other's lines as one warp does nor leave them alone");
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
