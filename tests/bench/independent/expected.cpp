#include "expected.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

namespace independent {

namespace {

bool is_close(const Expected& expected, const Json& truth, const Json& published) {
  if (!published.is_number()) return false;
  const double distance = std::abs(published.get<double>() - truth.get<double>());
  return distance <= expected.spread + expected.absolute + expected.relative * std::abs(truth.get<double>()) + 1e-9;
}

bool lists_are_close(const Expected& expected, const Json& truth, const Json& published) {
  if (!published.is_array() || published.size() != truth.size()) return false;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!is_close(expected, truth[i], published[i])) return false;
  }
  return true;
}

Json sorted(Json list) {
  std::sort(list.begin(), list.end());
  return list;
}

std::set<std::set<std::int64_t>> sets_of(const Json& groups) {
  std::set<std::set<std::int64_t>> sets;
  for (const Json& group : groups) sets.insert(group.get<std::set<std::int64_t>>());
  return sets;
}

/// Masks in reduced row echelon form, by which equal spaces are equal.
std::vector<std::uint64_t> reduced(std::vector<std::uint64_t> masks) {
  std::vector<std::uint64_t> rows;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t pivot = std::uint64_t{1} << bit;
    const auto found =
        std::find_if(masks.begin(), masks.end(), [&](std::uint64_t mask) { return (mask & pivot) != 0; });
    if (found == masks.end()) continue;
    const std::uint64_t row = *found;
    masks.erase(found);
    for (auto* others : {&masks, &rows}) {
      for (std::uint64_t& other : *others) other ^= (other & pivot) != 0 ? row : 0;
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::uint64_t> masks_of(const Json& index) {
  std::vector<std::uint64_t> masks;
  if (index.contains("bits")) {
    for (const Json& bit : index.at("bits")) masks.push_back(std::uint64_t{1} << bit.get<unsigned>());
  } else if (index.contains("masks")) {
    for (const Json& mask : index.at("masks")) masks.push_back(std::stoull(mask.get<std::string>(), nullptr, 16));
  }
  return reduced(masks);
}

bool same_index(const Json& truth, const Json& published) {
  if (!published.is_object()) return false;
  if (truth.contains("modulus")) return published.contains("modulus") && published.at("modulus") == truth.at("modulus");
  return masks_of(truth) == masks_of(published);
}

/// The capacity of the last step at or below a carve-out.
Json capacity_at(const Json& steps, const Json& carveout) {
  Json capacity;
  for (const Json& step : steps) {
    if (step[0] <= carveout) capacity = step[1];
  }
  return capacity;
}

/// Whether each published pair has the capacity at its carve-out.
bool same_capacities(const Json& steps, const Json& published) {
  return published.is_array() && std::all_of(published.begin(), published.end(), [&](const Json& pair) {
           return pair.is_array() && pair.size() == 2 && capacity_at(steps, pair[0]) == pair[1];
         });
}

/// Whether the interval of each element covers the truth, at most `spread` away from its mean.
bool each_interval_covers(const Json& truth, double spread, const Json& intervals) {
  if (!intervals.is_array() || intervals.size() != truth.size()) return false;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto cycles = truth[i].get<double>();
    if (cycles + spread < intervals[i][0] || cycles - spread > intervals[i][1]) return false;
  }
  return true;
}

/// Whether the interval of each pair, which stands in the conditions, covers the capacity at its carve-out.
bool intervals_cover(const Json& steps, const Json& published, const Json& intervals) {
  if (!published.is_array() || !intervals.is_array() || intervals.size() != published.size()) return false;
  for (std::size_t row = 0; row < published.size(); ++row) {
    const Json capacity = capacity_at(steps, published[row][0]);
    if (capacity < intervals[row][0] || capacity > intervals[row][1]) return false;
  }
  return true;
}

}  // namespace

bool is_right(const Expected& expected, const Json& published) {
  switch (expected.match) {
    case Match::equal: return published == expected.value;
    case Match::any_of:
      return std::find(expected.value.begin(), expected.value.end(), published) != expected.value.end();
    case Match::close: return is_close(expected, expected.value, published);
    case Match::close_list: return lists_are_close(expected, expected.value, published);
    case Match::sorted:
      return published.is_array() && lists_are_close(expected, sorted(expected.value), sorted(published));
    case Match::words: return published.is_array() && sorted(expected.value) == sorted(published);
    case Match::groups: return published.is_array() && sets_of(published) == sets_of(expected.value);
    case Match::index: return same_index(expected.value, published);
    case Match::capacities: return same_capacities(expected.value, published);
    case Match::absent: break;
  }
  return false;
}

bool claim_holds(const Expected& expected, const Json& record) {
  if (expected.match == Match::capacities && record.contains("conditions")) {
    return intervals_cover(expected.value, record.at("value"), record.at("conditions").value("intervals", Json()));
  }
  if (expected.match == Match::close_list && record.value("conditions", Json::object()).contains("intervals")) {
    return each_interval_covers(expected.value, expected.spread, record.at("conditions").at("intervals"));
  }
  const bool has_range = record.contains("interval") && expected.value.is_number();
  if (!has_range) return is_right(expected, record.at("value"));
  const double truth = expected.value.get<double>();
  const double margin = expected.spread + 1e-9 * std::abs(truth);
  return record.at("interval").at(0).get<double>() <= truth + margin &&
         truth - margin <= record.at("interval").at(1).get<double>();
}

}  // namespace independent
