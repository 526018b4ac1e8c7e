#include "comparing/any_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "topology/typed_value.hpp"

namespace tomograph::host {
namespace {

struct Sum {
  double value = 0;
  double count = 0;
};

Sum sum_of(const Json& value) {
  if (value.is_number()) return {value.get<double>(), 1};
  Sum all;
  if (!value.is_array()) return all;
  for (const Json& part : value) {
    const auto [sum, count] = sum_of(part);
    all = {all.value + sum, all.count + count};
  }
  return all;
}

double mean_of(const Json& value) {
  const auto [sum, count] = sum_of(value);
  return count == 0 ? 0 : sum / count;
}

/// The sum of the differences of all numbers, of which `b` has `shift` more; infinite if anything else differs.
double distance(const Json& a, const Json& b, double shift) {
  if (a.is_number() && b.is_number()) return std::abs(a.get<double>() + shift - b.get<double>());
  if (!a.is_array() || !b.is_array() || a.size() != b.size()) return a == b ? 0 : HUGE_VAL;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += distance(a[i], b[i], shift);
  return sum;
}

Json paired(const Json& a, Json b) {
  const double shift = mean_of(b) - mean_of(a);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto left = b.begin() + static_cast<std::ptrdiff_t>(i);
    const auto nearest = std::min_element(left, b.end(), [&](const Json& one, const Json& other) {
      return distance(a[i], one, shift) < distance(a[i], other, shift);
    });
    std::swap(*left, *nearest);
  }
  return b;
}

bool is_matrix(const Json& value) {
  return value.is_array() && !value.empty() && std::ranges::all_of(value, [&](const Json& row) {
           return row.is_array() && row.size() == value.front().size();
         });
}

/// Requires a matrix.
Json transposed(const Json& rows) {
  Json columns = Json::array();
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    Json entries = Json::array();
    for (const Json& row : rows) entries.push_back(row[column]);
    columns.push_back(std::move(entries));
  }
  return columns;
}

}  // namespace

Json arranged_like(const FactRecord& a, const FactRecord& b) {
  const std::string what = text_of(b.conditions.value("in_any_order", Json())).value_or("");
  if (what == "entries" && a.value.is_array() && b.value.is_array()) return paired(a.value, b.value);
  if (what == "columns" && is_matrix(a.value) && is_matrix(b.value) && !b.value.front().empty()) {
    return transposed(paired(transposed(a.value), transposed(b.value)));
  }
  return b.value;
}

}  // namespace tomograph::host
