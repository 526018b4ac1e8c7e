#ifndef TOMOGRAPH_HOST_FLEET_FINGERPRINT_HPP
#define TOMOGRAPH_HOST_FLEET_FINGERPRINT_HPP

#include <optional>
#include <string_view>
#include <vector>

/// What tells boards of one kind apart. Pure functions.
namespace tomograph::host {

/// The fact from which a fingerprint is taken: latency of L2 by SM. It depends on which SMs and slices of L2 the
/// factory left in use, so two boards with the same ones have the same fingerprint.
inline constexpr std::string_view fingerprint_key = "l2.latency_by_sm";
inline constexpr std::string_view fingerprint_intervals = "intervals";  ///< the condition of it with an interval by SM

struct Fingerprint {
  std::vector<double> cycles;  ///< by SM
  double error = 0;            ///< standard error of each, the greatest of all SMs
};

/// From the TOML texts of the fact's value and of its intervals, which reach at least three standard errors to each
/// side (cache::HitAndMiss::intervals_by_sm). Nothing if these are no lists of numbers of fitting lengths.
[[nodiscard]] std::optional<Fingerprint> fingerprint_of(std::string_view cycles, std::string_view intervals);

/// Whether two fingerprints may be of one board: no SM's latency differs by more than the errors explain, after the
/// median difference, which other clocks make, is taken away. Two of one board fail with a probability of at most
/// `false_alarm_rate`: each SM is tested at this rate divided by their number (Bonferroni), so that the errors of SMs
/// may depend on each other, which those that load the same lines do.
[[nodiscard]] bool may_be_one_board(const Fingerprint& a, const Fingerprint& b, double false_alarm_rate);

/// Standard deviations that a normal value exceeds to either side with this probability.
[[nodiscard]] double normal_distance(double probability);

}  // namespace tomograph::host

#endif
