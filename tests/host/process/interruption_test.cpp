#include "process/interruption.hpp"

#include <csignal>

#include "catch.hpp"

using tomograph::host::Interruption;

TEST_CASE("a terminal that closes interrupts a run, unless the caller has it ignored, as nohup does") {
  const auto before = std::signal(SIGHUP, SIG_DFL);
  {
    const Interruption interruption;
    std::raise(SIGHUP);
    CHECK(interruption.requested());
  }
  std::signal(SIGHUP, SIG_IGN);
  {
    const Interruption interruption;
    std::raise(SIGHUP);
    CHECK_FALSE(interruption.requested());
  }
  std::signal(SIGHUP, before);
}
