#include <cctype>
#include <regex>
#include <sstream>

#include "catch.hpp"
#include "tomograph_program.hpp"

namespace {

/// A line of the guide that is run, with the output that the guide shows below it.
struct Command {
  std::vector<std::string> arguments;
  std::vector<std::string> shown;
};

/// The words of a command line, without the quotes around some.
std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) {
    std::erase(word, '\'');
    all.push_back(word);
  }
  return all;
}

/// Text without the fractions of numbers, which differ a little from one mathematical library to the next, and without
/// blanks at its ends.
std::string comparable(const std::string& text) {
  static const std::regex fraction(R"(\.\d+)");
  static const std::regex outer_blanks(R"(^\s+|\s+$)");
  return std::regex_replace(std::regex_replace(text, fraction, ""), outer_blanks, "");
}

/// Whether the lines are among those of `output`, in this order; "..." stands for any.
void check_shown(const Command& command, std::istringstream output) {
  std::string line;
  for (const std::string& shown : command.shown) {
    if (shown == "...") continue;
    bool found = false;
    while (!found && std::getline(output, line)) found = comparable(line) == comparable(shown);
    INFO(shown);
    CHECK(found);
  }
}

void run(const Workspace& workspace, const Command& command) {
  const Ended ended = workspace.run({command.arguments.begin() + 1, command.arguments.end()});
  std::string output = ended.out + ended.err;
  const std::string folder = workspace.path("").string();
  for (std::size_t at = output.find(folder); at != std::string::npos; at = output.find(folder)) {
    output.replace(at, folder.size(), "/home/you/");
  }
  INFO(output);
  CHECK(ended.exit_code <= 2);
  check_shown(command, std::istringstream(output));
}

}  // namespace

TEST_CASE("the guide to describing a GPU does what it says") {
  const Workspace workspace;
  std::istringstream guide(Workspace::source("plugins/devices/sim/describing-a-gpu.md"));
  std::string fence;
  std::vector<Command> commands;
  std::size_t run_so_far = 0;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("```")) {
      for (const Command& command : commands) run(workspace, command);
      run_so_far += commands.size();
      commands.clear();
      fence = fence.empty() ? line.substr(3) : "";
    } else if (fence.starts_with("toml ")) {
      const std::string file = fence.substr(5);
      workspace.write(file, workspace.text(file) + line + '\n');
    } else if (fence == "console" && line.starts_with("$ ")) {
      commands.push_back({words(line.substr(2)), {}});
    } else if (fence == "console") {
      commands.back().shown.push_back(line);
    }
  }
  CHECK(run_so_far == 6);
}
