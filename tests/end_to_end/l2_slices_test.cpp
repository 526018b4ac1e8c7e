#include <string>

#include "catch.hpp"
#include "tomograph_program.hpp"

namespace {

/// A GPU with one partition of L2, whose slices `function` describes.
std::string gpu(int slices, const std::string& function) {
  return R"(name = "Slices"
sm_count = 32
sm_clock_mhz = 1500

[api]
"l2.nominal_size" = 33554432

[l2]
latency = 260
line_size = 128
sector_size = 32
size = 33554432
ways = 16
sm_latency_spread = 20
slices = )" +
         std::to_string(slices) +
         "\n\n[l2.slice_function]\nrate_sigma = 0.01\nrequests_per_cycle = 1.5\natomics_per_cycle = 0.25\n" + function +
         R"(

[dram]
latency = 500
size = 17179869184

[noise]
l2_sigma = 2.0
)";
}

constexpr const char* four_masks = "masks = [0x1b2c880, 0xd75300, 0x862400, 0x449800]\n";

/// `fetched` is what a miss of L1 takes from L2, in bytes.
Json measured(const Workspace& workspace, const std::string& description, int fetched = 32) {
  workspace.write("gpu.toml", description);
  const Ended bare =
      workspace.run({"run", "--device", "sim:./gpu.toml", "--only", "l2.line_size", "--output", "given.toml"});
  INFO(bare.err);
  CHECK(bare.exit_code == 0);
  workspace.write("given.toml", workspace.text("given.toml") +
                                    "\n[l1_data.fetch_granularity]\nvalue = " + std::to_string(fetched) +
                                    "\nunit = \"B\"\nsource = \"measured\"\n"
                                    "method = \"by-hand\"\nprobe = \"test/sector\"\nscope = \"sm\"\n"
                                    "confidence = 0.99\nsamples = 1\n");
  const Ended run =
      workspace.run({"run", "--device", "sim:./gpu.toml", "--given", "given.toml", "--only", "l2-slices/slices"});
  INFO(run.err);
  CHECK(run.exit_code == 0);
  return shown_topology(workspace, "topology.toml");
}

}  // namespace

TEST_CASE("sixteen slices by XORs of address bits are found with their masks, and what each delivers") {
  const Workspace workspace;
  const Json topology = measured(workspace, gpu(16, four_masks));
  CHECK(value(topology, "l2.slices") == 16);
  CHECK(value(topology, "l2.slices_at_least") == 16);
  const Json function = value(topology, "l2.slice_function");
  CHECK(function.at("kind") == "xor-masks");
  CHECK(function.at("parities").size() == 4);
  const Json conditions = fact(topology, "l2.slice_function").at("conditions");
  CHECK(conditions.at("wrong_lines") == 0);
  CHECK(conditions.at("tested_lines") > 14000);
  CHECK(value(topology, "l2.bandwidth_per_slice").get<double>() == Approx(1.5 * 32).epsilon(0.02));
  CHECK(value(topology, "l2.atomics_per_slice").get<double>() == Approx(0.25).epsilon(0.02));
}

TEST_CASE("what a slice delivers stays open where a miss of L1 may take several sectors") {
  const Workspace workspace;
  const Json topology = measured(workspace, gpu(16, four_masks), 64);
  CHECK(value(topology, "l2.slices") == 16);
  CHECK(value(topology, "l2.bandwidth_per_slice") == "absent");
}

TEST_CASE("five times sixteen slices are masks and a remainder") {
  const Workspace workspace;
  const Json topology = measured(workspace, gpu(80, std::string(four_masks) + "factor = 5\nfactor_shift = 12\n"));
  CHECK(value(topology, "l2.slices") == 80);
  const Json function = value(topology, "l2.slice_function");
  CHECK(function.at("kind") == "masks-and-remainder");
  CHECK(function.at("divided_by") == 5);
  CHECK(function.at("number").front() == "0x1000");
  CHECK(fact(topology, "l2.slice_function").at("conditions").at("pages") == 4);
}

TEST_CASE(
    "six times sixteen slices, of which two in a row share all latencies, are five masks and a remainder by three") {
  const Workspace workspace;
  const Json topology = measured(workspace, gpu(96, std::string(four_masks) + "factor = 6\ntwins = 2\n"));
  CHECK(value(topology, "l2.slices") == 96);
  CHECK(value(topology, "l2.slices_at_least") == 96);
  const Json function = value(topology, "l2.slice_function");
  CHECK(function.at("kind") == "masks-and-remainder");
  CHECK(function.at("divided_by") == 3);
  CHECK(function.at("parities").size() == 5);
}

TEST_CASE("where one slice is disabled and a hash spreads its lines, the function stays open") {
  const Workspace workspace;
  const Json topology = measured(workspace, gpu(15, std::string(four_masks) + "disabled = [6]\n"));
  CHECK(value(topology, "l2.slices") == 15);
  const Json outcome = topology.at("outcomes").at("l2.slice_function");
  CHECK(outcome.at("status") == "inconclusive");
  CHECK(outcome.at("reason").get<std::string>().find("4 XORs of address bits predict 9") == 0);
}

TEST_CASE("an L2 of a page has a slice function that is tested on all of the page") {
  const Workspace workspace;
  std::string description = gpu(8, "masks = [0x1b2c880, 0xd75300, 0x8e2400]\n");
  for (std::size_t at = description.find("33554432"); at != std::string::npos; at = description.find("33554432")) {
    description.replace(at, 8, "2097152");
  }
  const Json topology = measured(workspace, description);
  CHECK(value(topology, "l2.slices") == 8);
  double lines = 0;
  for (const Json& of_slice : value(topology, "l2.page_lines_by_slice")) lines += of_slice.get<double>();
  CHECK(lines == 16384);
  // Each of them has an address bit above the first quarter of a page.
  const Json conditions = fact(topology, "l2.slice_function").at("conditions");
  CHECK(conditions.at("wrong_lines") == 0);
  CHECK(conditions.at("tested_lines") > 14000);
}
