#include "process/warden.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "process/channel.hpp"

namespace tomograph::host {
namespace {

/// The parent in the text of /proc/PID/stat, "PID (NAME) STATE PARENT ...". The name may contain any character.
std::string parent_in(const std::string& stat) {
  const std::size_t end_of_name = stat.rfind(") ");
  if (end_of_name == std::string::npos) return {};
  const std::size_t parent = end_of_name + 4;
  return stat.substr(std::min(parent, stat.size()), stat.find(' ', parent) - parent);
}

std::vector<pid_t> children() {
  const std::string own = std::to_string(::getpid());
  std::vector<pid_t> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
    std::string stat;
    std::getline(std::ifstream(entry.path() / "stat"), stat);
    if (parent_in(stat) == own) found.push_back(pid);
  }
  return found;
}

/// Kills all descendants. Orphans become children of the nearest subreaper, so in the end every descendant is a child
/// of this process.
void end_descendants() {
  while (true) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) return;
    if (ended > 0) continue;
    for (const pid_t child : children()) ::kill(child, SIGKILL);
    ::waitpid(-1, nullptr, 0);
  }
}

/// Waits for `child` and returns its wait status. SIGTERM kills the child.
int wait_for(pid_t child, const sigset_t& watched) {
  while (true) {
    if (::sigwaitinfo(&watched, nullptr) == SIGTERM) ::kill(child, SIGKILL);
    int status = 0;
    for (pid_t ended = 1; ended > 0;) {
      ended = ::waitpid(-1, &status, WNOHANG);
      if (ended == child) return status;
    }
  }
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    ::prctl(PR_SET_DUMPABLE, 0);  // the child has dumped its core if anybody wants one
    ::signal(WTERMSIG(status), SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::raise(WTERMSIG(status));
  }
  std::_Exit(WEXITSTATUS(status));
}

void become_ward(pid_t warden, const sigset_t& signals) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != warden) std::_Exit(EXIT_FAILURE);  // the warden died before the call
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);                   // ProcessState then sees daemons as children, too
  ::setpgid(0, 0);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
}

}  // namespace

void leave_a_warden() {
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t watched;
  sigset_t before;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &watched, &before);
  const pid_t warden = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) std::_Exit(EXIT_FAILURE);
  if (child == 0) return become_ward(warden, before);
  ::close_range(STDIN_FILENO, worker_connection, 0);  // the connection ends with the child
  const int status = wait_for(child, watched);
  end_descendants();
  end_as(status);
}

}  // namespace tomograph::host
