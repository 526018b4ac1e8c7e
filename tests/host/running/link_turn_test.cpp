#include "running/link_turn.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <thread>

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
    const LinkLocks turn = take_link_turn(file, LinkTurn::links_to_gpus, -1, [] {});
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
  { const LinkLocks turn = take_link_turn(file, LinkTurn::links_to_gpus, -1, expect_no_wait); }
  const pid_t owner = start_owner(file);
  int waits = 0;
  const LinkLocks turn = take_link_turn(file, LinkTurn::links_to_gpus, -1, [&] {
    ++waits;
    ::kill(owner, SIGKILL);
  });
  CHECK(waits == 1);
  CHECK(turn.turn.get() >= 0);
  CHECK(::waitpid(owner, nullptr, 0) == owner);
}

TEST_CASE("probes that use their own GPU alone run side by side, and none beside one that measures links") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  std::optional<LinkLocks> first = take_link_turn(file, LinkTurn::own_gpu, -1, expect_no_wait);
  std::optional<LinkLocks> second = take_link_turn(file, LinkTurn::own_gpu, -1, expect_no_wait);
  std::optional<LinkLocks> links = take_link_turn(file, LinkTurn::links_to_gpus, -1, [&] {
    first.reset();
    second.reset();
  });
  int waits = 0;
  const LinkLocks third = take_link_turn(file, LinkTurn::own_gpu, -1, [&] {
    ++waits;
    links.reset();
  });
  CHECK(waits == 1);
}

TEST_CASE("the link to the host is measured by one process at a time, while others use their own GPUs") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  const LinkLocks own = take_link_turn(file, LinkTurn::own_gpu, -1, expect_no_wait);
  CHECK_FALSE(is_link_to_host_taken(file));
  std::optional<LinkLocks> host = take_link_turn(file, LinkTurn::link_to_host, -1, expect_no_wait);
  CHECK(is_link_to_host_taken(file));
  const LinkLocks beside = take_link_turn(file, LinkTurn::own_gpu, -1, expect_no_wait);
  int waits = 0;
  const LinkLocks second = take_link_turn(file, LinkTurn::link_to_host, -1, [&] {
    ++waits;
    host.reset();
  });
  CHECK(waits == 1);
}

TEST_CASE("who waits for the link to the host keeps nobody from using his own GPU") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  std::optional<LinkLocks> host = take_link_turn(file, LinkTurn::link_to_host, -1, expect_no_wait);
  std::promise<void> has_begun_to_wait;
  std::thread second([&] {
    const LinkLocks turn = take_link_turn(file, LinkTurn::link_to_host, -1, [&] { has_begun_to_wait.set_value(); });
  });
  has_begun_to_wait.get_future().wait();
  const LinkLocks own = take_link_turn(file, LinkTurn::own_gpu, -1, expect_no_wait);
  host.reset();
  second.join();
}

TEST_CASE("who waits to measure links is next, however many probes begin meanwhile") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  std::optional<LinkLocks> running = take_link_turn(file, LinkTurn::own_gpu, -1, expect_no_wait);
  std::atomic<bool> has_links = false;
  std::promise<void> has_begun_to_wait;
  std::thread links([&] {
    const LinkLocks turn = take_link_turn(file, LinkTurn::links_to_gpus, -1, [&] { has_begun_to_wait.set_value(); });
    has_links = true;
  });
  has_begun_to_wait.get_future().wait();
  const LinkLocks later = take_link_turn(file, LinkTurn::own_gpu, -1, [&] { running.reset(); });
  CHECK(has_links);
  links.join();
}

TEST_CASE("a user who interrupts a run need not wait for its turn") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  const LinkLocks others = take_link_turn(file, LinkTurn::links_to_gpus, -1, expect_no_wait);
  std::array<int, 2> interruption{};
  REQUIRE(::pipe(interruption.data()) == 0);
  ::close(interruption[1]);  // the other end is readable now
  CHECK_THROWS_AS(take_link_turn(file, LinkTurn::links_to_gpus, interruption[0], [] {}), Interrupted);
  ::close(interruption[0]);
}

TEST_CASE("what lies in place of the lock is not used, and named") {
  using Catch::Matchers::ContainsSubstring;
  const TemporaryFolder folder;
  const auto file = folder.path() / "links.lock";
  std::ofstream(folder.path() / "precious") << "text";
  std::filesystem::create_symlink(folder.path() / "precious", file);
  CHECK_THROWS_WITH(take_link_turn(file, LinkTurn::links_to_gpus, -1, [] {}), ContainsSubstring("links.lock"));
  CHECK_THROWS_WITH(take_link_turn(folder.path() / "no" / "folder", LinkTurn::links_to_gpus, -1, [] {}),
                    ContainsSubstring("no/folder"));
}
