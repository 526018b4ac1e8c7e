#include "tomograph/documents/atomic_file.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

namespace fs = std::filesystem;

/// Exit code of `body` run in a process of its own.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

constexpr int refused_and_intact = 0;
constexpr int accepted = 1;
constexpr int old_file_lost = 2;
constexpr int litter = 3;
constexpr int not_possible_here = 77;

/// Writes far too much over `folder`/topology.toml and looks at what that leaves.
int overwrite_with_too_much(const fs::path& folder) {
  const fs::path file = folder / "topology.toml";
  try {
    write_atomically(file, std::string(1 << 20, 'x'));
    return accepted;
  } catch (const std::runtime_error&) {
    if (content_of(file) != "old") return old_file_lost;
    return files_in(folder) == 1 ? refused_and_intact : litter;
  }
}

bool is_root() { return ::geteuid() == 0; }

}  // namespace

TEST_CASE("a file is replaced whole, keeps its permissions, and nothing is left beside it") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("topology.toml", "old");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_atomically(file, "new");
  CHECK(content_of(file) == "new");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("what a killed process left is removed by the next that writes into the folder, also under its own number") {
  const TemporaryFolder folder;
  const fs::path target = folder / "run.rec";
  const pid_t killed = ::fork();
  if (killed == 0) {
    const AtomicFile half(target);
    ::raise(SIGKILL);
  }
  ::waitpid(killed, nullptr, 0);
  const fs::path left = folder / (".run.rec." + std::to_string(killed) + ".partial");
  REQUIRE(fs::exists(left));
  folder.write(".topology.toml." + std::to_string(::getpid()) + ".partial", "of an earlier process with our number");
  write_atomically(folder / "topology.toml", "new");
  CHECK_FALSE(fs::exists(left));
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("files of processes that live, and files with other names, stay") {
  const TemporaryFolder folder;
  const AtomicFile ours(folder / "run.rec");
  folder.write(".run.rec." + std::to_string(::getppid()) + ".partial", "of a process that lives");
  folder.write(".run.rec.x1.partial", "");
  folder.write("run.rec.999999999.partial", "");
  write_atomically(folder / "topology.toml", "new");
  CHECK(files_in(folder.path()) == 5);
}

TEST_CASE("a full disk leaves the old file intact") {
  const TemporaryFolder folder;
  const int result = in_child([&] {
    if (::unshare(CLONE_NEWNS | (is_root() ? 0 : CLONE_NEWUSER)) != 0) return not_possible_here;
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) return not_possible_here;
    folder.write("topology.toml", "old");
    return overwrite_with_too_much(folder.path());
  });
  if (result == not_possible_here) skip_here("this process may not mount a small file system");
  CHECK(result == refused_and_intact);
}

TEST_CASE("a write that stops half-way leaves the old file intact") {
  const TemporaryFolder folder;
  folder.write("topology.toml", "old");
  const int result = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{65536, 65536};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return overwrite_with_too_much(folder.path());
  });
  CHECK(result == refused_and_intact);
}

TEST_CASE("a device without space is named with the reason") {
  CHECK_THROWS_WITH(write_atomically("/dev/full", "x"), "/dev/full: cannot be written: No space left on device");
}

TEST_CASE("a device is written to, never replaced") {
  write_atomically("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a link stays a link") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("real.toml", "old");
  fs::create_symlink(file, folder / "topology.toml");
  write_atomically(folder / "topology.toml", "new");
  CHECK(fs::is_symlink(folder / "topology.toml"));
  CHECK(content_of(file) == "new");
}

TEST_CASE("a link to a file that is not there yet stays a link, and the file is written") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "results");
  fs::create_symlink("results/today.toml", folder / "topology.toml");
  CHECK(writing_obstacle(folder / "topology.toml") == std::nullopt);
  write_atomically(folder / "topology.toml", "new");
  CHECK(fs::is_symlink(folder / "topology.toml"));
  CHECK(content_of(folder / "results" / "today.toml") == "new");
  fs::create_symlink("none/today.toml", folder / "nowhere.toml");
  CHECK_THAT(writing_obstacle(folder / "nowhere.toml").value_or(""), ContainsSubstring("No such file or directory"));
}

TEST_CASE("links in a circle and a name that is too long are refused before anything runs") {
  const TemporaryFolder folder;
  const fs::path circle = folder / "circle.toml";
  fs::create_symlink("circle.toml", circle);
  CHECK_THAT(writing_obstacle(circle).value_or(""), ContainsSubstring("Too many levels of symbolic links"));
  CHECK_THROWS_AS(write_atomically(circle, "new"), FileError);
  CHECK(fs::is_symlink(circle));
  // The file that is written first, beside the target, has a longer name.
  for (const std::size_t letters : {250U, 300U}) {
    CHECK_THAT(writing_obstacle(folder / std::string(letters, 'a')).value_or(""),
               ContainsSubstring("File name too long"));
  }
}

TEST_CASE("a read-only folder is refused before anything runs, and its old file stays") {
  const TemporaryFolder folder;
  const int result = in_child([&] {
    if (is_root()) {  // whom permissions do not hold back, but a read-only file system does
      if (::unshare(CLONE_NEWNS) != 0) return not_possible_here;
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
      if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) return not_possible_here;
      folder.write("topology.toml", "old");
      ::mount(nullptr, folder.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr);
    } else {
      folder.write("topology.toml", "old");
      fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    }
    return writing_obstacle(folder / "new.toml") ? overwrite_with_too_much(folder.path()) : accepted;
  });
  fs::permissions(folder.path(), fs::perms::owner_all);
  if (result == not_possible_here) skip_here("this process may not mount a read-only file system");
  CHECK(result == refused_and_intact);
}

TEST_CASE("an output path that cannot be is refused with the reason, and one that can be is left untouched") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("topology.toml", "old");
  CHECK_THAT(writing_obstacle(folder.path()).value_or(""), ContainsSubstring("this is a folder"));
  CHECK_THAT(writing_obstacle(folder / "none" / "t.toml").value_or(""), ContainsSubstring("No such file or directory"));
  CHECK_THAT(writing_obstacle(file / "t.toml").value_or(""), ContainsSubstring("is not a folder"));
  CHECK(writing_obstacle(file) == std::nullopt);
  CHECK(writing_obstacle(folder / "new.toml") == std::nullopt);
  CHECK(content_of(file) == "old");
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a file that is written in parts takes its place at the end, and leaves nothing without one") {
  const TemporaryFolder folder;
  const fs::path file = folder.write("run.rec", "old");
  {
    AtomicFile abandoned(file);
    abandoned.write("new");
  }
  CHECK(content_of(file) == "old");
  CHECK(files_in(folder.path()) == 1);
  AtomicFile written(file);
  written.write("..content");
  written.rewind();
  written.write("ok");
  CHECK(content_of(file) == "old");
  written.commit();
  CHECK(content_of(file) == "okcontent");
}
