#include <algorithm>
#include <utility>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// The machine of Table 1 of Wang et al. 2019 with one instruction per cycle and SM, as facts: an H100 with other
/// numbers.
const std::vector<std::string> table_1{"predict",    "kernel.toml",
                                       "--topology", TOMOGRAPH_SOURCE_DIR "/tests/recordings/beside/alone.toml",
                                       "--set",      "device.sm_clock=1.4e9",
                                       "--set",      "device.sm_count=28",
                                       "--set",      "instruction.fp32_fma.issue_latency=1",
                                       "--set",      "l2.latency=120",
                                       "--set",      "dram.latency=340",
                                       "--set",      "l1_data.outstanding_misses=128",
                                       "--set",      "l2.bandwidth.gather=262.5e9",
                                       "--set",      "dram.bandwidth.gather=120e9"};

const std::string golden = R"(name = "golden"
ctas = 28
warps_per_cta = 48
ctas_per_sm = 1
miss_bytes = 128
llc_miss_ratio = 0.5
[[interval]]
instructions = 21
stall = 230
read_misses = 32
)";

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The machine of Table 1 with another number for one of its facts, KEY=NUMBER.
std::vector<std::string> table_1_with(const std::string& number) {
  std::vector<std::string> arguments = table_1;
  const std::string key = number.substr(0, number.find('=') + 1);
  std::ranges::replace_if(
      arguments, [&](const std::string& argument) { return argument.starts_with(key); }, number);
  return arguments;
}

/// A text in which `from`, which it has once, is `to`.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

/// A topology that lacks the fact.
std::string without(std::string topology, const std::string& key) {
  for (const char* end : {"]", "."}) {
    const std::string table = "\n[" + key + end;
    for (std::size_t at = topology.find(table); at != std::string::npos; at = topology.find(table))
      topology.insert(at + 2, "unread.");
  }
  return topology;
}

/// A topology whose device does not have what the fact is about.
std::string with_absent(const std::string& topology, const std::string& key, const std::string& probe) {
  const std::string outcome = "[outcomes.\"" + key + "\"]\nprobe = \"" + probe + "\"\nstatus = ";
  return changed(without(topology, key), outcome + "\"measured\"",
                 outcome + "\"skipped\"\ncategory = \"device\"\nreason = \"this GPU has none\"");
}

Json predicted(const Workspace& workspace, const std::vector<std::string>& more = {},
               const std::vector<std::string>& machine = table_1) {
  const Ended ended = workspace.run(with(with(machine, {"--json"}), more));
  INFO(ended.err);
  REQUIRE(ended.exit_code == 0);
  return Json::parse(ended.out);
}

}  // namespace

TEST_CASE("predict gives the golden case of the published models, and says what limits the kernel") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const Json facts = predicted(workspace).at("facts");
  const Json& models = facts.at("kernel.ipc_by_model").at("value");
  CHECK(models.at("gpumech").get<double>() == Approx(12.468).margin(0.0005));
  CHECK(models.at("gpumech_plus").get<double>() == Approx(4.903).margin(0.0005));
  CHECK(models.at("mdm_queue").get<double>() == Approx(2.845).margin(0.0005));
  CHECK(models.at("mdm_mshr").get<double>() == Approx(2.677).margin(0.0005));
  CHECK(models.at("mdm").get<double>() == Approx(1.548).margin(0.0005));
  CHECK(facts.at("kernel.cycles").at("source") == "derived");
  CHECK(facts.at("kernel.limit").at("value") == "dram");
}

TEST_CASE("predict prints times, limit, stack and what twice of each part would bring") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const Ended ended = workspace.run(table_1);
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
  for (const char* part : {"kernel.cycles", "kernel.ipc", "kernel.limit", "kernel.stack", "wait_dram", "kernel.doubled",
                           "misses_in_flight", "kernel.ipc_by_model"}) {
    CHECK_THAT(ended.out, ContainsSubstring(part));
  }
}

TEST_CASE("predict tells what twice of the limiting part would bring, and no cycles that are only rounding") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const Json facts = predicted(workspace, {}, table_1_with("l2.bandwidth.gather=20e9")).at("facts");
  CHECK(facts.at("kernel.limit").at("value") == "l2");
  CHECK(facts.at("kernel.doubled").at("value").at("l2").get<double>() > 1.5);
  const double cycles = facts.at("kernel.cycles").at("value");
  for (const Json& part : facts.at("kernel.stack").at("value")) {
    const double waited = part;
    CHECK((waited == 0 || waited > 1e-9 * cycles));
  }
}

