#include "analysis_visits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/analysis/queue_policies.hpp"
#include "tomograph/analysis/tree_plru.hpp"

namespace tomograph::tlb {

namespace {

/// Visits that may be late since L2 has lost their lines, as a share. What such a line costs may be what a miss of the
/// level costs.
constexpr double few_lost = 0.02;

/// Pages under LRU, the next victim first.
class Queue {
 public:
  explicit Queue(std::size_t ways) : ways_(ways) {}

  void visit(std::int64_t page) {
    std::erase(pages_, page);
    if (pages_.size() == ways_) pages_.erase(pages_.begin());
    pages_.push_back(page);
  }
  [[nodiscard]] bool holds(std::int64_t page) const { return std::ranges::find(pages_, page) != pages_.end(); }
  /// The first page that is not held.
  [[nodiscard]] std::int64_t missing() const {
    std::int64_t page = 0;
    while (holds(page)) ++page;
    return page;
  }
  /// The page that is replaced after so many others.
  [[nodiscard]] std::int64_t victim(std::size_t after) const { return pages_[std::min(after, pages_.size() - 1)]; }

 private:
  std::size_t ways_;
  std::vector<std::int64_t> pages_;
};

/// Visits after the walk that do not hit or miss as `hits`, one element for each of `order`, says.
std::size_t deviations(const Visits& visits, const std::vector<bool>& missed, const std::vector<bool>& hits) {
  std::size_t count = 0;
  for (std::size_t i = visits.walked; i < visits.timed.size(); ++i) count += missed[i] == hits[visits.timed[i]] ? 1 : 0;
  return count;
}

}  // namespace

Visits telling_visits(std::size_t pages, std::size_t count, std::span<const std::int64_t> between, std::uint64_t seed,
                      bool touches) {
  // One visit in so many is followed by a touch: twelve in 48, of which the first that is not kept ends the agreement.
  constexpr std::uint64_t visits_of_a_touch = 4;
  // Visits of pages far from the victim tell no policies apart. Chosen by hand.
  constexpr std::size_t next_victims = 4;
  std::mt19937_64 random(seed);
  Queue lru(pages - 1);
  Visits visits;
  const auto visit = [&](std::int64_t page, bool timed) {
    if (timed) {
      visits.timed.push_back(visits.order.size());
      visits.touched.push_back(Visits::nothing);
    }
    visits.order.push_back(page);
    lru.visit(page);
  };
  const auto number = static_cast<std::int64_t>(pages);
  for (std::int64_t page = 0; page < number; ++page) visit(page, true);
  visits.walked = pages;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::int64_t page : between) visit(page, false);
    std::int64_t page = lru.victim(random() % next_victims);
    if (random() % 2 == 0) page = lru.missing();
    visit(page, true);
    if (!touches || random() % visits_of_a_touch != 0) continue;
    visits.touched.back() = lru.missing();
    visit(visits.touched.back(), false);
  }
  return visits;
}

bool are_hidden(const Level& level, std::span<const double> medians, std::int64_t programs) {
  const auto before = std::ranges::count_if(medians, [&](double cycles) { return cycles < level.hit / 2; });
  // The median of n normal deviates has the standard deviation 1.2533 noise / sqrt(n).
  const double deviation = 1.2533 * level.noise / std::sqrt(static_cast<double>(programs));
  const double chance = std::erfc(level.hit / 2 / deviation / std::sqrt(2.0)) / 2;
  const double expected = chance * static_cast<double>(medians.size());
  // Three standard errors of a count: false alarm 1.3e-3 where it is large, `expected` where it is small.
  return static_cast<double>(before) > expected + 3 * std::sqrt(expected);
}

bool are_late(const Level& level, std::span<const double> extra_latency) {
  // Half of the visits should hit. One of them in each sequence that is read as a miss leaves no sequence that agrees.
  const double latest = level.miss + std::max(level.miss - level.hit, 8 * level.noise);  // as in Level::sharp
  const auto late = std::ranges::count_if(extra_latency, [&](double cycles) { return cycles > latest; });
  return static_cast<double>(late) > few_lost * static_cast<double>(extra_latency.size());
}

void Agreement::add(const Visits& visits, const std::vector<bool>& missed) {
  const auto walk_end = missed.begin() + static_cast<std::ptrdiff_t>(visits.walked);
  const bool hits = std::find(missed.begin(), walk_end, false) != walk_end;
  const std::size_t ways = visits.walked - 1;
  const std::size_t from_lru = deviations(visits, missed, analysis::lru_hits(visits.order, ways));
  const bool is_lru = from_lru == 0;
  const bool is_fifo = deviations(visits, missed, analysis::fifo_hits(visits.order, ways)) == 0;
  const bool is_tree = std::has_single_bit(ways) &&
                       deviations(visits, missed, analysis::tree_plru_hits_when_full(visits.order, ways)) == 0;
  if (is_lru && (is_fifo || (is_tree && ways > 2))) return;
  if (hits) {
    ++hitting;
    hitting_lru += is_lru ? 1 : 0;
    return;
  }
  ++sequences;
  lru += is_lru ? 1 : 0;
  fifo += is_fifo ? 1 : 0;
  tree_plru += is_tree ? 1 : 0;
  if (is_lru || is_fifo || is_tree) return;
  ++none;
  const auto few = std::ceil(few_lost * static_cast<double>(visits.timed.size() - visits.walked));
  nearly_lru += static_cast<double>(from_lru) <= few ? 1 : 0;
}

Policy policy_of(const Agreement& agreement) {
  constexpr std::size_t policies = 4;  // with "not-lru"
  constexpr std::size_t enough = 4;    // if all agree, the policy is right with 0.991, beside 0.966 for three
  struct Candidate {
    const char* name;
    std::size_t agreeing;
  };
  Policy policy;
  const auto decide = [&](const char* name, std::size_t agreeing, std::size_t sequences) {
    policy.name = name;
    policy.confidence =
        std::min(confidence::tlb::lru_or_fifo, analysis::confidence_from_agreement(agreeing, sequences, policies - 1));
    return policy;
  };
  if (agreement.sequences < enough) {
    const std::size_t all = agreement.sequences + agreement.hitting;
    const std::size_t lru = agreement.lru + agreement.hitting_lru;
    if (all >= enough && 2 * lru >= all) return decide("lru", lru, all);
    policy.reason = "too few walks over a full set and one page missed throughout";
    return policy;
  }
  const std::size_t doubtful = agreement.hidden + agreement.nearly_lru;
  for (const auto& [name, agreeing] : std::array<Candidate, policies>{{{"lru", agreement.lru},
                                                                       {"fifo", agreement.fifo},
                                                                       {"tree-plru", agreement.tree_plru},
                                                                       {"not-lru", agreement.none}}}) {
    const bool is_decided = name == std::string("not-lru") ? agreeing == agreement.sequences && doubtful == 0
                                                           : 2 * agreeing >= agreement.sequences;
    if (is_decided) return decide(name, agreeing, agreement.sequences);
  }
  policy.reason = doubtful > 0 ? "levels before serve some of the visits that should show this one, or L2 loses "
                                 "their lines"
                               : "visits in random order agree now and then with a policy";
  return policy;
}

}  // namespace tomograph::tlb
