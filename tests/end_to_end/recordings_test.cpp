#include <filesystem>

#include "catch.hpp"
#include "tomograph_program.hpp"

namespace fs = std::filesystem;

TEST_CASE("every recording of a real GPU replays to the topology that was measured") {
  int replayed = 0;
  for (const auto& entry : fs::directory_iterator(TOMOGRAPH_SOURCE_DIR "/tests/recordings")) {
    if (entry.path().extension() != ".rec") continue;
    INFO(entry.path());
    const Workspace workspace;
    const Json expected = shown_topology(workspace, fs::path(entry.path()).replace_extension(".toml"));
    // Probes that are younger than the recording find nothing in it.
    std::vector<std::string> arguments{"run", "--device", "replay:" + entry.path().string()};
    for (const auto& [probe, run] : expected.at("probes").items()) {
      arguments.insert(arguments.end(), {"--only", probe});
    }
    (void)workspace.run(arguments);
    const Json found = shown_topology(workspace, "topology.toml");
    CHECK(facts(found) == facts(expected));
    CHECK(found.at("outcomes") == expected.at("outcomes"));
    ++replayed;
  }
  if (replayed == 0) skip_here("there is no recording of a real GPU yet");
}
