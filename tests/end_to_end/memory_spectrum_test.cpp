#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

Json spectrum_of(const std::string& device) {
  const Workspace workspace;
  // A pattern may stay inconclusive where the memory does not overflow a TLB.
  CHECK(
      workspace
          .run({"run", "--device", device, "--only", "memory_spectrum.*", "--only", "tlb.*", "--only", "page_window.*"})
          .exit_code <= 1);
  return shown_topology(workspace, "topology.toml");
}

double cycles(const Json& topology, const std::string& key) { return fact(topology, key).at("value").get<double>(); }

}  // namespace

TEST_CASE("all six patterns of latency show on a GPU with two levels of TLB and a page-table window") {
  const Json found = spectrum_of("sim:split");
  CHECK(fact(found, "page_window.size").at("value") == 512 << 20);
  CHECK(cycles(found, "page_window.miss_penalty") == Approx(2000).epsilon(0.05));
  CHECK(cycles(found, "memory_spectrum.p1") == Approx(210).epsilon(0.02));
  CHECK(cycles(found, "memory_spectrum.p2") == Approx(210 + 40).epsilon(0.02));
  CHECK(cycles(found, "memory_spectrum.p3") == Approx(210 + 40 + 150).epsilon(0.02));
  CHECK(cycles(found, "memory_spectrum.p4") == Approx(350).epsilon(0.02));
  CHECK(cycles(found, "memory_spectrum.p5") == Approx(350 + 40 + 150).epsilon(0.02));
  CHECK(cycles(found, "memory_spectrum.p6") == Approx(350 + 40 + 150 + 2000).epsilon(0.02));
  CHECK(cycles(found, "dram.latency") == Approx(350).epsilon(0.02));
  CHECK(fact(found, "dram.latency.far").is_null());
}

TEST_CASE("memory near and far has latencies of its own, and a pattern that a GPU lacks is skipped with the reason") {
  const Json found = spectrum_of("sim:small");
  CHECK(cycles(found, "dram.latency.near") == Approx(400).epsilon(0.02));
  CHECK(cycles(found, "dram.latency.far") == Approx(480).epsilon(0.02));
  CHECK(cycles(found, "dram.latency") == Approx(440).epsilon(0.02));
  CHECK(cycles(found, "memory_spectrum.p3") == Approx(240 + 15 + 90).epsilon(0.02));
  const Json outcome = found.at("outcomes").at("memory_spectrum.p6");
  CHECK(outcome.at("status") == "skipped");
  CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring("no walk within"));
}

TEST_CASE("a GPU without TLBs has the patterns of its data cache alone") {
  const Json found = spectrum_of("sim:bare");
  CHECK(cycles(found, "memory_spectrum.p1") == Approx(150).epsilon(0.02));
  CHECK(cycles(found, "memory_spectrum.p4") == Approx(300).epsilon(0.02));
  for (const char* pattern : {"p2", "p3", "p5", "p6"}) {
    const Json outcome = found.at("outcomes").at(std::string("memory_spectrum.") + pattern);
    CHECK(outcome.at("status") == "skipped");
    CHECK_THAT(outcome.at("reason").get<std::string>(), ContainsSubstring("no walk within"));
  }
}
