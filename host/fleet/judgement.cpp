#include "fleet/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "comparing/comparison.hpp"
#include "fleet/outliers.hpp"
#include "planning/patterns.hpp"
#include "reporting/quantity.hpp"

namespace tomograph::host {
namespace {

/// A fact of all GPUs of a cohort that have it.
struct Column {
  std::string key;
  std::string unit;
  bool is_continuous = false;
  bool has_numbers_alone = true;
  std::vector<std::size_t> gpus;  ///< positions in the cohort, ascending
  std::vector<const GpuFact*> facts;
};

using Members = std::vector<const GpuFacts*>;

std::vector<Column> columns_of(const Members& members, const Texts& texts) {
  std::map<std::pair<std::string_view, std::string_view>, Column> columns;
  std::map<std::pair<Texts::Id, Texts::Id>, Column*> by_id;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const GpuFact& fact : members[i]->facts) {
      Column*& column = by_id[{fact.key, fact.unit}];
      if (column == nullptr) column = &columns[{texts.at(fact.key), texts.at(fact.unit)}];
      column->gpus.push_back(i);
      column->facts.push_back(&fact);
      column->is_continuous = column->is_continuous || fact.is_continuous;
      column->has_numbers_alone = column->has_numbers_alone && fact.is_number;
    }
  }
  const std::vector<std::string> ignored = facts_of_one_board();
  std::vector<Column> compared;
  for (auto& [name, column] : columns) {
    column.key = name.first;
    column.unit = name.second;
    const auto is_named = [&key = column.key](const std::string& pattern) { return matches(pattern, key); };
    const bool is_mixed = column.is_continuous && !column.has_numbers_alone;
    if (!is_mixed && std::ranges::none_of(ignored, is_named)) compared.push_back(std::move(column));
  }
  return compared;
}

bool is_tested(const Column& column) { return column.is_continuous && column.facts.size() >= smallest_cohort; }

/// A cohort in the making.
struct Group {
  Cohort cohort;
  std::vector<Column> columns;
};

std::vector<Group> groups_of(const std::vector<GpuFacts>& gpus, const Texts& texts) {
  std::map<std::string, Members> by_device;
  for (const GpuFacts& gpu : gpus) by_device[gpu.device].push_back(&gpu);
  std::vector<Group> groups;
  for (auto& [device, members] : by_device) {
    std::ranges::sort(members, {}, &GpuFacts::gpu);
    Group& group = groups.emplace_back();
    group.cohort.device = device;
    for (const GpuFacts* member : members) {
      group.cohort.gpus.push_back(member->gpu);
      if (member->fingerprint) group.cohort.fingerprints.emplace(member->gpu, *member->fingerprint);
    }
    if (members.size() >= smallest_cohort) group.columns = columns_of(members, texts);
  }
  return groups;
}

class Judge {
 public:
  Judge(Cohort& cohort, const Texts& texts, OutlierTest& test) : cohort_(&cohort), texts_(&texts), test_(&test) {}

  void add(const Column& column) {
    if (column.is_continuous) return add_numbers(column);
    add_values(column);
  }

  /// The odd GPUs, by position in the cohort.
  std::map<std::size_t, OddGpu> take() { return std::move(odd_); }

 private:
  void add_numbers(const Column& column) {
    std::vector<double> values;
    for (const GpuFact* fact : column.facts) values.push_back(fact->value);
    const RobustScale scale = robust_scale(values);
    FactSpread fact{.key = column.key, .unit = column.unit, .median = scale.median, .spread = scale.spread};
    const auto [least, greatest] = std::ranges::minmax(values);
    fact.least = least;
    fact.greatest = greatest;
    for (const double value : values) fact.z.push_back(scale.spread > 0 ? (value - scale.median) / scale.spread : 0);
    fact.without = lacking(column);
    for (const std::size_t i : test_->outliers(values)) {
      if (is_noticeable(*column.facts[i], scale.median)) name_number(column, i, fact);
    }
    cohort_->facts.push_back(std::move(fact));
  }

  static bool is_noticeable(const GpuFact& fact, double median) {
    const bool is_far = std::abs(fact.value - median) > usual_tolerance * std::abs(median);
    return is_far && (median < fact.low || median > fact.high);
  }

