#include <map>
#include <string>

#include "catch.hpp"
#include "sim/gpu/api_facts.hpp"
#include "sound_description.hpp"

namespace tomograph::sim {
namespace {

TEST_CASE("a description becomes the GPU that it says") {
  const Gpu gpu = parse_gpu(sound, "my.toml");
  CHECK(gpu.sm_count == 4);
  CHECK(gpu.caches[0].cache.set_ways == std::vector<std::int64_t>(32, 4));
  CHECK(gpu.caches[0].cache.fetch_granularity == 64);
  CHECK(gpu.caches[0].virtually_tagged);
  CHECK(gpu.l2.cache.set_ways == std::vector<std::int64_t>{16, 16, 8, 8});
  CHECK(gpu.l2.cache.fetch_granularity == 32);
  CHECK(gpu.l2.cache.index.masks == std::vector<std::uint64_t>{0x2080, 0x4100});
  CHECK(gpu.dram.far_latency == 400);
  CHECK(gpu.translation.tlb.size() == 1);
  CHECK(gpu.noise.outlier_high == 1000);
  CHECK(gpu.shared_memory->size_per_block == 65536);
  CHECK(gpu.shared_memory->modes == std::vector<std::int64_t>{4, 8});
}

TEST_CASE("what disturbs a run is read") {
  const Gpu gpu = parse_gpu(with("outlier_cycles",
                                 "outlier_cycles = [100, 1000]\nclock = { factor = 0.8, share = 0.2, loads = 5000 "
                                 "}\nintruder = { lines_per_load = 0.01 }"),
                            "my.toml");
  CHECK(gpu.noise.clock.factor == 0.8);
  CHECK(gpu.noise.clock.share == 0.2);
  CHECK(gpu.noise.clock.loads == 5000);
  CHECK(gpu.noise.intruder.lines_per_load == 0.01);
}

TEST_CASE("sets, ways and size follow from two of them") {
  for (const char* left_out : {"size", "sets", "ways"}) {
    CHECK(parse_gpu(with(left_out, ""), "my.toml").caches[0].cache.set_ways == std::vector<std::int64_t>(32, 4));
  }
}

TEST_CASE("without a word about the index, the bits next to the line offset select the set, or the remainder does") {
  CHECK(parse_gpu(with("index", ""), "my.toml").caches[0].cache.index.bits == std::vector<int>{7, 8, 9, 10, 11});
  std::string three_sets = with("index", "");
  three_sets.replace(three_sets.find("size = 16384\nsets = 32\nways = 4"), 31, "sets = 3\nways = 4");
  CHECK(parse_gpu(three_sets, "my.toml").caches[0].cache.index.kind == Index::Kind::modulo);
}

TEST_CASE("the description's own facts are published, and [api] can contradict them") {
  const Gpu gpu = parse_gpu(with("\"device.warp_size\"", "\"device.sm_count\" = 5"), "my.toml");
  std::map<std::string, tomograph::Value> facts;
  for (const ApiFact& fact : api_facts(gpu)) facts[fact.key] = fact.value;
  CHECK(facts.at("device.name") == "Test");
  CHECK(facts.at("device.sm_clock") == 1'000'000'000);
  CHECK(facts.at("device.sm_count") == 5);
}

TEST_CASE("malformed TOML is refused with file, line and column") {
  CHECK_THAT(error_of(with("latency", "latency = = 30")), Catch::Matchers::ContainsSubstring("my.toml:8:11: "));
}

TEST_CASE("a file that cannot be read is named") {
  CHECK_THROWS_WITH(read_gpu("./no-such-gpu.toml"), "./no-such-gpu.toml: cannot be read: No such file or directory");
}

TEST_CASE("an unknown key is refused with the nearest right name") {
  CHECK(error_of(with("sector_size", "sector_sise = 32")) ==
        "my.toml:10:1: cache.l1.sector_sise: unknown key; did you mean 'sector_size'?");
  CHECK(error_of(with("sm_count", "sm_cuont = 4")) == "my.toml:2:1: sm_cuont: unknown key; did you mean 'sm_count'?");
  CHECK_THAT(error_of(with("\"device", "\"device.wrap_size\" = 32")),
             Catch::Matchers::ContainsSubstring("did you mean 'device.warp_size'?"));
  CHECK_THAT(error_of(with("index", "index = { kind = \"hashed\", masks = [0x80], bits = [7] }")),
             Catch::Matchers::ContainsSubstring("cache.l1.index.bits: does not belong to kind \"hashed\""));
}

TEST_CASE("a value of the wrong type or outside its vocabulary is refused with file, line, key and what was expected") {
  CHECK(error_of(with("latency", "latency = \"30\"")) ==
        "my.toml:8:1: cache.l1.latency: expected an integer from 1 to 1000000, found \"30\"");
  CHECK(error_of(with("latency", "latency = 30.5")) ==
        "my.toml:8:1: cache.l1.latency: expected an integer from 1 to 1000000, found 30.5");
  CHECK(error_of(with("paths", "paths = [1]")) ==
        "my.toml:7:10: cache.l1.paths[0]: expected one of \"global.ca\", \"global.cg\", \"global.nc\", \"texture\", "
        "\"texture_2d\", \"constant\", \"shared\", \"instruction\", found 1");
  CHECK_THAT(
      error_of(with("paths", "paths = [\"global.ga\"]")),
      Catch::Matchers::ContainsSubstring("expected one of \"global.ca\", \"global.cg\", \"global.nc\", "
                                         "\"texture\", \"texture_2d\", \"constant\", \"shared\", \"instruction\", "
                                         "found \"global.ga\"; did you mean 'global.ca'?"));
  CHECK_THAT(error_of(with("replacement", "replacement = \"lr\"")),
             Catch::Matchers::ContainsSubstring("did you mean 'lru'?"));
  CHECK(error_of(with("[dram]", "dram = 400")) != "no error");
  CHECK_THAT(error_of(with("latency", "")),
             Catch::Matchers::ContainsSubstring("my.toml:6:8: cache.l1: the key latency is missing"));
}

TEST_CASE("a value outside its range is refused with file, line, key and the range") {
  const auto broken = [](const std::string& text, const std::string& error) {
    INFO(text);
    CHECK(error_of(text) == "my.toml:" + error);
  };
  broken(with("sm_count", "sm_count = 0"), "2:1: sm_count: expected an integer from 1 to 65536, found 0");
  broken(with("latency", "latency = -30"), "8:1: cache.l1.latency: expected an integer from 1 to 1000000, found -30");
  broken(with("ways", "ways = 0"), "14:1: cache.l1.ways: expected an integer from 1 to 16777216, found 0");
  broken(with("replacement", "replacement = { way_probability = [-0.5, 0.5, 0.5, 0.5] }"),
         "16:36: cache.l1.replacement.way_probability[0]: expected a number from 0 to 1, found -0.5");
  broken(with("latency", "latency = -200", 2), "18:1: l2.latency: expected an integer from 1 to 1000000, found -200");
  broken(with("far_latency", "far_latency = -1"),
         "19:1: l2.far_latency: expected an integer from 1 to 1000000, found -1");
  broken(with("latency", "latency = -400", 3), "27:1: dram.latency: expected an integer from 1 to 1000000, found -400");
  broken(with("penalty", "penalty = -10"), "31:1: tlb[0].penalty: expected an integer from 0 to 1000000, found -10");
  broken(with("latency", "latency = -25", 4),
         "41:1: shared_memory.latency: expected an integer from 1 to 1000000, found -25");
  broken(with("set_ways", "set_ways = []"),
         "22:1: l2.set_ways: expected an array with a length of at least 1, found []");
  broken(with("set_ways", "set_ways = [16, 0, 8, 8]"),
         "22:17: l2.set_ways[1]: expected an integer from 1 to 16777216, found 0");
  broken(with("partitions", "partitions = 99"), "24:1: l2.partitions: expected an integer from 1 to 16, found 99");
  broken(with("set_ways", "set_ways = [9000000000000000000, 16, 8, 8]"),
         "22:13: l2.set_ways[0]: expected an integer from 1 to 16777216, found 9000000000000000000");
  broken(with("set_ways", "set_ways = [-9223372036854775807, -9223372036854775807]"),
         "22:13: l2.set_ways[0]: expected an integer from 1 to 16777216, found -9223372036854775807\nmy.toml:22:35: "
         "l2.set_ways[1]: expected an integer from 1 to 16777216, found -9223372036854775807");
  broken(with("ways", "ways = 9223372036854775807"),
         "14:1: cache.l1.ways: expected an integer from 1 to 16777216, found 9223372036854775807");
  broken(with("sets", "sets = 99999999"),
         "13:1: cache.l1.sets: expected an integer from 1 to 16777216, found 99999999");
  broken(with("l1_sigma", "l1_sigma = -1"), "33:1: noise.l1_sigma: expected a number from 0 to 1000, found -1");
  broken(with("outlier_probability", "outlier_probability = 2"),
         "34:1: noise.outlier_probability: expected a number from 0 to 1, found 2");
  broken(with("outlier_cycles", "clock = { factor = 0 }"),
         "35:11: noise.clock.factor: expected a number greater than 0 of at most 100, found 0");
  broken(with("outlier_cycles", "clock = { share = 1 }"),
         "35:11: noise.clock.share: expected a number less than 1 of at least 0, found 1");
  broken(with("outlier_cycles", "intruder = { lines_per_load = 2 }"),
         "35:14: noise.intruder.lines_per_load: expected a number from 0 to 1, found 2");
  broken(with("banks", "banks = 0"), "38:1: shared_memory.banks: expected an integer from 1 to 1024, found 0");
  broken(sound + "[instructions]\nspecial = { completion = 4, issue = 0 }\n",
         "44:29: instructions.special.issue: expected a number greater than 0 of at most 1000000 or an array with a "
         "length "
         "of 3, found 0");
  broken(sound + "[divergence]\nwidth = 0\n", "44:1: divergence.width: expected an integer from 1 to 1024, found 0");
}

TEST_CASE("a description that would exhaust stack, memory or time is refused") {
  const auto broken = [](const std::string& text, const std::string& error) {
    CHECK_THAT(error_of(text), Catch::Matchers::ContainsSubstring(error));
  };
  std::string deep = "a";
  for (int i = 0; i < 500'000; ++i) deep += ".a";
  broken("\n" + deep + " = 1\n", "my.toml:2: expected a key of at most 32 parts");
  std::string levels = sound;
  for (int i = 0; i < 16; ++i) levels += "[[tlb]]\nentries = 1\nentry_span = 2097152\npenalty = 1\n";
  broken(levels, "tlb: expected an array with a length of at most 16");
  std::string caches = sound;
  for (int i = 0; i < 64; ++i) caches += "[cache.x" + std::to_string(i) + "]\n";
  broken(caches, "cache: expected a table with a number of keys of at most 64");
  std::string large = sound;
  for (const char* name : {"x", "y"}) {
    large += std::string("[cache.") + name + "]\nlatency = 1\nline_size = 128\nsets = 9000000\nways = 1\n";
  }
  broken(large, "cache.y.sets: gives more than 2^24 sets together with other caches");
}

TEST_CASE("a number that is not finite is refused at its place") {
  CHECK_THAT(error_of(with("conflict_cycles", "conflict_cycles = nan")),
             Catch::Matchers::ContainsSubstring("shared_memory.conflict_cycles: expected a finite number"));
  CHECK_THAT(error_of(with("replacement", "replacement = { way_probability = [1.0, nan, 0, 0] }")),
             Catch::Matchers::ContainsSubstring("way_probability.1: expected a finite number"));
}

TEST_CASE("a cache that is named like a path into another is refused") {
  CHECK_THAT(error_of(sound + "[cache.\"l1.paths.x\"]\nlatency = 1\nline_size = 128\nsets = 1\nways = 1\n"),
             Catch::Matchers::ContainsSubstring("expected a key that matches ^[A-Za-z0-9_]+$"));
}

}  // namespace
}  // namespace tomograph::sim
