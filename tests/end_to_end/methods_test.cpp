#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

/// A GPU with nothing but a texture cache of 12 KiB and 4 sets chosen by address bits 7 and 8, and what is behind it.
std::string gpu_with_texture_cache(const std::string& lines) {
  return R"(name = "Kepler's texture cache"
sm_count = 2
sm_clock_mhz = 1000
[cache.texture]
paths = ["texture", "texture_2d"]
latency = 105
size = 12288
sets = 4
index = { kind = "bits", bits = [7, 8] }
replacement = "lru"
)" + lines +
         R"(
[l2]
latency = 215
line_size = 128
size = 1572864
ways = 16
replacement = "lru"
[dram]
latency = 500
size = 1073741824
)";
}

struct Parameters {
  Json size, line_size, sets, ways;
  bool operator==(const Parameters&) const = default;
};

/// Runs a method, or the usual probes, for facts of the texture cache.
Json topology_of(const std::string& gpu, const std::string& method, const std::vector<std::string>& names) {
  const Workspace workspace;
  workspace.write("gpu.toml", gpu);
  std::vector<std::string> arguments{"run", "--device", "sim:./gpu.toml"};
  for (const std::string& name : names) arguments.insert(arguments.end(), {"--only", "texture." + name});
  if (!method.empty()) arguments.insert(arguments.end(), {"--method", method});
  const Ended ended = workspace.run(arguments);
  INFO(ended.err);
  return shown_topology(workspace, "topology.toml");
}

/// What a method, or the usual probes, find out about these facts of the texture cache.
Parameters found(const std::string& gpu, const std::string& method,
                 const std::vector<std::string>& names = {"size", "line_size", "sets", "ways"}) {
  const Json topology = topology_of(gpu, method, names);
  const auto value = [&](const std::string& name) {
    const Json record = fact(topology, "texture." + name);
    if (record.is_null()) return Json();
    if (!method.empty()) CHECK(record.at("method") == method);
    return record.at("value");
  };
  return {value("size"), value("line_size"), value("sets"), value("ways")};
}

}  // namespace

TEST_CASE("Saavedra 1992 and Wong 2010 contradict each other on Kepler's texture cache, the usual probes find it") {
  // Mei & Chu 2017, Figs. 4 and 5, section 4.1: b = 32 B, T = 16, a = 24 against b = 128 B, T = 4, a = 24.
  const std::string gpu = gpu_with_texture_cache("line_size = 128\nsector_size = 32\nfetch_granularity = 32");
  CHECK(found(gpu, "saavedra1992") == Parameters{12288, 32, 16, 24});
  CHECK(found(gpu, "wong2010") == Parameters{12288, 128, 4, 24});
  CHECK(found(gpu, "") == Parameters{12288, 128, 4, 24});
}

TEST_CASE("with lines of 32 B, as Mei and Chu's Fig. 7 draws the cache, their Fig. 4 could not have come about") {
  // 96 lines of one set fit its 96 ways, so strides from 128 B on always hit: a = 48 KB / 128 B.
  const std::string gpu = gpu_with_texture_cache("line_size = 32");
  CHECK(found(gpu, "saavedra1992") == Parameters{12288, 32, 1, 384});
  CHECK(found(gpu, "wong2010") == Parameters{12288, 128, 4, 24});
  CHECK(found(gpu, "") == Parameters{12288, 32, 4, 96});
}

TEST_CASE("the change point of Groessler 2022 is just behind the size of an LRU cache") {
  const Parameters seen = found(gpu_with_texture_cache("line_size = 32"), "groessler2022", {"size"});
  REQUIRE(seen.size.is_number());
  CHECK(seen.size.get<int>() >= 12288);
  CHECK(seen.size.get<int>() <= 12288 + 4 * 128);
}

