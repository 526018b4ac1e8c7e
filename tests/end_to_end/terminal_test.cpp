#include <algorithm>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// What a terminal would obey: a control character other than the end of a line, or a line that a plugin made up.
bool is_obeyed(const std::string& text) {
  const auto is_control = [](unsigned char byte) { return (byte < 0x20 && byte != '\n') || byte == 0x7F; };
  return std::ranges::any_of(text, is_control) || text.find("\xc2\x9b") != std::string::npos ||
         text.find("\nforged") != std::string::npos;
}

/// Runs `tomograph` with the plugin whose texts hold control characters. None reaches the terminal.
Ended quiet(const Workspace& workspace, const Arguments& arguments) {
  const Ended ended = workspace.run(with_plugins(arguments, {"terminal-codes"}));
  INFO(arguments.front() << "\n" << ended.out << ended.err);
  CHECK_FALSE(is_obeyed(ended.out));
  CHECK_FALSE(is_obeyed(ended.err));
  return ended;
}

}  // namespace

TEST_CASE("control characters in a plugin's texts are shown, not obeyed, and files keep them") {
  const Workspace workspace;
  const std::string shown = "odd\\u001b[2J\\r\\u0007\\u009b\\u007f\\nforged";
  const Ended run = quiet(workspace, {"run", "-v", "--device", "odd:0", "--only", "fixture.*"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.err, ContainsSubstring("[terminal-codes] " + shown));
  CHECK_THAT(run.err, ContainsSubstring("terminal-codes/failing: failed: " + shown));
  CHECK_THAT(run.out, ContainsSubstring(shown));
  CHECK_THAT(quiet(workspace, {"list"}).out, ContainsSubstring("Texts with \\u001b[31mcontrol characters"));
  CHECK_THAT(quiet(workspace, {"list", "devices"}).out, ContainsSubstring("odd:0  " + shown));
  CHECK_THAT(quiet(workspace, {"list", "facts"}).out, ContainsSubstring("A \\u001b[31mred text"));
  for (const char* option : {"--all", "--json"}) {
    CHECK_THAT(workspace.run({"show", option}).out, ContainsSubstring("odd\\u001b[2J"));
    CHECK_FALSE(is_obeyed(workspace.run({"show", option}).out));
  }
  CHECK_FALSE(is_obeyed(workspace.run({"show"}).out));
  for (const char* fact : {"fixture.text", "fixture.never", "fixture.failing"}) {
    CHECK_THAT(quiet(workspace, {"explain", fact, "topology.toml"}).out, ContainsSubstring("odd\\u001b[2J"));
  }
  CHECK(workspace.run({"validate", "topology.toml"}).exit_code == 0);
  CHECK(value(shown_topology(workspace), "fixture.text") == "odd\x1b[2J\r\x07\xc2\x9b\x7f\nforged");
}

TEST_CASE("control characters in the reason why a device does not open are shown, not obeyed") {
  const Workspace workspace;
  const Ended run = workspace.run(with_plugins({"run", "--device", "odd:1"}, {"terminal-codes"}));
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.err, ContainsSubstring("odd\\u001b[2J\\r\\u0007"));
  CHECK(run.err.find('\x1b') == std::string::npos);
}
