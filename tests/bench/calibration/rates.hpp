#ifndef TOMOGRAPH_BENCH_CALIBRATION_RATES_HPP
#define TOMOGRAPH_BENCH_CALIBRATION_RATES_HPP

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "claim.hpp"

/// How often claims hold, fitted on one simulator and judged on another.
namespace calibration {

/// What claims of one kind have in common: the quantity, whichever level or pattern it belongs to, the method, and the
/// band of the claimed confidence. An entry of confidence.hpp is one of these or several.
[[nodiscard]] std::string entry_of(const Claim& claim);

struct Tally {
  std::size_t facts = 0;
  std::size_t held = 0;
  double claimed = 0;  ///< sum of the confidences
};

/// The rates of the entries on one simulator.
class Rates {
 public:
  explicit Rates(std::span<const Claim> claims);

  /// The share of an entry's claims that hold, as if two more claims held as often as those of all entries: Laplace's
  /// rule with the simulator's own rate in place of one half (the m-estimate of Cestnik, ECAI 1990, with m = 2). The
  /// rate of all entries for one that was not seen.
  [[nodiscard]] double rate_of(const std::string& entry) const;
  [[nodiscard]] Tally tally_of(const std::string& entry) const;
  [[nodiscard]] const std::map<std::string, Tally>& entries() const { return entries_; }

 private:
  std::map<std::string, Tally> entries_;
  Tally all_;
};

/// The claims with the confidences that the rates give them.
[[nodiscard]] std::vector<Claim> claimed_by(const Rates& rates, std::span<const Claim> claims);

/// What a confidence did on claims.
struct Verdict {
  std::size_t facts = 0;
  double calibration_error = 0;  ///< expected_calibration_error of reliability.hpp
  std::size_t certain = 0;       ///< claimed at 0.99 or more
  std::size_t wrong = 0;         ///< of these; an interval that misses the truth counts if the value is off, too
};
[[nodiscard]] Verdict judged(std::span<const Claim> claims);

/// What an entry should claim: the worst of its rates on simulators that saw it; one must have.
[[nodiscard]] double cautious_rate(const std::string& entry, std::span<const Rates> simulators);

}  // namespace calibration

#endif
