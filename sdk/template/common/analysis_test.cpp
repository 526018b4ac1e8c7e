// Tests the analysis on curves with known answers. No device is needed.
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

bool is_interval(const tomograph::Fact& fact, double low, double high) {
  return fact.interval && fact.interval->low == low && fact.interval->high == high;
}

void rare_long_delays_do_not_change_the_latency() {
  std::vector<double> cycles(99, 210);
  cycles.back() = 4000;
  const auto fact = latency_fact("key", cycles, "loads");
  check(fact.value == 210.0, "the latency is the median");
  check(is_interval(fact, 210, 210), "its interval leaves outliers out");
  check(fact.confidence >= 0.99, "its confidence is the coverage of the interval");
}

void few_samples_are_little_evidence() {
  const auto fact = latency_fact("key", std::vector<double>{200, 220}, "loads");
  check(is_interval(fact, 200, 220), "the interval of two samples encloses both");
  check(fact.confidence == 0.5, "two samples enclose the median in half of all cases");
}

void an_empty_sample_is_refused() {
  try {
    static_cast<void>(latency_fact("key", {}, "loads"));
    check(false, "an empty sample is refused");
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

int main() {
  rare_long_delays_do_not_change_the_latency();
  few_samples_are_little_evidence();
  an_empty_sample_is_refused();
  return failures == 0 ? 0 : 1;
}
