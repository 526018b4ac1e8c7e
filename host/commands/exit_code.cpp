#include "commands/exit_code.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "reporting/terminal.hpp"
#include "running/call_failed.hpp"
#include "tomograph/documents/atomic_file.hpp"

namespace tomograph::host {

std::string exit_code_help() {
  std::string text = "Exit codes:";
  int code = -1;
  for (const ExitCodeMeaning& meaning : exit_code_meanings) {
    const std::string number = meaning.code == code ? "" : std::to_string(meaning.code);
    const std::string command = meaning.command.empty() ? "" : std::string(meaning.command) + ": ";
    text += fmt::format("\n  {:<3}  {}{}", number, command, meaning.text);
    code = meaning.code;
  }
  return text;
}

int exit_code_of(const std::function<void()>& work, Log& log) {
  try {
    work();
    return 0;
  } catch (const CallFailed& failure) {
    log.write(LogLevel::error, failure.what());
  } catch (const FileError& failure) {
    log.write(LogLevel::error, failure.what());
  }
  return 1;
}

int exit_code_of_program(std::string_view program, const std::function<int()>& main) {
  int code = bad_input;
  try {
    code = main();
  } catch (const std::exception& error) {
    // What fails to be written there throws only where the buffer is full.
    if (std::ferror(stdout) == 0) print_text(stderr, fmt::format("{}: {}\n", program, error.what()));
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  print_text(stderr, fmt::format("{}: standard output cannot be written\n", program));
  return 1;
}

}  // namespace tomograph::host
