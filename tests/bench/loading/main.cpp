// loading PROGRAM [REPETITIONS]: measures how long `PROGRAM list` takes to load and describe all plugins, with and
// without cached descriptions, and how long `PROGRAM diff` takes for two topologies of the gallery, child processes
// included. The targets, in processor time: 100 ms without cached descriptions, 200 ms for diff.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "temporary_folder.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace {

struct Milliseconds {
  double elapsed = 0;
  double of_processor = 0;  ///< processor time of the program and its children
};

double milliseconds(const timeval& time) {
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
}

/// Runs the program with these arguments; it ends with 0 or 1.
Milliseconds timed(const std::string& program, std::vector<std::string> words) {
  words.insert(words.begin(), program);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  const auto begun = std::chrono::steady_clock::now();
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage used{};
  if (error != 0 || ::wait4(pid, &status, 0, &used) != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    throw std::runtime_error("it failed");
  }
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begun;
  return {elapsed.count(), milliseconds(used.ru_utime) + milliseconds(used.ru_stime)};
}

/// Prints the median of each column.
void print(const char* what, const std::vector<Milliseconds>& all) {
  const auto median = [&](double Milliseconds::*field) {
    std::vector<double> values;
    for (const Milliseconds& one : all) values.push_back(one.*field);
    return tomograph::analysis::median(values);
  };
  std::printf("%-24s %10.1f %13.1f\n", what, median(&Milliseconds::elapsed), median(&Milliseconds::of_processor));
}

void run(const std::string& program, int repetitions) {
  std::vector<Milliseconds> cold;
  std::vector<Milliseconds> warm;
  std::vector<Milliseconds> diff;
  for (int i = 0; i < repetitions; ++i) {
    const TemporaryFolder cache;
    ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    cold.push_back(timed(program, {"list"}));
    warm.push_back(timed(program, {"list"}));
    diff.push_back(timed(program, {"diff", "gallery:nvidia-h100-80gb-hbm3", "gallery:nvidia-h200"}));
  }
  std::printf("%-24s %10s %13s\n", "", "elapsed/ms", "processor/ms");
  print("all plugins described", cold);
  print("descriptions at hand", warm);
  print("diff of two topologies", diff);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: loading PROGRAM [REPETITIONS]\n", stderr);
    return 2;
  }
  try {
    run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 5);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
