#ifndef TOMOGRAPH_BENCH_INDEPENDENT_SCORE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_SCORE_HPP

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "claim.hpp"
#include "expected.hpp"

namespace independent {

/// Facts of one group, or all.
struct Tally {
  std::size_t observable = 0;
  std::size_t observed = 0;  ///< observable facts that were published
  std::size_t certain = 0;   ///< published at confidence 0.99 or more
  std::size_t wrong = 0;     ///< of the certain ones
  std::size_t unsure = 0;
  std::size_t unsure_wrong = 0;
};

/// Facts whose claimed confidence lies between two neighbouring limits.
struct Bin {
  std::size_t facts = 0;
  double claimed = 0;  ///< sum of the confidences
  std::size_t held = 0;
};

/// What a family must reach. Much of a strange GPU cannot be told in the words that facts have.
struct Limits {
  double wrong = 0;  ///< share of the certain facts, in each group
  double calibration_error = 1;
  double published = 0;
};
[[nodiscard]] Limits limits_of(const std::string& family);

/// The results on the GPUs of one family.
class Score {
 public:
  explicit Score(std::string family);

  /// Compares the topology of the GPU with this seed with the truth. If the run was asked for facts that match some
  /// patterns only, others are not missing.
  void add(std::uint64_t seed, std::vector<Expected> truth, const Json& topology,
           const std::vector<std::string>& patterns = {});
  /// Counts a GPU without topology.
  void add_failure(std::uint64_t seed, const std::string& reason);

  /// Tables by group and by confidence, as Markdown.
  void print(std::ostream& out) const;
  /// Each fact that is wrong or missing.
  [[nodiscard]] const std::vector<std::string>& flaws() const { return flaws_; }
  /// Each published fact whose truth is known.
  [[nodiscard]] const std::vector<calibration::Claim>& claims() const { return claims_; }
  /// Each probe or GPU that failed.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }
  /// Whether few certain facts are wrong, most of what is observable is published, and nothing failed.
  [[nodiscard]] bool passes() const;
  /// Whether confidences are calibrated as well, which few GPUs do not show.
  [[nodiscard]] bool meets_limits() const;

 private:
  void judge(std::uint64_t seed, const Expected& expected, const Json& topology);
  void print_groups(std::ostream& out) const;
  void print_calibration(std::ostream& out) const;
  [[nodiscard]] Tally total() const;
  [[nodiscard]] double calibration_error() const;

  std::string family_;
  std::map<std::string, Tally> groups_;
  std::vector<Bin> bins_;
  std::vector<std::string> flaws_;
  std::vector<calibration::Claim> claims_;
  std::vector<std::string> failures_;
  std::size_t gpus_ = 0;
};

}  // namespace independent

#endif
