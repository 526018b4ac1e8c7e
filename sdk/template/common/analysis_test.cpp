// The analysis on curves whose answer is known, without a device.
#include "analysis.hpp"

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char* promise) {
  if (holds) return;
  std::printf("broken: %s\n", promise);
  ++failures;
}

void rare_long_waits_do_not_move_the_latency() {
  std::vector<double> cycles(99, 210);
  cycles.back() = 4000;
  const Latency latency = typical(cycles);
  check(latency.cycles == 210, "the latency is the median");
  check(latency.interval.low == 210 && latency.interval.high == 210, "its interval leaves outliers out");
  check(latency.interval.coverage >= 0.99, "its confidence is that of the interval");
}

void few_samples_are_little_evidence() {
  const Latency latency = typical(std::vector<double>{200, 220});
  check(latency.interval.low == 200 && latency.interval.high == 220, "the interval of two samples is all there is");
  check(latency.interval.coverage == 0.5, "two samples enclose the median in half of all cases");
}

void nothing_measured_is_no_latency() {
  try {
    static_cast<void>(typical({}));
    check(false, "an empty sample is refused");
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

int main() {
  rare_long_waits_do_not_move_the_latency();
  few_samples_are_little_evidence();
  nothing_measured_is_no_latency();
  return failures == 0 ? 0 : 1;
}