TEST_CASE("predict takes factors and numbers for facts, and sweeps one of them") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const auto cycles = [](const Json& prediction) {
    return prediction.at("facts").at("kernel.cycles").at("value").get<double>();
  };
  const double once = cycles(predicted(workspace));
  CHECK(cycles(predicted(workspace, {"--set", "dram.bandwidth.gather=2x"})) < 0.95 * once);
  const double half = cycles(predicted(workspace, {}, table_1_with("dram.bandwidth.gather=60e9")));
  CHECK(half > 1.5 * once);
  CHECK(cycles(predicted(workspace, {"--set", "dram.bandwidth.gather=0.5x"})) == half);
  const Json sweep = predicted(workspace, {"--sweep", "dram.bandwidth.gather=1x,2x,4x"}).at("sweep");
  REQUIRE(sweep.size() == 3);
  CHECK(cycles(sweep[0]) == Approx(once));
  CHECK(cycles(sweep[0]) > cycles(sweep[1]));
  // Then the network limits.
  CHECK(cycles(sweep[1]) >= cycles(sweep[2]));
  const Ended table = workspace.run(with(table_1, {"--sweep", "dram.bandwidth.gather=1x,2x"}));
  CHECK(table.exit_code == 0);
  CHECK_THAT(table.out, ContainsSubstring("dram.bandwidth.gather") && ContainsSubstring("kernel.cycles"));
}

TEST_CASE("predict sweeps factors of a fact that is set, and refuses to replace what is set") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const auto swept = [&](const std::string& values) {
    const std::string key = "dram.bandwidth.gather=";
    return workspace.run(with(table_1_with(key + "60e9"), {"--sweep", key + values}));
  };
  CHECK(swept("1x,2x").exit_code == 0);
  const Ended ended = swept("60e9,80e9");
  CHECK(ended.exit_code == 2);
  CHECK(ended.err == "tomograph: --set and --sweep both change dram.bandwidth.gather\n");
  CHECK(ended.out.empty());
}

TEST_CASE("the L1 of a prediction is as small as the shared memory that the kernel asks for leaves it") {
  const Workspace workspace;
  const auto cycles_beside = [&](const std::string& carveout) {
    workspace.write("kernel.toml",
                    "name = \"walk\"\nwarps = 8\nctas = 132\nctas_per_sm = 1\niterations = 64\n"
                    "footprint = 65536\n" +
                        carveout + "[[instruction]]\noperation = \"load\"\npattern = \"hash\"\n");
    const Ended ended = workspace.run({"predict", "kernel.toml", "--topology", "gallery:nvidia-h200", "--json"});
    INFO(ended.err);
    REQUIRE(ended.exit_code == 0);
    return Json::parse(ended.out).at("facts").at("kernel.cycles").at("value").get<double>();
  };
  const double alone = cycles_beside("");
  CHECK(cycles_beside("carveout = 0\n") == alone);
  CHECK(cycles_beside("carveout = 65536\n") == alone);
  CHECK(cycles_beside("carveout = 233472\n") > 1.1 * alone);
  workspace.write("topology.toml", without(Workspace::source("gallery/nvidia-h200.toml"), "l1_data.size_by_carveout"));
  const Ended ended = workspace.run({"predict", "kernel.toml"});
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.err, ContainsSubstring("tomograph run --only l1_data.size_by_carveout"));
}

TEST_CASE("predict sweeps a range in doublings, and writes the sweep as a report") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const Json sweep =
      predicted(workspace, {"--sweep", "dram.bandwidth.gather=0.5x..3x", "--report", "sweep.html"}).at("sweep");
  std::vector<std::string> values;
  for (const Json& row : sweep) values.push_back(row.at("value"));
  CHECK(values == std::vector<std::string>{"0.5x", "1x", "2x", "3x"});
  CHECK_THAT(workspace.text("sweep.html"), ContainsSubstring("kernel.sweep") && ContainsSubstring("</html>"));
}

