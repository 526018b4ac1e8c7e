#ifndef TOMOGRAPH_SHARED_MEMORY_ANALYSIS_BANK_PATTERN_HPP
#define TOMOGRAPH_SHARED_MEMORY_ANALYSIS_BANK_PATTERN_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// How addresses map to the banks of shared memory, from which of them conflict. Pure functions. Unit: bytes.
namespace tomograph::shared_memory {

/// Byte a lies in bank (a / interleave) mod count, in row a / (count * width). Words of one row of one bank are served
/// together; each further row of the same bank takes another pass (Mei & Chu 2017, section 6.2 and Figs. 17-19, where
/// interleave is the bank mode and width that of the bank: 4 and 8 B on Kepler in its 4-byte mode, equal elsewhere).
struct BankPattern {
  std::int64_t count = 0;
  std::int64_t width = 0;
  std::int64_t interleave = 0;

  bool operator==(const BankPattern&) const = default;
};

/// The pattern by which accesses at 0 and at distance (i + 1) * unit conflict or do not, as `conflicts[i]` says.
/// Runs of conflicting distances are as long as the interleave, they are count * interleave apart, and the first one
/// begins at a bank's next row (count * width).
/// Nothing if fewer than two runs begin, or if a single distance contradicts the pattern. @throws std::invalid_argument
/// unless unit is positive.
[[nodiscard]] std::optional<BankPattern> bank_pattern(const std::vector<bool>& conflicts, std::int64_t unit);

/// Passes that one access takes in which lanes touch `bytes` at each of `offsets`. `together` lanes, in their order,
/// are served together and take as many passes as the bank with the most rows among them; the next ones follow.
/// @throws std::invalid_argument unless together, bytes and the pattern are positive.
[[nodiscard]] std::int64_t bank_passes(const BankPattern& pattern, std::int64_t together, std::int64_t bytes,
                                       std::span<const std::int64_t> offsets);

/// The threshold between two clusters: the middle of the widest gap between neighbouring values, if it is at least
/// `least` wide and four times as wide as the spread of the values on either side. Hundreds of normal values do not
/// satisfy that: an outlier would have to lie 24 standard deviations away.
[[nodiscard]] std::optional<double> cluster_threshold(std::span<const double> values, double least);

/// Whether times follow the passes predicted for them: those with more passes all take longer than those with fewer.
/// @throws std::invalid_argument if there is not one prediction for each time.
[[nodiscard]] bool follow_passes(std::span<const double> times, std::span<const std::int64_t> passes);

}  // namespace tomograph::shared_memory

#endif
