#include "running/device_turns.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "catch.hpp"

using tomograph::host::DeviceTurns;

TEST_CASE("a probe has a real device until it ends, and then the one that began next") {
  DeviceTurns turns;
  turns.wait_in_line("first", false);
  turns.wait_in_line("second", true);
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

TEST_CASE("probes that share a real device have it together, and others wait for all of them") {
  DeviceTurns turns;
  turns.wait_in_line("first", true);
  turns.wait_in_line("second", true);
  turns.wait_in_line("third", false);
  turns.wait_in_line("fourth", true);
  turns.await("second");
  turns.await("first");
  std::atomic<int> ended = 0;
  std::atomic<int> seen_by_third = 0;
  std::atomic<int> seen_by_fourth = 0;
  std::jthread third([&] {
    turns.await("third");
    seen_by_third = ended++;
    turns.leave("third");
  });
  std::jthread fourth([&] {
    turns.await("fourth");
    seen_by_fourth = ended++;
  });
  for (const char* probe : {"first", "second"}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ++ended;
    turns.leave(probe);
  }
  third.join();
  fourth.join();
  CHECK(seen_by_third == 2);
  CHECK(seen_by_fourth == 3);
}
