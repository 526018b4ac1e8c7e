#include "fleet/fleet_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "comparing/comparison.hpp"
#include "reporting/quantity.hpp"

namespace tomograph::host {
namespace {

using Names = std::vector<std::string>;
using Json = nlohmann::json;

Names less(const Names& sorted, const Names& others) {
  Names left;
  std::ranges::set_difference(sorted, others, std::back_inserter(left));
  return left;
}

Names keys_of(const Cohort& cohort) {
  Names keys;
  for (const FactSpread& fact : cohort.facts) keys.push_back(fact.key);
  std::ranges::sort(keys);
  return keys;
}

/// The median of normal values has this many times the standard error of their mean: the square root of pi / 2.
constexpr double error_of_median = 1.2533;

double median_error(const FactSpread& fact) {
  return error_of_median * fact.spread / std::sqrt(static_cast<double>(std::max<std::size_t>(fact.z.size(), 1)));
}

/// Which boards of one kind were exchanged.
class Boards {
 public:
  Boards(const Cohort& a, const Cohort& b, double false_alarm_rate)
      : a_(&a.fingerprints), b_(&b.fingerprints), rate_(false_alarm_rate) {}

  /// Of GPUs that are there on both days.
  [[nodiscard]] Names exchanged() const {
    Names gpus;
    for (const auto& [gpu, after] : *b_) {
      const auto before = a_->find(gpu);
      if (before != a_->end() && !may_be_one_board(before->second, after, rate_)) gpus.push_back(gpu);
    }
    return gpus;
  }

  [[nodiscard]] std::vector<RenamedBoard> renamed(const Names& gone, const Names& came) const {
    std::vector<RenamedBoard> boards;
    for (const std::string& to : came) {
      const auto likely = b_->find(to);
      if (likely == b_->end()) continue;
      const Names alike = like(likely->second);
      if (alike.size() != 2) continue;  // itself and the one that is gone
      const std::string& from = alike[0] == to ? alike[1] : alike[0];
      if (std::ranges::binary_search(gone, from)) boards.push_back({from, to});
    }
    return boards;
  }

 private:
  /// GPUs of either day with this fingerprint.
  [[nodiscard]] Names like(const Fingerprint& fingerprint) const {
    std::set<std::string> alike;
    for (const auto* day : {a_, b_}) {
      for (const auto& [gpu, one] : *day) {
        if (may_be_one_board(one, fingerprint, rate_)) alike.insert(gpu);
      }
    }
    return {alike.begin(), alike.end()};
  }

