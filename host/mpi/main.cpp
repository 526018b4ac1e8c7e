// tomograph-fleet: measures the GPUs of many nodes under MPI. See docs/fleets.md.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "commands/empty_argument.hpp"
#include "commands/exit_code.hpp"
#include "commands/unexpected_argument.hpp"
#include "conformance/checks.hpp"
#include "mpi/fleet_run.hpp"
#include "mpi/mailbox.hpp"
#include "process/standard_streams.hpp"
#include "reporting/terminal.hpp"
#include "running/worker.hpp"
#include "tomograph/documents/input_error.hpp"

namespace {

namespace host = tomograph::host;

/// Parses the options; rank 0 alone says what is wrong with them.
int parsed_and_run(int argc, char** argv, const host::Mpi& mpi) {
  CLI::App app(
      "Measures the GPUs of all nodes of an MPI job and names the odd ones; the ranks of a node share out its GPUs.\n"
      "Exit codes: 0 none is odd, 1 a GPU is odd or was not measured, 2 bad usage, configuration or input.",
      "tomograph-fleet");
  host::FleetRunOptions options;
  host::add_run_options(app, options.run);
  // Of one run. Here there are many.
  for (const char* option : {"--record", "--evidence", "--json", "--verbose"}) {
    app.remove_option(app.get_option(option));
  }
  app.add_option("--fleet", options.fleet, "Fleet file to write")->capture_default_str();
  app.add_option("--false-alarms", options.false_alarm_rate, "Probability that any GPU of a sound fleet is called odd")
      ->capture_default_str()
      ->check(CLI::Range(1e-9, 0.5));
  host::refuse_empty_arguments(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_help = error.get_exit_code() == 0;
    if (mpi.rank() != 0) return is_help ? 0 : host::bad_input;
    const auto mistake = host::unexpected_argument(app);
    if (mistake && !is_help) throw tomograph::InputError(*mistake);
    return app.exit(error) == 0 ? 0 : host::bad_input;
  }
  return host::run_fleet(mpi, options);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would hide how the processes of this one end
  host::open_closed_standard_streams();
  if (argc == 3 && std::string_view(argv[1]) == "worker") host::worker_main(argv[2], host::perform_check);
  const host::Mpi mpi(argc, argv);
  return host::exit_code_of_program("tomograph-fleet", [&] {
    try {
      return parsed_and_run(argc, argv, mpi);
    } catch (const tomograph::InputError&) {
      throw;
    } catch (const std::exception& error) {
      host::print_text(stderr, fmt::format("tomograph-fleet: rank {} cannot go on: {}\n", mpi.rank(), error.what()));
      mpi.abort(host::bad_input);
    }
  });
}
