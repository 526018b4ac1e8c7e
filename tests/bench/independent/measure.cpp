#include "measure.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace independent {

namespace {

/// Starts a program in a process group of its own, with a file for its output. Its messages are dropped.
pid_t start(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child > 0) return child;
  setpgid(0, 0);
  dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

/// Waits until the process ends, or ends its group after `seconds`. Returns whether it ended by itself.
bool ends_within(pid_t child, double seconds) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace

Json measure(const Measuring& measuring, const std::string& family, std::uint64_t seed) {
  const std::string name = family + "-" + std::to_string(seed);
  const std::filesystem::path json = measuring.folder / (name + ".json");
  std::vector<std::string> command{measuring.tomograph,
                                   "run",
                                   "--json",
                                   "--device",
                                   "independent:" + name,
                                   "--plugin-dir",
                                   measuring.plugin_dir,
                                   "--output",
                                   measuring.folder / (name + ".toml")};
  for (const std::string& pattern : measuring.only) command.insert(command.end(), {"--only", pattern});
  const pid_t run = start(command, json);
  if (!ends_within(run, measuring.time_limit)) throw std::runtime_error("the run exceeded its time limit");
  Json topology = Json::parse(std::ifstream(json), nullptr, false);
  if (topology.is_discarded()) throw std::runtime_error("the run printed no topology");
  return topology;
}

}  // namespace independent
