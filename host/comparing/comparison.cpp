#include "comparing/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "comparing/any_order.hpp"
#include "documents/enum_names.hpp"
#include "planning/patterns.hpp"

namespace tomograph::host {
namespace {

constexpr EnumNames<Verdict, 7> verdicts{{{Verdict::same, "SAME"},
                                          {Verdict::higher, "HIGHER"},
                                          {Verdict::lower, "LOWER"},
                                          {Verdict::different, "DIFFERENT"},
                                          {Verdict::undecided, "UNDECIDED"},
                                          {Verdict::only_a, "ONLY-A"},
                                          {Verdict::only_b, "ONLY-B"}}};

bool matches_any(const std::vector<std::string>& patterns, const std::string& key) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) { return matches(pattern, key); });
}

std::optional<double> chosen_tolerance(const std::vector<Tolerance>& tolerances, const std::string& key) {
  std::optional<double> chosen;
  for (const Tolerance& tolerance : tolerances) {
    if (matches(tolerance.pattern, key)) chosen = tolerance.fraction;
  }
  return chosen;
}

std::optional<double> relative_change(double a, double b) {
  if (a == b) return 0.0;
  if (a == 0) return std::nullopt;
  return (b - a) / std::abs(a);
}

std::pair<double, double> bounds(const FactRecord& record) {
  const auto value = record.value.get<double>();
  return record.interval.value_or(std::pair{value, value});
}

FactDifference judged_numbers(const FactRecord& a, const FactRecord& b, double tolerance) {
  const auto [a_low, a_high] = bounds(a);
  const auto [b_low, b_high] = bounds(b);
  const auto value = a.value.get<double>();
  FactDifference difference;
  difference.change = relative_change(value, b.value.get<double>());
  const auto least = relative_change(value, value + b_low - a_high);
  const auto most = relative_change(value, value + b_high - a_low);
  if ((a.interval || b.interval) && least && most) difference.possible_change = {*least, *most};
  if (difference.change && std::abs(*difference.change) <= tolerance) return difference;
  if (a_high < b_low) {
    difference.verdict = Verdict::higher;
  } else {
    difference.verdict = b_high < a_low ? Verdict::lower : Verdict::undecided;
  }
  return difference;
}

/// The largest relative change of a number in two tables of the same shape; nothing if they differ in anything else.
std::optional<double> largest_change(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    const auto change = relative_change(a.get<double>(), b.get<double>());
    return change.value_or(std::numeric_limits<double>::infinity());
  }
  if (!a.is_structured() || a.type() != b.type() || a.size() != b.size()) {
    return a == b ? std::optional(0.0) : std::nullopt;
  }
  double largest = 0;
  auto other = b.items().begin();
  for (const auto& member : a.items()) {
    if (member.key() != other.key()) return std::nullopt;
    const auto change = largest_change(member.value(), other.value());
    if (!change) return std::nullopt;
    if (std::abs(*change) > std::abs(largest)) largest = *change;
    ++other;
  }
  return largest;
}

bool has_reals(const Json& value) {
  if (!value.is_structured()) return value.is_number_float();
  return std::ranges::any_of(value, has_reals);
}

/// The intervals of a curve's points, if each has one.
const Json* intervals_of(const FactRecord& record) {
  const auto found = record.conditions.find("intervals");
  const bool has_all = found != record.conditions.end() && record.value.is_array() && found->is_array() &&
                       found->size() == record.value.size();
  return has_all ? &*found : nullptr;
}

bool overlap(const Json& a, const Json& b) {
  return a.is_array() && b.is_array() && a.size() == 2 && b.size() == 2 && a[0] <= b[1] && b[0] <= a[1];
}

