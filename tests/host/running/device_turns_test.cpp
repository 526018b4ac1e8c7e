#include "running/device_turns.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "catch.hpp"

using tomograph::host::DeviceTurns;

TEST_CASE("a probe has a real device until it ends, and then the one that began next") {
  DeviceTurns turns;
  turns.wait_in_line("first");
  turns.wait_in_line("second");
  std::atomic<bool> is_over = false;
  std::atomic<bool> came_too_early = false;
  std::jthread second([&] {
    turns.await("second");
    came_too_early = !is_over;
  });
  for (int batch = 0; batch < 3; ++batch) {
    turns.await("first");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  is_over = true;
  turns.leave("first");
  second.join();
  CHECK_FALSE(came_too_early);
  turns.leave("second");
  turns.await("a probe that was not in line");
}
