#include "family.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::bench {

std::vector<Family> families_named(std::span<const std::string> names) {
  std::vector<Family> chosen = families();
  const auto unwanted = [&](const Family& family) { return std::ranges::find(names, family.name) == names.end(); };
  if (!names.empty()) std::erase_if(chosen, unwanted);
  return chosen;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.push_back(family.name);
  return names;
}

void ExpectedFacts::exact(const std::string& name, Json value, bool observable) {
  judged(name, value, observable, [value](const Json& published) { return published == value; });
}

void ExpectedFacts::within(const std::string& name, double value, double tolerance, bool observable) {
  judged(name, value, observable, [value, tolerance](const Json& published) {
    return published.is_number() && std::abs(published.get<double>() - value) <= tolerance;
  });
}

void ExpectedFacts::judged(const std::string& name, Json value, bool observable,
                           std::function<bool(const Json&)> is_right) {
  facts_.push_back({prefix_ + name, observable, std::move(value), std::move(is_right)});
}

}  // namespace tomograph::bench