TEST_CASE("predict finds no kernel slower on a faster memory, though it was measured to queue at lower rates") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const Ended ended = workspace.run({"predict", "kernel.toml", "--topology", "gallery:nvidia-h200", "--json", "--sweep",
                                     "dram.bandwidth.gather=0.25x..4x"});
  INFO(ended.err);
  REQUIRE(ended.exit_code == 0);
  double before = 1e300;
  for (const Json& row : Json::parse(ended.out).at("sweep")) {
    const double cycles = row.at("facts").at("kernel.cycles").at("value");
    CHECK(cycles <= before * (1 + 1e-9));
    before = cycles;
  }
}

TEST_CASE("predict writes no report where the sweep is refused") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const auto error_of = [&](const std::vector<std::string>& more) {
    const Ended ended = workspace.run(with(table_1, more));
    CHECK(ended.exit_code == 2);
    CHECK(ended.out.empty());
    CHECK(workspace.files() == std::vector<std::string>{"kernel.toml"});
    return ended.err;
  };
  CHECK_THAT(error_of({"--report", "sweep.html"}), ContainsSubstring("--sweep"));
  for (const char* range : {"4x..2x", "1x..2", "2x..2x"}) {
    CHECK_THAT(error_of({"--report", "sweep.html", "--sweep", std::string("dram.latency=") + range}),
               ContainsSubstring("a range that rises"));
  }
  CHECK_THAT(error_of({"--report", "sweep.html", "--sweep", "dram.latency=1x,"}),
             ContainsSubstring("expected a positive number"));
  CHECK_THAT(error_of({"--sweep", "dram.latency=0.5x..2x", "--report", "none/sweep.html"}), ContainsSubstring("none"));
}

TEST_CASE("predict takes kernel descriptions") {
  const Workspace workspace;
  workspace.write("kernel.toml", Workspace::source("tests/bench/mdm/kernels/spmv.toml"));
  const Json facts = predicted(workspace).at("facts");
  CHECK(facts.at("kernel.cycles").at("value").get<double>() > 1000);
}

TEST_CASE("predict names the facts that a topology lacks, and the probe that measures them") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const Ended ended = workspace.run(
      {"predict", "kernel.toml", "--topology", TOMOGRAPH_SOURCE_DIR "/tests/schemas/examples/topology.toml"});
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  CHECK_THAT(ended.err, ContainsSubstring("dram.latency: model") && ContainsSubstring("memory-spectrum/patterns"));
}

TEST_CASE("predict replaces no fact that the kernel uses, and names all that a topology lacks") {
  const Workspace workspace;
  workspace.write("kernel.toml", Workspace::source("tests/bench/mdm/kernels/spmv.toml"));
  std::string topology = Workspace::source("gallery/nvidia-h200.toml");
  for (const char* key : {"l1_data.size", "l1_data.latency", "l2.size", "l2.nominal_size",
                          "instruction.fp32_fma.completion_latency", "instruction.fp64_fma.completion_latency"}) {
    topology = without(topology, key);
  }
  workspace.write("topology.toml", topology);
  const Ended ended = workspace.run({"predict", "kernel.toml"});
  CHECK(ended.exit_code == 2);
  CHECK(ended.out.empty());
  for (const char* key : {"l1_data.size", "l1_data.latency", "l2.size", "instruction.fp32_fma.completion_latency"}) {
    CHECK_THAT(ended.err, ContainsSubstring(std::string("tomograph run --only ")) &&
                              ContainsSubstring(std::string(" --only ") + key));
  }
  CHECK_THAT(ended.err, !ContainsSubstring("fp64"));
  // A profile tells itself what these facts would.
  workspace.write("kernel.toml", golden);
  CHECK(workspace.run({"predict", "kernel.toml"}).exit_code == 0);
}

TEST_CASE("predict predicts for a GPU that is known to have no L1") {
  const Workspace workspace;
  workspace.write("kernel.toml", Workspace::source("tests/bench/mdm/kernels/spmv.toml"));
  std::string topology = Workspace::source("gallery/nvidia-h200.toml");
  for (const auto& [key, probe] :
       {std::pair{"l1_data.size", "data-cache/l1.size"}, std::pair{"l1_data.latency", "data-cache/l1.latency"}}) {
    topology = with_absent(topology, key, probe);
  }
  workspace.write("topology.toml", topology);
  const Ended ended = workspace.run({"predict", "kernel.toml"});
  INFO(ended.err);
  CHECK(ended.exit_code == 0);
}

