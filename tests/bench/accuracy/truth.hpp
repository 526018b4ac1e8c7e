#ifndef TOMOGRAPH_BENCH_ACCURACY_TRUTH_HPP
#define TOMOGRAPH_BENCH_ACCURACY_TRUTH_HPP

#include <functional>
#include <string>
#include <vector>

#include "random_gpu.hpp"
#include "tomograph/fact.hpp"

namespace tomograph::bench {

/// What is true of one discrete fact of the varied cache.
struct Expected {
  std::string key;
  bool observable = true;  ///< whether measuring could in principle tell
  Json value;              ///< for people to read
  std::function<bool(const Json&)> is_right;
};

[[nodiscard]] std::vector<Expected> expected_facts(const Case& drawn);

}  // namespace tomograph::bench

#endif
