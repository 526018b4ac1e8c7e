#ifndef TOMOGRAPH_TESTS_WAIT_UNTIL_HPP
#define TOMOGRAPH_TESTS_WAIT_UNTIL_HPP

#include <chrono>
#include <thread>

/// Seconds after which a test gives up on something that it waits for. Only a test that fails gets there: on the
/// busiest machine everything that tests wait for comes much sooner.
inline constexpr double patience = 600;

/// Waits until `condition()` holds. Returns false if it does not within `patience`.
template <typename Condition>
[[nodiscard]] bool wait_until(Condition condition) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(static_cast<int>(patience));
  while (!condition()) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

#endif