  void name_number(const Column& column, std::size_t i, const FactSpread& fact) {
    const double value = column.facts[i]->value;
    add_odd(column.gpus[i], {.key = column.key,
                             .value = quantity(value, column.unit),
                             .usual = quantity(fact.median, column.unit),
                             .change = fact.median == 0 ? 0 : (value - fact.median) / std::abs(fact.median),
                             .z = fact.z[i]});
  }

  void add_values(const Column& column) {
    std::map<std::string_view, std::vector<std::size_t>> holders;
    for (std::size_t i = 0; i < column.facts.size(); ++i) holders[texts_->at(column.facts[i]->text)].push_back(i);
    if (holders.size() < 2) return;
    const auto usual = std::ranges::max_element(holders, {}, [](const auto& entry) { return entry.second.size(); });
    FactDifferences differences{column.key, std::string(usual->first), usual->second.size(), {}};
    const std::size_t unusual = column.facts.size() - differences.count;
    const bool are_few = static_cast<double>(unusual) <= most_outliers * static_cast<double>(column.facts.size());
    for (const auto& [value, positions] : holders) {
      if (value == usual->first) continue;
      ValueHolders& other = differences.others.emplace_back();
      other.value = value;
      for (const std::size_t i : positions) {
        other.gpus.push_back(cohort_->gpus[column.gpus[i]]);
        if (are_few && column.facts[i]->is_api) {
          add_odd(column.gpus[i], {.key = column.key, .value = other.value, .usual = differences.usual});
        }
      }
    }
    cohort_->differences.push_back(std::move(differences));
  }

  void add_odd(std::size_t position, OddFact fact) {
    OddGpu& gpu = odd_[position];
    gpu.gpu = cohort_->gpus[position];
    gpu.device = cohort_->device;
    gpu.facts.push_back(std::move(fact));
  }

  [[nodiscard]] std::vector<std::string> lacking(const Column& column) const {
    std::vector<std::string> gpus;
    auto next = column.gpus.begin();
    for (std::size_t i = 0; i < cohort_->gpus.size(); ++i) {
      if (next != column.gpus.end() && *next == i) {
        ++next;
      } else {
        gpus.push_back(cohort_->gpus[i]);
      }
    }
    return gpus;
  }

  Cohort* cohort_;
  const Texts* texts_;
  OutlierTest* test_;
  std::map<std::size_t, OddGpu> odd_;
};

/// Discrete facts first, then by distance in spreads.
bool is_more_striking(const OddFact& a, const OddFact& b) {
  const bool a_is_discrete = a.z == 0;
  const bool b_is_discrete = b.z == 0;
  if (a_is_discrete != b_is_discrete) return a_is_discrete;
  return std::pair(-std::abs(a.z), a.key) < std::pair(-std::abs(b.z), b.key);
}

std::string reason_of(const OddGpu& gpu, std::size_t cohort) {
  const OddFact& first = gpu.facts.front();
  const std::string others = gpu.facts.size() == 1 ? "" : fmt::format("; {} facts are odd", gpu.facts.size());
  if (first.z == 0) {
    return fmt::format("{} is {}, but {} for most of {} {}{}", first.key, first.value, first.usual, cohort, gpu.device,
                       others);
  }
  return fmt::format("{} is {:.1f} % {} than the median of {} {}: {} instead of {}, {:.0f} spreads away{}", first.key,
                     100 * std::abs(first.change), first.change < 0 ? "lower" : "higher", cohort, gpu.device,
                     first.value, first.usual, std::abs(first.z), others);
}

}  // namespace

Fleet judge(const std::vector<GpuFacts>& gpus, const Texts& texts, double false_alarm_rate) {
  Fleet fleet{.false_alarm_rate = false_alarm_rate, .gpus = gpus.size(), .odd = {}, .cohorts = {}};
  std::vector<Group> groups = groups_of(gpus, texts);
  for (const Group& group : groups) {
    fleet.tests += static_cast<std::size_t>(std::ranges::count_if(group.columns, is_tested));
  }
  OutlierTest test(false_alarm_rate / static_cast<double>(std::max<std::size_t>(fleet.tests, 1)));
  for (Group& group : groups) {
    Judge judge(group.cohort, texts, test);
    for (const Column& column : group.columns) judge.add(column);
    for (auto& [position, odd] : judge.take()) {
      std::ranges::sort(odd.facts, is_more_striking);
      odd.reason = reason_of(odd, group.cohort.gpus.size());
      fleet.odd.push_back(std::move(odd));
    }
    fleet.cohorts.push_back(std::move(group.cohort));
  }
  return fleet;
}

}  // namespace tomograph::host
