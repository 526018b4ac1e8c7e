#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "commands/command_line.hpp"
#include "conformance/checks.hpp"
#include "running/worker.hpp"

int main(int argc, char** argv) {
  std::signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would hide how the processes of this one end
  namespace host = tomograph::host;
  if (argc == 3 && std::string_view(argv[1]) == "worker") host::worker_main(argv[2], host::perform_check);
  try {
    return host::run_command_line(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tomograph: {}\n", error.what());
    return host::bad_input;
  }
}
