#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

namespace {

/// What the probes of links find from one GPU of a simulated node.
Json links_of(const Workspace& workspace, const std::string& gpu) {
  const Ended ended = workspace.run({"run", "--device", "sim:node", "--device-parameter", "gpu=" + gpu, "--only",
                                     "link.*", "--only", "host.*", "--output", "gpu" + gpu + ".toml"});
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  return shown_topology(workspace, "gpu" + gpu + ".toml");
}

/// A list of facts by pair, as a map from the numbers of its GPUs, e.g. "1" or "0-1", to the value.
std::map<std::string, double> by_gpus(const Json& topology, const std::string& key) {
  std::map<std::string, double> values;
  for (const Json& row : value(topology, key)) {
    std::string gpus = std::to_string(row.at(0).get<int>());
    if (row.size() == 3) gpus += "-" + std::to_string(row.at(1).get<int>());
    values[gpus] = row.back().get<double>();
  }
  return values;
}

}  // namespace

TEST_CASE("all links of a simulated node are found as it is described, the odd one and the missing one as well") {
  const Workspace workspace;
  const Json first = links_of(workspace, "1");
  CHECK(value(first, "host.latency").get<double>() == Approx(1.2e-6).epsilon(0.01));
  CHECK(value(first, "host.page_fault").get<double>() == Approx(25e-6).epsilon(0.01));
  const std::map<std::string, double> host{{"read", 50},        {"write", 52},     {"copy_in", 54},
                                           {"copy_out", 55},    {"both_ways", 90}, {"pageable_in", 11},
                                           {"pageable_out", 12}};
  for (const auto& [what, rate] : host) {
    INFO(what);
    CHECK(value(first, "host.bandwidth." + what).get<double>() == Approx(rate * 1e9).epsilon(0.02));
  }
  // Hockney's n_1/2: latency x rate.
  CHECK(value(first, "host.half_peak_size").get<double>() == Approx(2e-6 * 54e9).epsilon(0.05));

  const auto latency = by_gpus(first, "link.latency");
  REQUIRE(latency.size() == 3);
  CHECK(latency.at("0") == Approx(860e-9).epsilon(0.01));
  CHECK(latency.at("3") == Approx(1100e-9).epsilon(0.01));
  CHECK(by_gpus(first, "link.atomic_latency").at("3") == Approx(1300e-9).epsilon(0.01));
  CHECK(by_gpus(first, "link.bandwidth.read").at("2") == Approx(370e9).epsilon(0.02));
  CHECK(by_gpus(first, "link.bandwidth.write").at("3") == Approx(185e9).epsilon(0.02));
  CHECK(by_gpus(first, "link.bandwidth.both_ways").at("0") == Approx(780e9).epsilon(0.02));
  CHECK(by_gpus(first, "link.half_peak_size").at("0") == Approx(2.5e-6 * 395e9).epsilon(0.05));
  const auto copy = by_gpus(first, "link.bandwidth.copy");
  CHECK(copy.size() == 10);  // 0 and 2 have no link
  CHECK(copy.at("0-1") == Approx(395e9).epsilon(0.02));
  CHECK(copy.at("3-1") == Approx(190e9).epsilon(0.02));
  const auto together = by_gpus(first, "link.bandwidth.all_pairs");
  CHECK(together.size() == 10);
  CHECK(together.at("1-2") == Approx(400e9 / 3).epsilon(0.02));  // each port carries three links

  const Json second = links_of(workspace, "0");
  CHECK(by_gpus(second, "link.latency").size() == 2);
  CHECK(by_gpus(second, "link.bandwidth.copy").size() == 6);  // among 0, 1 and 3
}

TEST_CASE("a GPU that is alone has no links, and one whose device tells nothing of its host no question is put to") {
  const Workspace workspace;
  workspace.write("alone.toml", R"(name = "Alone"
sm_count = 2
sm_clock_mhz = 1000
[l2]
latency = 150
line_size = 64
sector_size = 32
size = 131072
ways = 8
[dram]
latency = 300
size = 4294967296
[host]
latency_ns = 1000
copy_latency_ns = 2000
read = 10e9
write = 11e9
copy_in = 12e9
copy_out = 13e9
pageable_in = 5e9
pageable_out = 6e9
)");
  CHECK(workspace.run({"run", "--device", "sim:./alone.toml", "--only", "link.*", "--only", "host.*"}).exit_code == 0);
  const Json alone = shown_topology(workspace, "topology.toml");
  CHECK(value(alone, "host.latency").get<double>() == Approx(1e-6));
  const Json& outcomes = alone.at("outcomes");
  CHECK(outcomes.at("link.latency").at("status") == "skipped");
  CHECK(outcomes.at("link.latency").at("reason") == "this process sees one GPU");
  CHECK(outcomes.at("host.page_fault").at("status") == "skipped");

  CHECK(workspace.run({"run", "--device", "sim:bare", "--only", "link.*", "--only", "host.*"}).exit_code == 0);
  const Json silent = shown_topology(workspace, "topology.toml").at("outcomes").at("host.latency");
  CHECK(silent.at("status") == "skipped");
  CHECK(silent.at("reason") == "not applicable: the device does not report device.gpus");
}

TEST_CASE("GPUs of a node measure links in turns, and a run that waits says so") {
  const Workspace workspace;
  REQUIRE(::setenv("TMPDIR", workspace.path("").c_str(), 1) == 0);
  const std::string two = "sim:node?gpu=0,sim:node?gpu=1";
  // A probe of the own GPU comes first: its worker lives on, and must not keep its turn.
  CHECK(workspace.run({"run", "--device", two, "--only", "l1_data.latency", "--only", "host.latency"}).exit_code == 0);

  const std::string file = workspace.path("tomograph-links-" + std::to_string(::geteuid()) + ".lock");
  const int lock = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  struct flock turn {};
  turn.l_type = F_WRLCK;
  turn.l_len = 1;
  REQUIRE(::fcntl(lock, F_OFD_SETLK, &turn) == 0);
  const Ended interrupted = workspace.run_and_signal({"run", "--device", "sim:node", "--only", "host.latency"},
                                                     "[0/1] links/host.latency waits", SIGINT);
  INFO(interrupted.err);
  CHECK(interrupted.exit_code == 130);
  ::close(lock);
  REQUIRE(::unsetenv("TMPDIR") == 0);
}
