#ifndef TOMOGRAPH_BENCH_PAPERS_PAPER_HPP
#define TOMOGRAPH_BENCH_PAPERS_PAPER_HPP

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tomograph::bench {

using Json = nlohmann::json;

/// How a paper's value follows from facts.
struct Recovery {
  std::vector<std::string> keys;                       ///< keys of the facts
  std::function<Json(const std::vector<Json>&)> from;  ///< the paper's value from theirs, in that order
  bool is_inferred = false;                            ///< a calculation on facts, rather than a fact itself
  bool is_absence = false;                             ///< the value is "none", shown by the absence of the first key
  std::string condition = {};                          ///< the values are this condition of the facts instead
};

/// The fact itself, as a multiple of `unit`.
[[nodiscard]] Recovery fact(const std::string& key);
[[nodiscard]] Recovery fact(const std::string& key, double unit);
/// The sum of facts, minus another one.
[[nodiscard]] Recovery sum(const std::vector<std::string>& keys);
[[nodiscard]] Recovery difference(std::vector<std::string> keys, const std::string& less);
/// The first fact over the second.
[[nodiscard]] Recovery ratio(const std::string& of, const std::string& to);
[[nodiscard]] Recovery product(const std::vector<std::string>& keys, double unit);
/// The value of the fact's array at `place`.
[[nodiscard]] Recovery element(const std::string& key, std::size_t place);
/// How many values the fact's array has.
[[nodiscard]] Recovery count(const std::string& key);
/// The values of the fact's array, the largest first.
[[nodiscard]] Recovery descending(const std::string& key);
/// Whether the fact is at least `bound`.
[[nodiscard]] Recovery at_least(const std::string& key, double bound);
/// Whether the fact is `word`.
[[nodiscard]] Recovery is(const std::string& key, const std::string& word);
/// The condition `name` of the fact.
[[nodiscard]] Recovery condition(const std::string& key, const std::string& name);
/// The first values of a list that is repeated, as many as `count`.
[[nodiscard]] Recovery repeated(Recovery list, std::size_t count);
/// No fact corresponds to it.
[[nodiscard]] inline Recovery nothing() { return {}; }
/// Number of fetches that fill one set of the cache.
[[nodiscard]] Recovery sectors_of_a_set(const std::string& cache);
/// Entries of the second TLB that miss in walks over 1, 2, ... pages more than it has entries, by the method of Mei &
/// Chu 2017: the pages that miss less the pages too many. A number that repeats, since a further page falls into a set
/// that has overflowed before, is listed once: that depends on the page at which the array begins.
[[nodiscard]] Recovery missed_entries();
/// The GPU has no such thing.
[[nodiscard]] Recovery absence(const std::string& key);

/// Tolerated distance from the paper's number.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};
inline constexpr Tolerance exactly{};
inline constexpr Tolerance latency{0.02, 0};
inline constexpr Tolerance rate{0.05, 0};

/// One value of a paper.
struct Row {
  std::string where;  ///< table, figure or section; rows of one place follow each other
  std::string what;
  std::string gpu;  ///< the simulated GPU that stands for the paper's
  Json value;
  std::string unit;
  Recovery recovery;
  Tolerance tolerance;
  /// Why it cannot be measured. If set, it must not be recovered.
  std::string hidden = {};
  /// The published method that must recover it; empty: the default probes.
  std::string method = {};
  /// Why the paper and the measurement disagree. If set, they must.
  std::string disputed = {};
};

struct Paper {
  std::string page;  ///< file in this folder, without ending
  std::string title;
  std::string preface;
  std::vector<Row> rows;
};

}  // namespace tomograph::bench

#endif
