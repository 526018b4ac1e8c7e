#ifndef TOMOGRAPH_BENCH_ACCURACY_SCORE_HPP
#define TOMOGRAPH_BENCH_ACCURACY_SCORE_HPP

#include <map>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "truth.hpp"

namespace tomograph::bench {

/// A fact counts as certain from this confidence on.
inline constexpr double certain = 0.99;

struct Tally {
  std::size_t observable = 0;
  std::size_t published = 0;  ///< of those observable
  std::size_t claimed = 0;    ///< published as certain, observable or not
  std::size_t right = 0;      ///< of those claimed
  std::size_t unsure = 0;     ///< published with less confidence
  std::size_t unsure_right = 0;

  Tally& operator+=(const Tally& other);
  [[nodiscard]] double share_published() const;
  [[nodiscard]] double share_right() const;
};

/// A fact that is wrong, or missing though it could be known.
struct Flaw {
  std::string geometry;
  std::string key;
  std::string text;
  bool certain_and_wrong = false;
};

class Score {
 public:
  void add(const Case& drawn, const Measurement& measured);

  [[nodiscard]] Tally total() const;
  [[nodiscard]] bool meets_demands() const;
  void print_table() const;
  void print_flaws() const;

 private:
  void judge(const Case& drawn, const Expected& expected, const Measurement& measured);

  std::map<std::string, Tally> by_fact_;
  std::map<std::string, Tally> by_kind_;
  std::map<std::string, double> slowest_;
  std::vector<Flaw> flaws_;
  std::size_t cases_ = 0;
};

}  // namespace tomograph::bench

#endif
