#ifndef TOMOGRAPH_L2_SLICES_LATENCY_TABLE_HPP
#define TOMOGRAPH_L2_SLICES_LATENCY_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tomograph::l2_slices {

/// Latencies of lines from SMs.
class LatencyTable {
 public:
  /// `cycles` by SM, then by line. `noise` is the standard deviation of a latency by SM, before it was rounded.
  LatencyTable(std::span<const std::uint32_t> cycles, std::span<const double> noise);

  [[nodiscard]] std::size_t lines() const { return lines_; }
  [[nodiscard]] std::size_t sms() const { return noise_.size(); }
  /// Latencies of a line, by SM.
  [[nodiscard]] std::span<const float> operator[](std::size_t line) const {
    return std::span(cycles_).subspan(line * sms(), sms());
  }
  /// Replaces the latencies of a line by those of line `from` of `other`, from the same SMs.
  void replace(std::size_t line, const LatencyTable& other, std::size_t from);
  /// Standard deviation of a rounded latency, by SM: rounding adds the variance of a uniform distribution.
  [[nodiscard]] const std::vector<double>& noise() const { return noise_; }

 private:
  std::size_t lines_;
  std::vector<double> noise_;
  std::vector<float> cycles_;  ///< by line, then by SM
};

}  // namespace tomograph::l2_slices

#endif
