#include "running/link_turn.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "running/workers.hpp"
#include "temporary_folder.hpp"

using namespace tomograph::host;

namespace {

void expect_no_wait() { FAIL("it waits"); }

/// A process that has the turn until it is killed.
pid_t start_owner(const std::filesystem::path& file) {
  std::array<int, 2> has_turn{};
  REQUIRE(::pipe(has_turn.data()) == 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no test that fails leaves it behind
    const Descriptor turn = take_link_turn(file, -1, [] {});
    ::close(has_turn[1]);
    while (true) ::pause();
  }
  ::close(has_turn[1]);
  char byte = 0;
  CHECK(::read(has_turn[0], &byte, 1) == 0);
  ::close(has_turn[0]);
  return owner;
}

}  // namespace

TEST_CASE("one process at a time measures links, and a killed one has had its turn") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  { const Descriptor turn = take_link_turn(file, -1, expect_no_wait); }
  const pid_t owner = start_owner(file);
  int waits = 0;
  const Descriptor turn = take_link_turn(file, -1, [&] {
    ++waits;
    ::kill(owner, SIGKILL);
  });
  CHECK(waits == 1);
  CHECK(turn.get() >= 0);
  CHECK(::waitpid(owner, nullptr, 0) == owner);
}

TEST_CASE("a user who interrupts a run need not wait for its turn") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  const Descriptor others = take_link_turn(file, -1, expect_no_wait);
  std::array<int, 2> interruption{};
  REQUIRE(::pipe(interruption.data()) == 0);
  ::close(interruption[1]);  // the other end is readable now
  CHECK_THROWS_AS(take_link_turn(file, interruption[0], [] {}), Interrupted);
  ::close(interruption[0]);
}

TEST_CASE("what lies in place of the lock is not used, and named") {
  using Catch::Matchers::ContainsSubstring;
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  std::ofstream(folder.path() / "precious") << "text";
  std::filesystem::create_symlink(folder.path() / "precious", file);
  CHECK_THROWS_WITH(take_link_turn(file, -1, [] {}), ContainsSubstring("links.lock"));
  CHECK_THROWS_WITH(take_link_turn(folder.path() / "no" / "folder", -1, [] {}), ContainsSubstring("no/folder"));
}