/// Whether the intervals of all points overlap that differ by more than the tolerance. Points are numbers, or pairs of
/// what was asked for and what was measured.
bool may_be_the_same(const FactRecord& a, const FactRecord& b, double tolerance) {
  const Json* of_a = intervals_of(a);
  const Json* of_b = intervals_of(b);
  if (of_a == nullptr || of_b == nullptr || a.value.size() != b.value.size()) return false;
  for (std::size_t i = 0; i < a.value.size(); ++i) {
    const Json& one = a.value[i];
    const Json& other = b.value[i];
    const auto change = largest_change(one, other);
    if (!change || (one.is_array() && one.front() != other.front())) return false;
    if (std::abs(*change) > tolerance && !overlap((*of_a)[i], (*of_b)[i])) return false;
  }
  return true;
}

FactDifference judged_tables(const FactRecord& a, const FactRecord& b, double tolerance) {
  FactDifference difference;
  difference.change = largest_change(a.value, arranged_like(a, b));
  const bool is_same = difference.change && std::abs(*difference.change) <= tolerance;
  if (!is_same) difference.verdict = may_be_the_same(a, b, tolerance) ? Verdict::undecided : Verdict::different;
  if (difference.change && std::isinf(*difference.change)) difference.change.reset();
  return difference;
}

FactDifference judged_equal_or_not(const FactRecord& a, const FactRecord& b) {
  FactDifference difference;
  if (a.value == b.value && a.unit == b.unit) return difference;
  difference.verdict = Verdict::different;
  const bool are_numbers = a.value.is_number() && b.value.is_number() && a.unit == b.unit;
  if (are_numbers) difference.change = relative_change(a.value.get<double>(), b.value.get<double>());
  return difference;
}

FactDifference judged(const FactRecord& a, const FactRecord& b, std::optional<double> tolerance) {
  if (a.unit != b.unit) return judged_equal_or_not(a, b);
  if (a.value.is_number() && b.value.is_number()) {
    const bool is_continuous = a.interval || b.interval || has_reals(a.value) || has_reals(b.value);
    if (is_continuous || tolerance) return judged_numbers(a, b, tolerance.value_or(usual_tolerance));
  }
  if (is_curve(a.value.is_structured(), has_reals(a.value), a.unit) || (tolerance && a.value.is_structured())) {
    return judged_tables(a, b, tolerance.value_or(usual_curve_tolerance));
  }
  return judged_equal_or_not(a, b);
}

}  // namespace

std::string_view to_string(Verdict verdict) { return name_in(verdicts, verdict); }

bool is_curve(bool is_table, bool has_reals, std::string_view unit) {
  return is_table && (has_reals || (!unit.empty() && unit != "1"));
}

std::vector<FactDifference> compare(const Topology& a, const Topology& b, const ComparisonSettings& settings) {
  std::set<std::string> keys;
  for (const Topology* topology : {&a, &b}) {
    for (const auto& [key, record] : topology->facts) keys.insert(key);
  }
  std::vector<FactDifference> differences;
  for (const std::string& key : keys) {
    if (!settings.only.empty() && !matches_any(settings.only, key)) continue;
    if (matches_any(settings.ignored, key)) continue;
    const auto in_a = a.facts.find(key);
    const auto in_b = b.facts.find(key);
    FactDifference difference;
    if (in_a != a.facts.end() && in_b != b.facts.end()) {
      difference = judged(in_a->second, in_b->second, chosen_tolerance(settings.tolerances, key));
    } else {
      difference.verdict = in_a != a.facts.end() ? Verdict::only_a : Verdict::only_b;
    }
    difference.key = key;
    differences.push_back(std::move(difference));
  }
  return differences;
}

std::vector<std::string> facts_of_one_board() {
  return {"device.uuid",
          "device.gpus",
          "device.gpu",
          "device.pci_bus_id",
          "device.numa_node",
          "device.*_clock",
          "device.driver",
          "device.driver_version",
          "device.runtime",
          "device.other_processes",
          "dram.free",
          "sm.map",
          "*.sm_groups",
          "*.latency_by_sm",
          "*.latency_by_sm_and_slice",
          "l2.partition.of_sm",
          "*_by_group"};
}

}  // namespace tomograph::host
