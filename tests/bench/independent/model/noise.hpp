#ifndef TOMOGRAPH_BENCH_INDEPENDENT_NOISE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_NOISE_HPP

#include <cmath>
#include <cstdint>
#include <numbers>

#include "description.hpp"
#include "random.hpp"

namespace independent {

/// What makes latencies vary, and the clock that measures them.
class Noise {
 public:
  Noise(const NoiseDescription& description, std::uint64_t seed) : description_(description), random_(seed) {}

  double first_level() {
    if (description_.first_level > 0) return description_.first_level * random_.normal();
    random_.skip();
    return 0;
  }
  double l2() { return description_.l2 * random_.normal(); }
  [[gnu::always_inline]] double memory(const MemoryDescription& memory, bool other_row) {
    double cycles = memory.deviation * random_.normal();
    cycles += memory.row_extra * static_cast<double>(other_row);  // no branch, which the host could not predict
    if (random_.chance(memory.refresh_share)) cycles += memory.refresh_extra * random_.uniform(0.5, 1.5);
    return cycles;
  }
  /// The factor of latencies beyond the first level at this time.
  [[nodiscard]] double drift() const { return drift_; }

  /// Ends a load of so many cycles: it takes whole cycles, and few loads are late. Returns its cycles.
  double end(double cycles) {
    if (random_.chance(description_.late_share)) cycles += description_.late_extra * random_.uniform(0.3, 2.0);
    // Truncation is the floor of what is not negative, and takes no call.
    cycles = std::max(1.0, static_cast<double>(static_cast<std::int64_t>(cycles + random_.uniform())));
    pass(cycles);
    return cycles;
  }
  /// Lets time pass.
  void pass(double cycles) {
    now_ += cycles;
    if (now_ < next_drift_) return;
    next_drift_ = now_ + 100'000;
    drift_ = 1 + description_.drift * std::sin(2 * std::numbers::pi * now_ / description_.drift_period);
  }
  /// What the clock shows now.
  [[nodiscard]] std::int64_t clock() const {
    const auto step = static_cast<std::int64_t>(description_.clock_step);
    return static_cast<std::int64_t>(now_) / step * step;
  }
  Random& random() { return random_; }

 private:
  NoiseDescription description_;
  Random random_;
  double now_ = 0;
  double next_drift_ = 0;
  double drift_ = 1;
};

}  // namespace independent

#endif
