#include "family.hpp"

#include <cmath>

namespace tomograph::bench {

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
