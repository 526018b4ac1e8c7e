#include "process/process_state.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <charconv>
#include <clocale>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>

#include "process/channel.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

/// Memory that a call may keep. Drivers and sanitizers keep some hundred MiB for the next call.
constexpr std::uint64_t kept_memory = std::uint64_t{512} << 20;

/// The value of a line "name:\tvalue" of /proc/thread-self/status.
std::string status_field(const std::string& name) {
  std::ifstream status("/proc/thread-self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":"))
      return line.substr(std::min(line.find_first_not_of(" \t", name.size() + 1), line.size()));
  }
  return {};
}

std::uint64_t resident_bytes() {
  const std::string text = status_field("RssAnon");
  std::uint64_t kibibytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), kibibytes);
  return kibibytes << 10;
}

std::vector<std::uint64_t> resource_limits() {
  std::vector<std::uint64_t> limits;
  for (const auto resource : {RLIMIT_AS, RLIMIT_CPU, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_STACK}) {
    rlimit limit{};
    ::getrlimit(resource, &limit);
    limits.push_back(limit.rlim_cur);
  }
  return limits;
}

const void* signal_handler(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return reinterpret_cast<const void*>(action.sa_handler);
}

/// False if the processor flushes subnormals to zero. Loading a library built with -ffast-math has that effect.
bool keeps_subnormals() {
  volatile double smallest = std::numeric_limits<double>::min();
  return smallest / 2 > 0;
}

bool has_alarm() {
  itimerval timer{};
  ::getitimer(ITIMER_REAL, &timer);
  return timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
}

bool has_children() {
  siginfo_t child{};
  return ::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

ProcessState::ProcessState()
    : locale_(std::setlocale(LC_ALL, nullptr)),
      umask_(status_field("Umask")),
      limits_(resource_limits()),
      memory_(resident_bytes()),
      rounding_(std::fegetround()),
      keeps_subnormals_(keeps_subnormals()),
      has_alarm_(has_alarm()),
      has_children_(has_children()) {
  std::error_code error;
  folder_ = fs::current_path(error).string();
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    environment_.emplace_back(*variable);
  }
  for (int number = 0; number <= worker_connection; ++number) {
    struct stat status {};
    if (::fstat(number, &status) == 0) descriptors_[number] = {status.st_dev, status.st_ino};
  }
  for (std::size_t signal = 1; signal < handlers_.size(); ++signal) {
    handlers_.at(signal) = signal_handler(static_cast<int>(signal));
  }
}

ProcessState ProcessState::after_call(const ProcessState& before) {
  ProcessState after;
  if (after.memory_ > before.memory_ + kept_memory) {
    ::malloc_trim(0);  // freed memory does not count
    after.memory_ = resident_bytes();
  }
  return after;
}

std::vector<std::string> ProcessState::changes(const ProcessState& after, bool was_alone) const {
  std::vector<std::string> found;
  const auto add_if = [&](bool changed, std::string what) {
    if (changed) found.push_back(std::move(what));
  };
  add_if(locale_ != after.locale_, "changed the locale from " + locale_ + " to " + after.locale_);
  add_if(folder_ != after.folder_, "changed the working folder to " + after.folder_);
  // The umask cannot be read if the limit of open files is too low.
  add_if(!after.umask_.empty() && umask_ != after.umask_, "changed the umask from " + umask_ + " to " + after.umask_);
  add_if(environment_ != after.environment_, "changed the environment");
  for (const auto& [number, identity] : descriptors_) {
    const auto now = after.descriptors_.find(number);
    add_if(now == after.descriptors_.end(), fmt::format("closed descriptor {}, which it had not opened", number));
    add_if(now != after.descriptors_.end() && now->second != identity,
           fmt::format("put something else behind descriptor {}", number));
  }
  for (std::size_t signal = 1; signal < handlers_.size(); ++signal) {
    add_if(handlers_.at(signal) != after.handlers_.at(signal),
           fmt::format("changed what happens at signal {}", signal));
  }
  add_if(limits_ != after.limits_, "changed a resource limit");
  add_if(rounding_ != after.rounding_ || keeps_subnormals_ != after.keeps_subnormals_,
         "changed how floating-point numbers are rounded");
  add_if(!has_alarm_ && after.has_alarm_, "left an alarm behind");
  add_if(!has_children_ && after.has_children_, "left a child process behind");
  add_if(was_alone && after.memory_ > memory_ + kept_memory,
         fmt::format("left {:.1f} GiB of memory behind", static_cast<double>(after.memory_ - memory_) / (1 << 30)));
  return found;
}

}  // namespace tomograph::host
