#include "reporting/progress.hpp"

#include <cstdio>
#include <memory>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What the display of a run of two probes writes.
std::string display(bool interactive) {
  const TemporaryFolder folder;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen((folder / "out").c_str(), "w"), &std::fclose);
  {
    Terminal terminal(stream.get(), interactive);
    Progress progress(terminal, {{"a/one", 30}, {"b/two", 30}});
    progress.begin("a/one");
    progress.update("a/one", 0.5);
    progress.end("a/one", {.status = OutcomeStatus::measured, .reason = {}, .seconds = 30, .experiments = 1});
    progress.begin("b/two");
    progress.end("b/two", {.status = OutcomeStatus::crashed, .reason = "signal 11", .seconds = 0.5, .experiments = 0});
  }
  return content_of(folder / "out");
}

}  // namespace

TEST_CASE("on a pipe progress is one plain line per probe, with what is left") {
  CHECK(display(false) ==
        "[1/2] a/one: measured (30.00 s), about 30 s left\n"
        "[2/2] b/two: crashed: signal 11 (0.50 s)\n");
}

TEST_CASE("on a pipe probes of one plugin that are skipped for one reason share a line") {
  const TemporaryFolder folder;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen((folder / "out").c_str(), "w"), &std::fclose);
  {
    Terminal terminal(stream.get(), false);
    Progress progress(terminal, {{"a/one", 0}, {"a/two", 0}, {"b/one", 0}, {"b/two", 30}, {"b/three", 30}});
    const auto skip = [&](const std::string& probe, const std::string& reason) {
      progress.end(probe, {.status = OutcomeStatus::skipped, .reason = reason, .seconds = 0, .experiments = 0});
    };
    skip("a/one", "no bridge");
    skip("a/two", "no bridge");
    skip("b/one", "no bridge");
    progress.end("b/two", {.status = OutcomeStatus::measured, .reason = {}, .seconds = 30, .experiments = 1});
    skip("b/three", "no tunnel");
  }
  CHECK(content_of(folder / "out") ==
        "[2/5] a: 2 probes skipped: no bridge (0.00 s), about 60 s left\n"
        "[3/5] b/one: skipped: no bridge (0.00 s), about 60 s left\n"
        "[4/5] b/two: measured (30.00 s), about 30 s left\n"
        "[5/5] b/three: skipped: no tunnel (0.00 s)\n");
}

TEST_CASE("on a terminal progress is one line that is rewritten and gone at the end") {
  const std::string text = display(true);
  CHECK(text.find('\n') == std::string::npos);
  CHECK_THAT(text, ContainsSubstring("[1/2] a/one  0 %, about 60 s left"));
  CHECK_THAT(text, ContainsSubstring("[2/2] b/two"));
  CHECK(text.ends_with("\r\x1b[K"));
}

TEST_CASE("the time left follows the descriptors at first and the pace of the run later") {
  CHECK(remaining_seconds({{10, 0, 0}, {20, 0, 0}}) == Approx(30));
  CHECK(remaining_seconds({{10, 1, 10}, {20, 0, 0}}) == Approx(20));
  const double after_a_slow_half = remaining_seconds({{10, 1, 20}, {10, 0, 0}});
  CHECK(after_a_slow_half > 15);
  CHECK(after_a_slow_half < 20);
  CHECK(remaining_seconds({{10, 1, 20}, {10, 1, 5}}) == 0);
  CHECK(remaining_seconds({}) == 0);
}
