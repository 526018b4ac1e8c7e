#ifndef TOMOGRAPH_BENCH_ACCURACY_FAMILY_HPP
#define TOMOGRAPH_BENCH_ACCURACY_FAMILY_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/gpu/description.hpp"
#include "tomograph/fact.hpp"

namespace tomograph::bench {

using Json = nlohmann::json;

/// The truth about one fact.
struct Expected {
  std::string key;
  bool observable = true;  ///< whether measurement can determine it; if not, a published value still counts
  Json value;              ///< for printing
  std::function<bool(const Json&)> is_right;  ///< whether a published value is right
};

/// Builds the expectations of keys with one prefix.
class ExpectedFacts {
 public:
  explicit ExpectedFacts(std::string prefix) : prefix_(std::move(prefix)) {}

  /// A value is right if it equals `value`.
  void exact(const std::string& name, Json value, bool observable = true);
  /// A value is right if it differs from `value` by at most `tolerance`, in the unit of the fact.
  void within(const std::string& name, double value, double tolerance, bool observable = true);
  /// A value is right if `is_right` says so.
  void judged(const std::string& name, Json value, bool observable, std::function<bool(const Json&)> is_right);

  [[nodiscard]] std::vector<Expected> take() { return std::move(facts_); }

 private:
  std::string prefix_;
  std::vector<Expected> facts_;
};

/// A random GPU and the truth about it.
struct Case {
  std::uint64_t number = 0;  ///< seed of the whole case
  std::string kind;          ///< row of the table of kinds
  sim::Gpu gpu;
  std::string geometry;  ///< in one line
  /// The probes that provide these keys run, and those that provide their needs.
  std::vector<Expected> expected;
  /// Facts that are not measured, as records that need only "value"; null for what the GPU does not have.
  std::map<std::string, Json> given = {};
  /// The published method whose probes replace the usual ones; none if empty.
  std::string method = {};
};

/// A kind of random GPUs, and the plugins that measure them.
struct Family {
  std::string name;
  std::vector<std::string> plugins;    ///< names of the libraries whose probes may run
  std::uint64_t smoke_cases = 4;       ///< number of cases of a smoke test
  Case (*draw)(std::uint64_t number);  ///< deterministic: the same number gives the same case
};

/// All families, by name. Each file families/NAME.cpp defines `Family NAME_family::make()`; CMake finds it.
[[nodiscard]] std::vector<Family> families();
/// The families of these names; all if `names` is empty.
[[nodiscard]] std::vector<Family> families_named(std::span<const std::string> names);
[[nodiscard]] std::vector<std::string> family_names();

}  // namespace tomograph::bench

#endif