TEST_CASE(
    "where victims are drawn before a set is full, Groessler 2022 misses 6 to 8 of 32 KiB, the usual probes none") {
  const auto gpu = [](const std::string& replacement) {
    std::string text = gpu_with_texture_cache("line_size = 32\nways = 4");
    const std::string lru =
        "size = 12288\nsets = 4\nindex = { kind = \"bits\", bits = [7, 8] }\nreplacement = \"lru\"\n";
    return text.replace(text.find(lru), lru.size(), "size = 32768\nreplacement = " + replacement + "\n");
  };
  constexpr int kib = 1024;
  const Parameters seen = found(gpu("{ recent_ways = 2 }"), "groessler2022", {"size"});
  REQUIRE(seen.size.is_number());
  CHECK(32 * kib - seen.size.get<int>() >= 6 * kib);
  CHECK(32 * kib - seen.size.get<int>() <= 8 * kib);
  const Json ours = fact(topology_of(gpu("{ recent_ways = 2 }"), "", {"size"}), "texture.size");
  CHECK(ours.at("value").get<double>() >= 0.99 * 32 * kib);
  CHECK(ours.at("value").get<double>() <= 1.01 * 32 * kib);
  CHECK(ours.at("interval").at(0).get<double>() <= 32 * kib);
  CHECK(ours.at("interval").at(1).get<double>() >= 32 * kib);
  // It is the policy, not the method: under LRU nothing is missing.
  const Parameters under_lru = found(gpu("\"lru\""), "groessler2022", {"size"});
  REQUIRE(under_lru.size.is_number());
  CHECK(under_lru.size.get<int>() >= 32 * kib);
  CHECK(under_lru.size.get<int>() <= 34 * kib);
}

TEST_CASE("a cache smaller than the smallest walk has no parameters by Saavedra 1992, and nothing fails") {
  std::string gpu = gpu_with_texture_cache("line_size = 32");
  gpu.replace(gpu.find("size = 12288"), 12, "size = 512  ");
  CHECK(found(gpu, "saavedra1992") == Parameters{});
  CHECK(found(gpu, "wong2010").size == 512);
}

TEST_CASE("what L2 prefetches is what the first load of a walk brings, as Mei and Chu 2017 found, or nothing") {
  const auto prefetched = [](const std::string& l2) {
    std::string gpu = gpu_with_texture_cache("line_size = 32");
    gpu.insert(gpu.find("ways = 16"), l2);
    gpu += "[api]\n\"l2.nominal_size\" = 1572864\n\"device.max_shared_memory_per_block\" = 232448\n";
    const Workspace workspace;
    workspace.write("gpu.toml", gpu);
    const Ended ended =
        workspace.run({"run", "--device", "sim:./gpu.toml", "--only", "l2.prefetch", "--method", "mei2017"});
    INFO(ended.err);
    return shown_topology(workspace, "topology.toml");
  };
  // 1 MiB, two thirds of it. A program times 2048 loads a round, since the device keeps fewer than 8192: 768 B apart.
  const Json seen = fact(prefetched("prefetch = { size = 1048576 }\n"), "l2.prefetch");
  CHECK(seen.at("value").at("order") == "sequential");
  CHECK(seen.at("value").at("size").get<int>() >= 1048576);
  CHECK(seen.at("value").at("size").get<int>() < 1048576 + 768);
  const Json none = prefetched("");
  CHECK(fact(none, "l2.prefetch").is_null());
  CHECK(none.at("outcomes").at("l2.prefetch").at("status") == "skipped");
}

TEST_CASE("a method that nobody follows, or that a pattern lacks, is refused and named") {
  const Workspace workspace;
  const Ended unknown = workspace.run({"run", "--device", "sim:small", "--method", "saavedra"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, ContainsSubstring("no probe follows method 'saavedra'; there are groessler2022, lemeire2016, "
                                            "mei2017, saavedra1992, wang2019, wong2010"));
  const Ended lacking = workspace.run({"plan", "--only", "classical-methods/wong2010.*"});
  CHECK(lacking.exit_code == 2);
  CHECK_THAT(lacking.err, ContainsSubstring("add --method wong2010"));
  CHECK(workspace.files().empty());
}