  const std::map<std::string, Fingerprint>* a_;
  const std::map<std::string, Fingerprint>* b_;
  double rate_;
};

std::vector<MovedMedian> moved_medians(const Cohort& a, const Cohort& b, double deviations) {
  std::vector<MovedMedian> moved;
  for (const FactSpread& before : a.facts) {
    const auto after = std::ranges::find_if(
        b.facts, [&](const FactSpread& fact) { return fact.key == before.key && fact.unit == before.unit; });
    if (after == b.facts.end()) continue;
    const double difference = std::abs(after->median - before.median);
    const double error = std::hypot(median_error(before), median_error(*after));
    if (difference > usual_tolerance * std::abs(before.median) && difference > deviations * error) {
      moved.push_back({before.key, before.unit, before.median, after->median});
    }
  }
  return moved;
}

bool is_empty(const CohortDiff& diff) {
  return diff.gone.empty() && diff.came.empty() && diff.exchanged.empty() && diff.renamed.empty() &&
         diff.moved.empty() && diff.only_a.empty() && diff.only_b.empty();
}

CohortDiff diff_cohorts(const Cohort& a, const Cohort& b, const Boards& boards, double deviations) {
  CohortDiff diff{.device = b.device.empty() ? a.device : b.device,
                  .gone = less(a.gpus, b.gpus),
                  .came = less(b.gpus, a.gpus),
                  .exchanged = boards.exchanged(),
                  .renamed = {},
                  .moved = moved_medians(a, b, deviations),
                  .only_a = {},
                  .only_b = {}};
  diff.renamed = boards.renamed(diff.gone, diff.came);
  for (const auto& [from, to] : diff.renamed) {
    std::erase(diff.gone, from);
    std::erase(diff.came, to);
  }
  if (a.facts.empty() || b.facts.empty()) return diff;  // a cohort that is too small has none
  diff.only_a = less(keys_of(a), keys_of(b));
  diff.only_b = less(keys_of(b), keys_of(a));
  return diff;
}

const Cohort& cohort_of(const Fleet& fleet, const std::string& device) {
  static const Cohort none;
  const auto found = std::ranges::find(fleet.cohorts, device, &Cohort::device);
  return found == fleet.cohorts.end() ? none : *found;
}

std::vector<OddGpu> odd_in(const Fleet& fleet, const Fleet& other, bool in_other) {
  std::vector<OddGpu> gpus;
  for (const OddGpu& odd : fleet.odd) {
    const bool is_there = std::ranges::find(other.odd, odd.gpu, &OddGpu::gpu) != other.odd.end();
    if (is_there == in_other) gpus.push_back(odd);
  }
  return gpus;
}

Json to_json(const CohortDiff& diff) {
  Json renamed = Json::array();
  for (const auto& [from, to] : diff.renamed) renamed.push_back({{"from", from}, {"to", to}});
  Json moved = Json::object();
  for (const MovedMedian& one : diff.moved) {
    moved[one.key] = {{"unit", one.unit}, {"a", one.a}, {"b", one.b}};
    if (one.a != 0) moved[one.key]["change"] = one.change();
  }
  return {{"gone", diff.gone},         {"came", diff.came},     {"exchanged", diff.exchanged}, {"renamed", renamed},
          {"moved", std::move(moved)}, {"only_a", diff.only_a}, {"only_b", diff.only_b}};
}

std::string cohort_text(const CohortDiff& diff) {
  std::string text;
  const auto add = [&](const char* verdict, const std::string& what) {
    text += fmt::format("{:<13}  {}: {}\n", verdict, diff.device, what);
  };
  for (const std::string& gpu : diff.exchanged) add("EXCHANGED", gpu + " is another board, by its latency of L2 by SM");
  for (const auto& [from, to] : diff.renamed)
    add("OTHER-UUID", fmt::format("{} may be the board that was {}", to, from));
  for (const std::string& gpu : diff.gone) add("ONLY-A", gpu);
  for (const std::string& gpu : diff.came) add("ONLY-B", gpu);
  for (const MovedMedian& one : diff.moved) {
    const std::string change = one.a == 0 ? "" : fmt::format(", {:+.1f} %", 100 * one.change());
    add(one.b > one.a ? "HIGHER" : "LOWER", fmt::format("median of {} from {} to {}{}", one.key,
                                                        quantity(one.a, one.unit), quantity(one.b, one.unit), change));
  }
  if (!diff.only_a.empty()) add("ONLY-A", fmt::format("{}", fmt::join(diff.only_a, ", ")));
  if (!diff.only_b.empty()) add("ONLY-B", fmt::format("{}", fmt::join(diff.only_b, ", ")));
  return text;
}

}  // namespace

double MovedMedian::change() const { return (b - a) / std::abs(a); }

FleetDiff diff_fleets(const Fleet& a, const Fleet& b) {
  FleetDiff diff{.false_alarm_rate = b.false_alarm_rate,
                 .cohorts = {},
                 .newly_odd = odd_in(b, a, false),
                 .no_longer_odd = odd_in(a, b, false),
                 .still_odd = odd_in(b, a, true)};
  const double half = b.false_alarm_rate / 2;
  const double by_median = half / static_cast<double>(std::max<std::size_t>(b.tests, 1));
  const double by_board = half / static_cast<double>(std::max<std::size_t>(b.gpus, 1));
  std::set<std::string> devices;
  for (const Fleet* fleet : {&a, &b}) {
    for (const Cohort& cohort : fleet->cohorts) devices.insert(cohort.device);
  }
  for (const std::string& device : devices) {
    const Cohort& before = cohort_of(a, device);
    const Cohort& after = cohort_of(b, device);
    CohortDiff one = diff_cohorts(before, after, Boards(before, after, by_board), normal_distance(by_median));
    if (!is_empty(one)) diff.cohorts.push_back(std::move(one));
  }
  return diff;
}

Json to_json(const FleetDiff& diff) {
  const auto gpus = [](const std::vector<OddGpu>& odd) {
    Json list = Json::array();
    for (const OddGpu& gpu : odd) list.push_back({{"gpu", gpu.gpu}, {"device", gpu.device}, {"reason", gpu.reason}});
    return list;
  };
  Json cohorts = Json::object();
  for (const CohortDiff& cohort : diff.cohorts) cohorts[cohort.device] = to_json(cohort);
  return {{"false_alarm_rate", diff.false_alarm_rate},
          {"cohorts", std::move(cohorts)},
          {"newly_odd", gpus(diff.newly_odd)},
          {"no_longer_odd", gpus(diff.no_longer_odd)},
          {"still_odd", gpus(diff.still_odd)}};
}

std::string fleet_diff_text(const FleetDiff& diff) {
  std::string text;
  for (const OddGpu& odd : diff.newly_odd) text += fmt::format("NEWLY-ODD      {}: {}\n", odd.gpu, odd.reason);
  for (const OddGpu& odd : diff.no_longer_odd) text += fmt::format("NO-LONGER-ODD  {}: {}\n", odd.gpu, odd.reason);
  for (const CohortDiff& cohort : diff.cohorts) text += cohort_text(cohort);
  for (const OddGpu& odd : diff.still_odd) text += fmt::format("STILL-ODD      {}: {}\n", odd.gpu, odd.reason);
  if (diff.is_same()) text += "no difference\n";
  return text;
}

}  // namespace tomograph::host
