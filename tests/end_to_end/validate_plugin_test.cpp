#include <filesystem>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

std::string fixture_path(const std::string& name) { return TOMOGRAPH_FIXTURE_DIR "/" + name + "/" + name + ".so"; }
std::string library_path(const std::string& name) { return MISBEHAVING_DIR "/" + name + "/" + name + ".so"; }

/// What `validate --json` says of one plugin, whose probes run on the toy device.
Json verdict(const std::string& file, int exit_code) {
  const Workspace workspace;
  const Ended ended =
      workspace.run(with_plugins({"validate", "--json", "--device", "toy:0", file}, {"toy", "faulty-device"}));
  INFO(ended.err);
  CHECK(ended.exit_code == exit_code);
  return Json::parse(ended.out).at(0);
}

Json check_of(const Json& verdict, const std::string& name) {
  for (const Json& check : verdict.at("checks")) {
    if (check.at("check") == name) return check;
  }
  return {};
}

/// The plugin is not valid because of this check.
void check_invalid(const std::string& file, const std::string& check, const std::string& status,
                   const std::string& explanation) {
  INFO(file);
  const Json found = verdict(file, 2);
  CHECK(found.at("valid") == false);
  CHECK(check_of(found, check).at("status") == status);
  CHECK_THAT(check_of(found, check).at("explanation").get<std::string>(), ContainsSubstring(explanation));
  CHECK_THAT(found.at("problems").dump(), ContainsSubstring(check));
}

}  // namespace

TEST_CASE("a plugin that behaves passes every check that applies to it") {
  const Json found = verdict(fixture_path("toy"), 0);
  CHECK(found.at("kind") == "plugin");
  CHECK(found.at("valid") == true);
  for (const Json& check : found.at("checks")) CHECK(check.at("status") == "passed");
}

TEST_CASE("every check is listed with what it looks at, and each is made") {
  const Workspace workspace;
  const Json listed = Json::parse(workspace.run({"validate", "--list-checks", "--json"}).out);
  const Json made = verdict(fixture_path("toy"), 0).at("checks");
  REQUIRE(listed.size() == made.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    CHECK(listed.at(i).at("check") == made.at(i).at("check"));
    CHECK_FALSE(listed.at(i).at("description").get<std::string>().empty());
  }
}

TEST_CASE("each fault of a library fails the check that is named after it") {
  check_invalid(fixture_path("no-entry"), "exports", "failed", "it exports answer");
  check_invalid(fixture_path("no-entry"), "entry", "failed", "does not export the symbol");
  check_invalid(library_path("magic"), "magic", "failed", "magic number");
  check_invalid(fixture_path("newer-minor"), "version", "failed", "1.4, this program has 1.3; install a Tomograph");
  check_invalid(library_path("truncated"), "entry-size", "failed", "has 16");
  check_invalid(library_path("short-probe"), "sizes", "failed", "struct_size 8");
  check_invalid(library_path("utf8"), "strings", "failed", "not UTF-8");
  check_invalid(library_path("prefix"), "identifiers", "failed", "other/probe");
  check_invalid(library_path("statement"), "questions", "failed", "question mark");
  check_invalid(library_path("unit"), "facts", "failed", "\"KB\"");
  check_invalid(library_path("range"), "parameters", "failed", "outside its range");
  check_invalid(library_path("budget"), "times", "failed", "time budget");
  check_invalid(library_path("prints"), "quiet", "failed", "it wrote 25 bytes");
  check_invalid(library_path("crash"), "loads", "crashed", "SIGABRT");
  check_invalid(fixture_path("impostor"), "accepted", "failed", "the plugin id toy is also in");
  check_invalid(fixture_path("cycle"), "needs", "failed", "cycle/egg needs fixture.hen");
}

TEST_CASE("a need that misspells a fact of devices is told with the right name, unless the device publishes it") {
  const std::string file = fixture_path("misspelt-need");
  const Json needs = check_of(verdict(file, 0), "needs");
  CHECK(needs.at("status") == "warning");
  CHECK(needs.at("explanation") ==
        "misspelt-need/needy needs device.sm_cuont, which no known device publishes; did you mean 'device.sm_count'?; "
        "misspelt-need/needy needs device.warp_sizes, which no known device publishes; did you mean "
        "'device.warp_size'?");
  const Workspace workspace;
  const Ended own = workspace.run(with_plugins({"validate", "--device", "own:0", file}, {"misspelt-need"}));
  INFO(own.out);
  CHECK(own.exit_code == 0);
  CHECK_THAT(own.out, ContainsSubstring("device.sm_cuont") && !ContainsSubstring("device.warp_sizes"));
}

TEST_CASE("of a library that does not load in time, what needs it loaded is not tried") {
  const Json found = verdict(fixture_path("hang-on-load"), 2);
  CHECK(check_of(found, "loads").at("status") == "timed-out");
  CHECK(check_of(found, "entry").at("status") == "skipped");
  CHECK(check_of(found, "static-data").at("explanation") == "\"loads\" did not end");
}

TEST_CASE("what probes do wrong while they run fails the checks of a run") {
  const Json lies = verdict(fixture_path("lying"), 2);
  CHECK(check_of(lies, "publishes").at("status") == "failed");
  CHECK(check_of(lies, "settles").at("status") == "failed");
  CHECK(check_of(lies, "runs").at("status") == "passed");
  check_invalid(fixture_path("crashing"), "runs", "failed", "crashing/crash crashed: its process");
  check_invalid(fixture_path("throwing"), "runs", "failed", "the probe found a contradiction");
}

TEST_CASE("what a probe does to its process fails the check of behaviour") {
  const Json found = verdict(fixture_path("misbehaving"), 2);
  const std::string behaviour = check_of(found, "behaves").at("explanation");
  for (const char* breach : {"misbehaving/locale changed the locale", "misbehaving/fork left a child process behind",
                             "wrote past the log", "more lines are left out", "GiB of memory behind",
                             "asks for fact zoo.print, which it does not declare as a need",
                             "the category \"resources\", expected device, configuration, resource, permission"}) {
    CHECK_THAT(behaviour, ContainsSubstring(breach));
  }
}

TEST_CASE("a file that is no library, or is not there, is no valid plugin") {
  const Workspace workspace;
  workspace.write("text.so", "hello");
  check_invalid(workspace.path("text.so").string(), "library", "failed", "it is not a shared library");
  const Ended missing = workspace.run({"validate", "none.so"});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, ContainsSubstring("none.so: there is no such file"));
}
