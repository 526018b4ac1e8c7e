#include "reporting/log.hpp"

#include <cstdio>
#include <memory>
#include <string>

#include "catch.hpp"
#include "documents/visible_text.hpp"
#include "reporting/style.hpp"
#include "temporary_folder.hpp"

using namespace tomograph::host;

namespace {

/// What `body` makes a terminal write.
template <typename Body>
std::string written(bool interactive, Body body) {
  const TemporaryFolder folder;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen((folder / "out").c_str(), "w"), &std::fclose);
  {
    Terminal terminal(stream.get(), interactive);
    body(terminal);
  }
  return content_of(folder / "out");
}

}  // namespace

TEST_CASE("the log is silent where all is normal") {
  CHECK(written(false, [](Terminal& terminal) { Log(terminal).write(LogLevel::info, "all is well"); }).empty());
}

TEST_CASE("a plugin's line carries the plugin's id, and its braces are left alone") {
  const std::string text =
      written(false, [](Terminal& terminal) { Log(terminal).write({.plugin = "data-cache", .text = "odd {} 100 %"}); });
  CHECK(text == "tomograph: warning: [data-cache] odd {} 100 %\n");
}

TEST_CASE("a line is written above the status line, which stays") {
  const std::string text = written(true, [](Terminal& terminal) {
    terminal.status("50 %");
    terminal.line("look");
  });
  CHECK(text ==
        "\r\x1b[K50 %"
        "\r\x1b[Klook\n50 %"
        "\r\x1b[K");
}

TEST_CASE("a status line longer than the terminal is cut between characters") {
  std::string status;
  for (int i = 0; i < 100; ++i) status += "é";
  const std::string text = written(true, [&](Terminal& terminal) { terminal.status(status); });
  CHECK(text == "\r\x1b[K" + status.substr(0, 2 * 79) + "\r\x1b[K");
}

TEST_CASE("without a terminal no status is written and no control character either") {
  const std::string text = written(false, [](Terminal& terminal) {
    terminal.status("50 %");
    terminal.line("done");
  });
  CHECK(text == "done\n");
}

TEST_CASE("control characters are shown on every way to the terminal, emphasis and the ends of lines stay") {
  const std::string codes =
      "a\x1b[2Jb\rc\nd\xc2\x9b"
      "e\x7f";
  const std::string one_line = "a\\u001b[2Jb\\rc\\nd\\u009be\\u007f";
  CHECK(visible(codes) == one_line);
  CHECK(visible("übergroß 1 µs\xc2\xa0") == "übergroß 1 µs\xc2\xa0");
  CHECK(written(false, [&](Terminal& terminal) { terminal.line(codes); }) == one_line + "\n");
  CHECK(written(true, [&](Terminal& terminal) { terminal.status(codes); }) == "\r\x1b[K" + one_line + "\r\x1b[K");
  CHECK(visible_lines(Style(true).bold("a") + "\nb\x1b[31m") == Style(true).bold("a") + "\nb\\u001b[31m");
}

TEST_CASE("colours are used when asked for, and not where there is no terminal") {
  CHECK(use_color(ColorMode::always, stdout));
  CHECK_FALSE(use_color(ColorMode::never, stdout));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  CHECK_FALSE(use_color(ColorMode::automatic, file.get()));
}
