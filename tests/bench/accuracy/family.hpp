#ifndef TOMOGRAPH_BENCH_ACCURACY_FAMILY_HPP
#define TOMOGRAPH_BENCH_ACCURACY_FAMILY_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/gpu/description.hpp"
#include "tomograph/session/fact.hpp"

namespace tomograph::bench {

/// What is true of one fact.
struct Expected {
  std::string key;
  bool observable = true;  ///< whether measuring could in principle tell; if not and published all the same, judged
  Json value;              ///< for people to read
  std::function<bool(const Json&)> is_right;  ///< whether a published value counts as right
};

/// Builds the expectations of keys with one prefix.
class ExpectedFacts {
 public:
  explicit ExpectedFacts(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Right is what equals `value`.
  void exact(const std::string& name, Json value, bool observable = true);
  /// Right is what differs from `value` by at most `tolerance`, in the unit of the fact.
  void within(const std::string& name, double value, double tolerance, bool observable = true);
  /// Right is what `is_right` says is.
  void judged(const std::string& name, Json value, bool observable, std::function<bool(const Json&)> is_right);

  [[nodiscard]] std::vector<Expected> take() { return std::move(facts_); }

 private:
  std::string prefix_;
  std::vector<Expected> facts_;
};

/// A random GPU with what is true of it.
struct Case {
  std::uint64_t number = 0;  ///< seeds everything about it
  std::string kind;          ///< the row of the table of kinds that it counts in
  sim::Gpu gpu;
  std::string geometry;  ///< in one line
  /// Those probes run that provide the keys expected here, and those that provide what these need.
  std::vector<Expected> expected;
  /// Facts that are known beforehand, as records of which only "value" is needed. Nothing runs to find them.
  std::map<std::string, Json> given = {};
};

/// Random GPUs of one sort, and the plugins that measure them.
struct Family {
  std::string name;
  std::vector<std::string> plugins;    ///< names of the libraries whose probes may run
  std::uint64_t smoke_cases = 4;       ///< how many a quick look takes
  Case (*draw)(std::uint64_t number);  ///< the same case for the same number, always
};

/// All families, by name. Each is a function `Family NAME()` in families/NAME.cpp, which nothing else has to mention.
[[nodiscard]] std::vector<Family> families();
/// Those of these names; all if there are none.
[[nodiscard]] std::vector<Family> families_named(std::span<const std::string> names);
[[nodiscard]] std::vector<std::string> family_names();

}  // namespace tomograph::bench

#endif
