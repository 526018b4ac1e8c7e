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
  std::vector<std::string> keys;                       ///< of the facts that it takes
  std::function<Json(const std::vector<Json>&)> from;  ///< from their values, in that order
  bool is_absence = false;  ///< the value is "none", and what shows it is that the first key is absent
};

/// The fact itself, as a multiple of `unit`.
[[nodiscard]] Recovery fact(const std::string& key);
[[nodiscard]] Recovery fact(const std::string& key, double unit);
/// Facts added up, less another one.
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
/// No fact says anything like it.
[[nodiscard]] inline Recovery nothing() { return {}; }
/// How many pieces as large as a miss brings make one set of the cache.
[[nodiscard]] Recovery sectors_of_a_set(const std::string& cache);
/// Of walks over ever more pages than a TLB level has entries, as many as it has sets, the entries that they miss:
/// those of the sets that overflow, the largest set first, under LRU all of them.
[[nodiscard]] Recovery missed_entries(const std::string& level);
/// That the GPU has no such thing.
[[nodiscard]] Recovery absence(const std::string& key);

/// How far a number may be from the paper's.
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
  std::string gpu;  ///< the simulated GPU that the paper's one is
  Json value;
  std::string unit;
  Recovery recovery;
  Tolerance tolerance;
  /// Why nobody could see it. Then it must not be recovered.
  std::string hidden = {};
  /// The published method by which it is to be recovered; empty: the usual probes.
  std::string method = {};
};

struct Paper {
  std::string page;  ///< file in this folder, without ending
  std::string title;
  std::string preface;
  std::vector<Row> rows;
};

}  // namespace tomograph::bench

#endif
