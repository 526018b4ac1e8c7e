#include "process/processor_wait.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

fs::path threads_of(pid_t process) { return fs::path("/proc") / std::to_string(process) / "task"; }

std::chrono::nanoseconds longest_wait_of_threads(pid_t process) {
  std::int64_t longest = 0;
  std::error_code error;
  for (const auto& thread : fs::directory_iterator(threads_of(process), error)) {
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    if (std::ifstream(thread.path() / "schedstat") >> ran >> waited) longest = std::max(longest, waited);
  }
  return std::chrono::nanoseconds(longest);
}

}  // namespace

std::chrono::nanoseconds waited_for_processor(pid_t process) {
  std::ifstream children(threads_of(process) / std::to_string(process) / "children");
  std::chrono::nanoseconds longest{0};
  for (pid_t child = 0; children >> child;) longest = std::max(longest, longest_wait_of_threads(child));
  return longest_wait_of_threads(process) + longest;
}

}  // namespace tomograph::host
