#ifndef TOMOGRAPH_COLUMN_HPP
#define TOMOGRAPH_COLUMN_HPP

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tomograph/experiment.hpp"

namespace tomograph {

/// A column of a curve: `value` of each point, a member or a function of it, as a real number.
template <typename Points, typename Value>
[[nodiscard]] NamedArray column(std::string name, const Points& points, Value value) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const auto& point : points) values.push_back(static_cast<double>(std::invoke(value, point)));
  return {std::move(name), std::move(values)};
}

}  // namespace tomograph

#endif
