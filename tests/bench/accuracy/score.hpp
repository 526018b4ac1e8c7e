#ifndef TOMOGRAPH_BENCH_ACCURACY_SCORE_HPP
#define TOMOGRAPH_BENCH_ACCURACY_SCORE_HPP

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "claim.hpp"
#include "family.hpp"
#include "measurement.hpp"

namespace tomograph::bench {

/// A fact counts as certain from this confidence on.
inline constexpr double certain = 0.99;

struct Tally {
  std::size_t observable = 0;
  std::size_t published = 0;  ///< observable facts that were published
  std::size_t claimed = 0;    ///< published as certain, observable or not
  std::size_t right = 0;      ///< certain facts that are right
  std::size_t unsure = 0;     ///< published with less confidence
  std::size_t unsure_right = 0;

  Tally& operator+=(const Tally& other);
  [[nodiscard]] double share_published() const;
  [[nodiscard]] double share_right() const;
};

/// A fact that is wrong, or missing although observable.
struct Flaw {
  std::uint64_t number = 0;  ///< of the case
  std::string geometry;
  std::string key;
  std::string text;
  bool certain_and_wrong = false;
};

using calibration::Claim;

/// Results of the probes on the cases of one family.
class Score {
 public:
  explicit Score(std::string family) : family_(std::move(family)) {}

  void add(const Case& drawn, const Measurement& measured);

  [[nodiscard]] const std::string& family() const { return family_; }
  [[nodiscard]] std::size_t cases() const { return cases_; }
  [[nodiscard]] Tally total() const;
  [[nodiscard]] const std::vector<Claim>& claims() const { return claims_; }
  [[nodiscard]] const std::vector<Flaw>& flaws() const { return flaws_; }
  void print_table() const;
  void print_flaws() const;

 private:
  void judge(const Case& drawn, const Expected& expected, const Measurement& measured);

  std::string family_;
  std::map<std::string, Tally> by_fact_;
  std::map<std::string, Tally> by_kind_;
  std::map<std::string, double> slowest_;
  std::vector<Flaw> flaws_;
  std::vector<Claim> claims_;
  std::size_t cases_ = 0;
};

/// Whether 99 % of the certain facts are right and 95 % of the observable facts were published.
[[nodiscard]] bool meets_demands(const Tally& tally);

/// The two figures of each family and of all together.
void print_summary(std::span<const Score> scores);
/// The sum over families.
[[nodiscard]] Tally total(std::span<const Score> scores);

}  // namespace tomograph::bench

#endif
