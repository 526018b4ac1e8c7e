#include "measure.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace independent {

namespace {

/// Runs a program to its end, with a file for its output. Its messages are dropped. It has no time limit, which a busy
/// machine might exceed: the program limits the time of each probe.
void run(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), command.front());
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
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
  if (!measuring.given.empty()) command.insert(command.end(), {"--given", measuring.given});
  if (!measuring.config.empty()) command.insert(command.end(), {"--config", measuring.config});
  run(command, json);
  Json topology = Json::parse(std::ifstream(json), nullptr, false);
  if (topology.is_discarded()) throw std::runtime_error("the run printed no topology");
  return topology;
}

}  // namespace independent
