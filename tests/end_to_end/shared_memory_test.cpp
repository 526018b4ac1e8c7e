#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

Ended measure_shared_memory(const Workspace& workspace, const std::string& device) {
  return workspace.run({"run", "--device", device, "--only", "shared.*"});
}

/// The small GPU with `section` in place of its shared memory.
std::string small_with(const std::string& section) {
  std::string text = Workspace::source("plugins/devices/sim/gpus/small.toml");
  const auto begin = text.find("[shared_memory]");
  const auto end = text.find("\n[", begin);
  return text.replace(begin, end - begin, section);
}

}  // namespace

TEST_CASE("the shared memory of the simulated H200 is found as its file describes it") {
  const Workspace workspace;
  CHECK(measure_shared_memory(workspace, "sim:h200").exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(value(found, "shared.size_per_sm") == 233472);
  CHECK(value(found, "shared.size_per_block") == 232448);
  CHECK(value(found, "shared.reserved_per_block") == 1024);
  CHECK(value(found, "shared.banks") == 32);
  CHECK(value(found, "shared.bank_width") == 4);
  CHECK(value(found, "shared.phases") == Json({{4, 1}, {8, 2}, {16, 4}}));
  CHECK(value(found, "shared.modes") == "absent");
  CHECK(value(found, "shared.latency").get<double>() == Approx(23).margin(0.1));
  CHECK(value(found, "shared.broadcast_latency").get<double>() == Approx(23).margin(0.1));
  CHECK(value(found, "shared.conflict_latency").at(31).get<double>() == Approx(23 + 31 * 2).margin(0.1));
  CHECK(value(found, "shared.bandwidth.read").get<double>() == Approx(128).epsilon(0.01));
  CHECK(value(found, "shared.bandwidth.copy").get<double>() == Approx(128).epsilon(0.01));
  CHECK(value(found, "shared.bandwidth.write").get<double>() == Approx(128).epsilon(0.01));
  CHECK(value(found, "shared.saturating_warps").get<double>() == Approx(23).epsilon(0.01));
}

TEST_CASE("half warps over 16 banks are found on the small simulated GPU") {
  const Workspace workspace;
  CHECK(measure_shared_memory(workspace, "sim:small").exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(value(found, "shared.banks") == 16);
  CHECK(value(found, "shared.phase_lanes") == 16);
  CHECK(value(found, "shared.phases") == Json({{4, 2}, {8, 4}, {16, 8}}));
  CHECK(value(found, "shared.size_per_sm") == 20480);
  CHECK(value(found, "shared.latency").get<double>() == Approx(36).margin(0.5));
  CHECK(value(found, "shared.broadcast_latency").get<double>() == Approx(42).margin(0.5));
}

TEST_CASE("a GPU with Kepler's banks of 8 B has a mode of 4 and one of 8 B") {
  const Workspace workspace;
  workspace.write("kepler.toml", small_with("[shared_memory]\nsize_per_sm = 20480\nbanks = 32\nbank_width = 8\n"
                                            "modes = [4, 8]\nlatency = 47\nconflict_cycles = 10\n"));
  CHECK(measure_shared_memory(workspace, "sim:./kepler.toml").exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(value(found, "shared.banks") == 32);
  CHECK(value(found, "shared.bank_width") == 8);
  CHECK(fact(found, "shared.banks").at("conditions").at("interleave") == 4);
  CHECK(value(found, "shared.modes") == Json({4, 8}));
}

TEST_CASE("a GPU without shared memory is skipped with that reason") {
  const Workspace workspace;
  workspace.write("none.toml", small_with(""));
  CHECK(measure_shared_memory(workspace, "sim:./none.toml").exit_code == 0);
  const Json found = shown_topology(workspace, "topology.toml");
  CHECK(value(found, "shared.banks") == "absent");
  CHECK_THAT(found.at("outcomes").dump(), ContainsSubstring("skipped") && ContainsSubstring("no shared memory"));
}