TEST_CASE("predict gives an SM no more CTAs of a profile than fit on it") {
  const Workspace workspace;
  const std::string one_warp =
      changed(changed(golden, "ctas = 28", "ctas = 5000"), "warps_per_cta = 48", "warps_per_cta = 1");
  const auto facts_with = [&](const std::string& ctas_per_sm) {
    workspace.write("kernel.toml", changed(one_warp, "ctas_per_sm = 1", "ctas_per_sm = " + ctas_per_sm));
    const Json facts = predicted(workspace).at("facts");
    return std::pair{facts.at("kernel.cycles").at("value"), facts.at("kernel.ipc_by_model").at("value")};
  };
  CHECK(facts_with("64") == facts_with("32"));  // device.max_blocks_per_sm
  CHECK(facts_with("32") != facts_with("16"));
  for (const std::string& text : {golden, Workspace::source("tests/bench/mdm/kernels/spmv.toml")}) {
    workspace.write("kernel.toml", text);
    const Ended ended = workspace.run(with(table_1, {"--set", "device.max_warps_per_sm=7"}));
    CHECK(ended.exit_code == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, ContainsSubstring("kernel.toml: no CTA of ") && ContainsSubstring(" fits on an SM"));
    CHECK(std::ranges::count(ended.err, '\n') == 1);
  }
}

TEST_CASE("predict refuses numbers that no GPU can have, with the fact, its value and what was expected") {
  const Workspace workspace;
  workspace.write("kernel.toml", Workspace::source("tests/bench/mdm/kernels/spmv.toml"));
  const auto error_of = [&](const std::vector<std::string>& change) {
    const Ended ended = workspace.run(with(table_1, change));
    CHECK(ended.exit_code == 2);
    CHECK(ended.out.empty());
    CHECK(workspace.files() == std::vector<std::string>{"kernel.toml"});
    return ended.err;
  };
  const auto expected = [](const std::string& what) { return ContainsSubstring("fact " + what); };
  CHECK_THAT(error_of({"--set", "l1_data.fetch_granularity=16"}),
             expected("l1_data.fetch_granularity is 16, expected a multiple of 32 B"));
  CHECK_THAT(error_of({"--set", "l2.ways=0.3"}), expected("l2.ways is 0.3, expected a whole number from 1 to "));
  CHECK_THAT(error_of({"--set", "l2.ways=1e18"}), expected("l2.ways is 1e+18, expected a whole number from 1 to "));
  CHECK_THAT(error_of({"--set", "l2.line_size=100"}), expected("l2.line_size is 100, expected a multiple of"));
  CHECK_THAT(error_of({"--set", "l2.size=100"}), expected("l2.size is 100.0, expected a line (128 B) to "));
  CHECK_THAT(error_of({"--set", "l2.size=1e15"}), expected("l2.size is 1e+15, expected a line (128 B) to "));
  CHECK_THAT(error_of({"--set", "device.max_warps_per_sm=1e30"}),
             expected("device.max_warps_per_sm is 1e+30, expected a positive"));
  CHECK_THAT(error_of({"--set", "l1_data.latency=1e300"}),
             expected("l1_data.latency is 1e+300, expected a positive number"));
  CHECK_THAT(error_of({"--set", "l2.ways=16", "--sweep", "l2.ways=0.03125x..1x", "--report", "sweep.html"}),
             expected("l2.ways is 0.5, expected a whole number"));
  CHECK(error_of({"--set", "l2.latency=1e308x"}) ==
        "tomograph: l2.latency=1e308x: 120.0 times this factor is beyond any number\n");
  // A number of bytes need not be whole.
  CHECK(workspace.run(with(table_1, {"--set", "dram.size=0.3333x"})).exit_code == 0);
}

