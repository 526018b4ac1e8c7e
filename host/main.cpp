#include <csignal>
#include <string_view>

#include "commands/command_line.hpp"
#include "commands/exit_code.hpp"
#include "conformance/checks.hpp"
#include "process/standard_streams.hpp"
#include "running/worker.hpp"

int main(int argc, char** argv) {
  std::signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would hide how the processes of this one end
  namespace host = tomograph::host;
  host::open_closed_standard_streams();
  if (argc == 3 && std::string_view(argv[1]) == "worker") host::worker_main(argv[2], host::perform_check);
  return host::exit_code_of_program("tomograph", [&] { return host::run_command_line(argc, argv); });
}
