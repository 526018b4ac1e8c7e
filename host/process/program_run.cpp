#include "process/program_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace tomograph::host {
namespace {

constexpr int cannot_run = 127;  // as shells have it
/// Of a program whose exit code is lost. It may have failed.
constexpr int unknown_ending = 1;

/// A pipe whose reading end, the first, does not block. Neither is inherited by a program.
std::pair<Descriptor, Descriptor> pipe_of_program() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot create a pipe for a program's output");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Becomes the program, in the new process. Calls only what is safe after a fork. The signals are received as in a
/// program that a shell starts.
[[noreturn]] void become(char* const* arguments, int output, int errors, pid_t watcher) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  if (::getppid() == watcher) ::execv(arguments[0], arguments);
  ::_exit(cannot_run);
}

pid_t start(const std::filesystem::path& program, std::vector<std::string> arguments, int output, int errors) {
  arguments.insert(arguments.begin(), program.string());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t watcher = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (pid == 0) become(pointers.data(), output, errors, watcher);
  return pid;
}

}  // namespace

ProgramRun::ProgramRun(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                       WorkerOutput::TakeLine take_line)
    : ProgramRun(program, arguments, std::move(take_line), pipe_of_program(), pipe_of_program()) {}

ProgramRun::ProgramRun(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                       WorkerOutput::TakeLine take_line, Ends output, Ends errors)
    : output_(std::move(output.first)),
      errors_(std::move(errors.first), std::move(take_line)),
      pid_(start(program, arguments, output.second.get(), errors.second.get())) {}

ProgramRun::~ProgramRun() {
  signal(SIGTERM);
  wait();
}

void ProgramRun::read_output() {
  std::array<char, 65536> block{};
  const ssize_t size = ::read(output_.get(), block.data(), block.size());
  if (size > 0) text_.append(block.data(), static_cast<std::size_t>(size));
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) output_.reset();
}

void ProgramRun::read_errors() {
  errors_.read();
  if (errors() < 0) errors_.flush();
}

void ProgramRun::signal(int number) const {
  if (exit_code_ < 0) ::kill(pid_, number);
}

int ProgramRun::wait() {
  if (exit_code_ >= 0) return exit_code_;
  int status = 0;
  pid_t ended = -1;
  do {
    ended = ::waitpid(pid_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  exit_code_ = ended < 0 ? unknown_ending : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

bool read_what_comes(const std::vector<ProgramRun*>& programs, int interruption, int milliseconds) {
  std::vector<pollfd> watched{{interruption, POLLIN, 0}};
  for (const ProgramRun* program : programs) {
    watched.push_back({program->output(), POLLIN, 0});
    watched.push_back({program->errors(), POLLIN, 0});
  }
  if (::poll(watched.data(), watched.size(), milliseconds) <= 0) return false;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (watched[2 * i + 1].revents != 0) programs[i]->read_output();
    if (watched[2 * i + 2].revents != 0) programs[i]->read_errors();
  }
  return watched[0].revents != 0;
}

}  // namespace tomograph::host