TEST_CASE("predict refuses bad kernels with one message and exit code 2") {
  const Workspace workspace;
  const auto error_of = [&](const std::string& text) {
    workspace.write("kernel.toml", text);
    const Ended ended = workspace.run(table_1);
    CHECK(ended.exit_code == 2);
    CHECK(ended.out.empty());
    return ended.err;
  };
  CHECK_THAT(error_of(golden + "stal = 3\n"), ContainsSubstring("kernel.toml:11:1: interval[0].stal"));
  CHECK_THAT(error_of("name = \"x\"\n"), ContainsSubstring("kernel.toml"));
  CHECK_THAT(error_of("what"), ContainsSubstring("kernel.toml:1"));
  CHECK_THAT(error_of("name = \"\xff\"\n"), ContainsSubstring("kernel.toml:1:8: malformed TOML"));
  const std::string spmv = Workspace::source("tests/bench/mdm/kernels/spmv.toml");
  CHECK_THAT(error_of(changed(spmv, "warps = 8", "warps = 0")), ContainsSubstring("warps"));
  CHECK_THAT(error_of(changed(spmv, "footprint = 25165824", "footprint = 500000000000")),
             ContainsSubstring("footprint is 500000000000 B"));
  CHECK_THAT(error_of(changed(spmv, "iterations = 12", "iterations = 16777216")),
             ContainsSubstring("kernel.toml: a warp executes") && ContainsSubstring("reduce iterations"));
  // All warps of 28 SMs: 1792 times 15 million instructions of 28 bytes.
  CHECK_THAT(error_of("name = \"long\"\nwarps = 32\nctas = 56\nctas_per_sm = 2\niterations = 3000000\n"
                      "footprint = 32\n[[instruction]]\noperation = \"integer\"\n"),
             ContainsSubstring("do not fit in memory; reduce iterations"));
  CHECK_THAT(error_of(changed(spmv, "previous = [\"sum\"]", "needs = [\"sum\"]")), ContainsSubstring("needs"));
  CHECK_THAT(error_of(changed(golden, "llc_miss_ratio = 0.5", "llc_miss_ratio = 1.5")),
             ContainsSubstring("kernel.toml:6:1: llc_miss_ratio"));
  CHECK_THAT(error_of(changed(golden, "read_misses = 32", "read_misses = -1")),
             ContainsSubstring("kernel.toml:10:1: interval[0].read_misses"));
}

TEST_CASE("predict needs the size of a line of the L1 or of the L2, and says how to measure it") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  std::string topology = Workspace::source("gallery/nvidia-h200.toml");
  for (const char* cache : {"l1_data", "l2"}) {
    const std::string table = "[" + std::string(cache) + ".line_size]";
    topology = changed(topology, table, "[" + std::string(cache) + ".line_width]");
    workspace.write("topology.toml", topology);
    const Ended ended = workspace.run({"predict", "kernel.toml"});
    INFO(ended.err);
    CHECK(ended.exit_code == (cache == std::string("l1_data") ? 0 : 2));
    if (ended.exit_code == 0) continue;
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, ContainsSubstring("tomograph run --only l1_data.line_size"));
  }
}

TEST_CASE("predict refuses changes of facts that the model does not read, or that are no numbers") {
  const Workspace workspace;
  workspace.write("kernel.toml", golden);
  const auto error_of = [&](const std::string& change) {
    const Ended ended = workspace.run(with(table_1, {"--set", change}));
    CHECK(ended.exit_code == 2);
    return ended.err;
  };
  CHECK_THAT(error_of("dram.bandwith.gather=2x"), ContainsSubstring("did you mean 'dram.bandwidth.gather'"));
  CHECK_THAT(error_of("dram.latency=fast"), ContainsSubstring("expected a positive number"));
  CHECK_THAT(error_of("dram.latency"), ContainsSubstring("expected KEY=VALUE"));
  CHECK_THAT(error_of("dram.latency=-2x"), ContainsSubstring("expected a positive number"));
  CHECK_THAT(error_of("device.max_warps_per_sm=1.5"),
             ContainsSubstring("device.max_warps_per_sm is 1.5, expected a whole number"));
}

TEST_CASE("predict refuses files that are not there") {
  const Workspace workspace;
  CHECK(workspace.run({"predict", "nothing.toml", "--topology", "gallery:nvidia-h100-80gb-hbm3"}).exit_code == 2);
  workspace.write("kernel.toml", golden);
  CHECK(workspace.run({"predict", "kernel.toml", "--topology", "nothing.toml"}).exit_code == 2);
}
