#include "process/worker_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#define BOOST_DLL_USE_STD_FS  // else it needs Boost.Filesystem
#include <boost/dll/runtime_symbol_info.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "process/channel.hpp"
#include "process/processor_wait.hpp"

namespace tomograph::host {
namespace {

using namespace std::chrono_literals;

/// How long a process may take to exit once its connection is closed. Closing a device takes about a second, on a busy
/// machine ten times as long.
constexpr auto exit_time = 20s;
/// How long a process that is not wanted any more may take to exit after SIGTERM, before SIGKILL.
constexpr auto time_after_sigterm = 5s;
/// How often the host looks whether the process has ended: first after `shortest_pause`, then less and less often.
constexpr auto shortest_pause = 200us;
constexpr auto longest_pause = 20000us;
/// Of the time that a process waits for a processor, at most so many times its limit counts as waiting. A plugin may
/// have a thread that never gets one.
constexpr int most_waiting = 50;

/// A pipe whose reading end, the first, does not block. Neither is inherited by children.
std::pair<Descriptor, Descriptor> output_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot create a pipe for a worker's output");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// The variables of a worker. Without a word of the user's on the C library, it asks for huge pages: a replay on two
/// slow processors spends a fifth of its time on faults of small ones (tests/bench/run_time), a run on an H200 at most
/// 5 %.
class WorkerEnvironment {
 public:
  WorkerEnvironment() {
    bool is_set = false;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      is_set |= std::string_view(*variable).starts_with("GLIBC_TUNABLES=");
      variables_.push_back(*variable);
    }
    if (!is_set) variables_.push_back(huge_pages_.data());
    variables_.push_back(nullptr);
  }

  [[nodiscard]] char* const* get() const { return variables_.data(); }

 private:
  std::string huge_pages_ = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
  std::vector<char*> variables_;
};

/// How a worker is started: with no input, a pipe for its output, the connection, no blocked signals and its own
/// process group.
class SpawnSettings {
 public:
  SpawnSettings(int connection, int output) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, connection, worker_connection);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  [[nodiscard]] pid_t spawn(const std::filesystem::path& program) const {
    std::string name = program.string();
    std::string verb = "worker";
    std::string host = std::to_string(::getpid());
    std::array<char*, 4> arguments{name.data(), verb.data(), host.data(), nullptr};
    // What the host's own parent left open is no plugin's business. It is closed here and not by the worker, where
    // tools such as compute-sanitizer have opened connections of their own before it begins.
    ::close_range(worker_connection + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    pid_t pid = -1;
    const int error =
        ::posix_spawn(&pid, name.c_str(), &actions_, &attributes_, arguments.data(), WorkerEnvironment().get());
    if (error != 0) throw std::system_error(error, std::generic_category(), "cannot start a worker process");
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  std::string text = "was killed by " + (name != nullptr ? "SIG" + std::string(name) : std::to_string(signal));
  if (signal == SIGKILL) return text + " (out of memory?)";
  return description != nullptr ? text + " (" + description + ")" : text;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::filesystem::path& program, WorkerOutput::TakeLine take_line)
    : WorkerProcess(program, connected_sockets(), output_pipe(), std::move(take_line)) {}

WorkerProcess::WorkerProcess(const std::filesystem::path& program, Ends connection, Ends output,
                             WorkerOutput::TakeLine take_line)
    : channel_(std::move(connection.first)),
      output_(std::move(output.first), std::move(take_line)),
      pid_(SpawnSettings(connection.second.get(), output.second.get()).spawn(program)) {}

WorkerProcess::TimeLimit::TimeLimit(const WorkerProcess& process, double seconds)
    : process_(&process),
      limit_(std::chrono::duration_cast<Channel::Clock::duration>(std::chrono::duration<double>(seconds))),
      waited_before_(waited_for_processor(process.pid_)) {}

Channel::Clock::time_point WorkerProcess::TimeLimit::deadline() const {
  return begun_ + limit_ + std::min(waited_for_processor(process_->pid_) - waited_before_, most_waiting * limit_);
}

Channel::Received WorkerProcess::receive(const TimeLimit& limit, int interruption) {
  while (true) {
    const auto deadline = limit.deadline();
    Channel::Received received =
        channel_.receive(deadline, interruption, {&output_.descriptor(), [this] { output_.read(); }});
    if (received.status != Channel::Status::timed_out || limit.deadline() <= Channel::Clock::now()) return received;
  }
}

WorkerProcess::~WorkerProcess() { kill(); }

bool WorkerProcess::reap(Channel::Clock::time_point deadline) {
  auto pause = shortest_pause;
  while (!reaped_) {
    siginfo_t ended{};
    const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == pid_ || (result < 0 && errno != EINTR)) {
      int status = 0;
      if (::waitpid(pid_, &status, 0) == pid_) wait_status_ = status;
      reaped_ = true;
      output_.flush();
    } else if (Channel::Clock::now() >= deadline) {
      return false;
    } else {
      output_.read();  // a full pipe would keep the process from ending
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, longest_pause);
    }
  }
  return true;
}

void WorkerProcess::kill() {
  if (reaped_) return;
  ::kill(pid_, SIGTERM);
  // A process inside a driver call can survive SIGKILL for a while. Waiting longer has no use.
  if (!reap(Channel::Clock::now() + time_after_sigterm)) ::kill(pid_, SIGKILL);
}

void WorkerProcess::dismiss() {
  release();
  if (!reap(Channel::Clock::now() + exit_time)) kill();
}

std::string WorkerProcess::ending() {
  if (!reap(Channel::Clock::now() + exit_time)) {
    kill();
    return "closed its connection to the host";
  }
  if (!wait_status_) return "ended with an exit code that is lost";
  if (WIFSIGNALED(*wait_status_)) return signal_text(WTERMSIG(*wait_status_));
  return "ended with exit code " + std::to_string(WEXITSTATUS(*wait_status_));
}

std::filesystem::path this_program() { return boost::dll::program_location(); }

}  // namespace tomograph::host
