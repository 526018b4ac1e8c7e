#include "timed_merge.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <stdexcept>

namespace tomograph::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::vector<std::string> lines_with(const char* text, const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line.find(text) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

}  // namespace

Merge timed_merge(const std::filesystem::path& program, const std::vector<std::filesystem::path>& files,
                  const std::filesystem::path& output) {
  std::vector<std::string> words{program.string(), "fleet", "-o", output.string()};
  for (const auto& file : files) words.push_back(file.string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string said = output.string() + ".said";
  const std::string complained = output.string() + ".complained";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complained.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  const auto begun = std::chrono::steady_clock::now();
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage used{};
  if (error != 0 || ::wait4(pid, &status, 0, &used) != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    throw std::runtime_error("the merger failed");
  }
  Merge merge;
  merge.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  merge.of_processor = seconds(used.ru_utime) + seconds(used.ru_stime);
  merge.mebibytes = static_cast<double>(used.ru_maxrss) / 1024;
  merge.odd = lines_with(" is odd: ", said);
  merge.left_out = lines_with(" does not count: ", complained);
  return merge;
}

}  // namespace tomograph::bench
