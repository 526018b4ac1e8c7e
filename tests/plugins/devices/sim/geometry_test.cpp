#include <string>

#include "catch.hpp"
#include "sound_description.hpp"

namespace tomograph::sim {
namespace {

TEST_CASE("impossible geometry is refused with file, line, key and the rule that is broken") {
  const auto broken = [](const std::string& text, const std::string& error) {
    INFO(text);
    CHECK(error_of(text) == "my.toml:" + error);
  };
  broken(with("line_size", "line_size = 96"), "9:1: cache.l1.line_size: is 96, must be a power of two");
  broken(with("sector_size", "sector_size = 256"), "10:1: cache.l1.sector_size: is 256, larger than the line of 128 B");
  broken(with("sector_size", "sector_size = 48"),
         "10:1: cache.l1.sector_size: is 48, does not divide the line of 128 B");
  broken(with("fetch_granularity", "fetch_granularity = 16"),
         "11:1: cache.l1.fetch_granularity: is 16, must lie between the sector of 32 B and the line of 128 B");
  broken(with("fetch_granularity", "fetch_granularity = 256"),
         "11:1: cache.l1.fetch_granularity: is 256, must lie between the sector of 32 B and the line of 128 B");
  broken(with("size", "size = 16000"), "12:1: cache.l1.size: is 16000, but sets, ways and lines make 16384 B");
  broken(with("index", "index = { kind = \"bits\", bits = [7, 8, 9, 10, 10] }"),
         "15:26: cache.l1.index.bits: names bit 10 twice");
  broken(with("index", "index = { kind = \"bits\", bits = [6, 7, 8, 9, 10] }"),
         "15:26: cache.l1.index.bits: names bit 6, which lies inside the line of 128 B");
  broken(with("index", "index = { kind = \"bits\", bits = [7, 8] }"),
         "15:26: cache.l1.index.bits: has 2 bits, which select 2^2 sets, but there are 32");
  broken(with("replacement", "replacement = { way_probability = [0.5, 0.5, 0.5, 0.5] }"),
         "16:17: cache.l1.replacement.way_probability: adds up to 2.000000, must add up to 1");
  broken(with("replacement", "replacement = { way_probability = [0.5, 0.5] }"),
         "16:17: cache.l1.replacement.way_probability: has 2 probabilities, but a set has 4 ways");
  broken(with("set_ways", "set_ways = [16, 16, 8, 8]\nsize = 6144"),
         "23:1: l2.size: is 6144, but set_ways and lines make 12288 B");
  broken(with("set_ways", "set_ways = [16, 16, 8, 8]\nsets = 4"),
         "23:1: l2.sets: is given beside set_ways, which already says it");
  broken(
      with("index", "index = { kind = \"hashed\", masks = [0x2080, 0x2080] }", 2),
      "23:28: l2.index.masks: has masks of which one is the exclusive-or of others, so some sets could never be used");
  broken(with("index", "index = { kind = \"hashed\", masks = [0x2080] }", 2),
         "23:28: l2.index.masks: has 1 masks, which select 2^1 sets, but there are 4");
  broken(with("index", "index = { kind = \"quotient\", parities = [1, 2] }", 2),
         "23:11: l2.index.kind: is \"quotient\", but there is no l2.slice_function");
  const std::string slices = "slices = 3\nslice_function = { factor = 3 }\n";
  broken(with("index", slices + "index = { kind = \"quotient\", parities = [1, 2] }", 2),
         "25:30: l2.index.parities: with remainder_by makes 4 sets of each of 3 slices, but there are 4 sets");
  broken(with("index", slices + "index = { kind = \"quotient\", parities = [1, 1] }", 2),
         "25:30: l2.index.parities: has masks of which one is the exclusive-or of others, so some sets could never be "
         "used");
  broken(with("index", slices + "index = { kind = \"quotient\" }", 2),
         "25:1: l2.index.parities: is missing for kind \"quotient\"");
  broken(with("index", slices + "index = { kind = \"quotient\", parities = [1, 2], bits = [7] }", 2),
         "25:49: l2.index.bits: does not belong to kind \"quotient\"");
  broken(with("index", "index = { kind = \"modulo\", parities = [1, 2] }", 2),
         "23:28: l2.index.parities: does not belong to kind \"modulo\"");
  broken(with("index", "index = { kind = \"quotient\", parities = [1, 2] }"),
         "15:11: cache.l1.index.kind: is \"quotient\", which only the L2 can have");
  broken(with("partitions", "partitions = 3"), "25:1: l2.home_masks: has 1 masks, which does not fit 3 partitions");
  broken(with("set_ways", "set_ways = [16777216, 1]"), "22:1: l2.set_ways: adds up to more than 2^24 lines");
  broken(with("home_masks", "home_masks = []"), "25:1: l2.home_masks: has 0 masks, which does not fit 2 partitions");
  broken(with("home_masks", "home_masks = [0x2080]"),
         "25:1: l2.home_masks: depends on the set index, so some sets of a partition could never be home to a line");
  broken(with("home_masks", "home_masks = [0x1000, 0x8000]"),
         "25:1: l2.home_masks: has 2 masks, which does not fit 2 partitions");
  broken(with("home_masks", "home_masks = [0x1000]\nsm_partition = [0, 1]"),
         "26:1: l2.sm_partition: has 2 entries, but there are 4 SMs");
  broken(with("entry_span", "entry_span = 3000000"), "30:1: tlb[0].entry_span: is 3000000, must be a power of two");
  broken(with("outlier_cycles", "outlier_cycles = [9, 1]"),
         "35:1: noise.outlier_cycles: must be two numbers in ascending order");
  broken(with("outlier_cycles", "clock = { share = 0.5 }"),
         "35:1: noise.clock.loads: is missing, but the clock steps for a share of the time");
  broken(with("bank_width", "bank_width = 12"), "39:1: shared_memory.bank_width: is 12, must be a power of two");
  broken(with("modes", "modes = [16]"),
         "40:1: shared_memory.modes: holds 16, which is no multiple of 4 that divides bank_width, 8");
}

TEST_CASE("any number of partitions is described whose homes lines of every set can have") {
  const auto described = [](const std::string& masks) {
    std::string text = with("partitions", "partitions = 3");
    return text.replace(text.find("[0x1000]"), 8, masks);
  };
  CHECK(parse_gpu(described("[0x1000, 0x8000]"), "my.toml").l2.home_masks.size() == 2);
  // Masks may take bits of the index (0x2080, 0x4100) as long as others leave all three remainders to each set.
  CHECK(parse_gpu(described("[0x80, 0x100, 0x2000, 0x4000, 0x8000, 0x10000]"), "my.toml").l2.partitions == 3);
  const std::string never = "25:1: l2.home_masks: depends on the set index, so some sets of a partition could never";
  // Of set 0 the numbers are 0 and 3, alike modulo 3.
  CHECK_THAT(error_of(described("[0x80, 0x2000]")), Catch::Matchers::StartsWith("my.toml:" + never));
  CHECK_THAT(error_of(described("[0x2080, 0x8000]")), Catch::Matchers::StartsWith("my.toml:" + never));
  std::string seventeen = "[0x1000";
  for (int i = 0; i < 16; ++i) seventeen += ", 0x1000";
  CHECK(error_of(described(seventeen + "]")) ==
        "my.toml:25:1: l2.home_masks: expected an array with a length of at most 16, found "
        "[4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,4096...");
}

TEST_CASE("replacement policies that do not fit the ways, and impossible prefetches, are refused") {
  const auto broken = [](const std::string& text, const std::string& error) {
    CHECK_THAT(error_of(text), Catch::Matchers::StartsWith("my.toml:" + error));
  };
  const auto policy = [](const std::string& is) { return with("replacement", "replacement = " + is); };
  CHECK(parse_gpu(policy("\"tree-plru\""), "my.toml").caches[0].cache.replacement.policy ==
        Replacement::Policy::tree_plru);
  CHECK(parse_gpu(policy("{ way_order = [2, 3, 2, 1, 2, 4] }"), "my.toml").caches[0].cache.replacement.way_order ==
        std::vector<std::int64_t>{1, 2, 1, 0, 1, 3});
  broken(with("set_ways", "set_ways = [16, 16, 8, 12]\nreplacement = \"tree-plru\""),
         "23:1: l2.replacement: is \"tree-plru\", but a set has 12 ways, a tree needs a power of two up to 32");
  broken(policy("{ way_order = [1, 5] }"),
         "16:17: cache.l1.replacement.way_order: names way 5, but a set has ways 1 to 4");
  broken(policy("{ way_order = [0] }"),
         "16:30: cache.l1.replacement.way_order[0]: expected an integer of at least 1, found 0");
  broken(policy("{ way_order = [] }"),
         "16:17: cache.l1.replacement.way_order: expected an array with a length of at least 1");
  broken(policy("{ way_order = [1], protected_ways = 1 }"),
         "16:1: cache.l1.replacement: expected one of \"lru\", \"fifo\", \"random\", \"tree-plru\" or a table with a "
         "number of keys of 1");
  CHECK(parse_gpu(policy("{ recent_ways = 3 }"), "my.toml").caches[0].cache.replacement.recent_ways == 3);
  broken(policy("{ recent_ways = 4 }"),
         "16:17: cache.l1.replacement.recent_ways: is 4, but a set has 4 ways and needs one that may be the victim");
  broken(policy("{ recent_ways = 0 }"),
         "16:17: cache.l1.replacement.recent_ways: expected an integer of at least 1, found 0");
  broken(policy("{ protected_ways = 4 }"),
         "16:17: cache.l1.replacement.protected_ways: is 4, but a set has 4 ways and needs one that is not protected");
  broken(policy("{ recent_ways = 1, way_order = [1] }"),
         "16:1: cache.l1.replacement: expected one of \"lru\", \"fifo\", \"random\", \"tree-plru\" or a table with a "
         "number of keys of 1");
  broken(with("partitions", "partitions = 2\nprefetch = { size = 64 }"),
         "25:14: l2.prefetch.size: is 64, must be at least 256");
  broken(with("partitions", "partitions = 2\nprefetch = { size = 12544 }"),
         "25:14: l2.prefetch.size: is 12544, must be at most 12288");
}

/// `sound` with carve-outs in place of the fixed size of the L1, and so much shared memory.
std::string with_carveouts(const std::string& carveouts, const std::string& shared_memory = "8192") {
  std::string text = with("size_per_sm", "size_per_sm = " + shared_memory);
  const std::string fixed = "size = 16384\nsets = 32\nways = 4\n";
  return text.replace(text.find(fixed), fixed.size(), "sets = 32\ncarveouts = { " + carveouts + " }\n");
}

TEST_CASE("carve-outs take the place of size and ways, and must leave each set a line") {
  const Gpu gpu = parse_gpu(with_carveouts("sram = 24576, reserved = 4096, shared_memory = [0, 8192]"), "my.toml");
  CHECK(gpu.caches[0].carveouts->reserved == std::vector<std::int64_t>{4096, 4096});
  CHECK(gpu.caches[0].ways_beside(0) == std::vector<std::int64_t>(32, 5));
  CHECK(error_of(with_carveouts("sram = 24576, shared_memory = [0, 24576]")) ==
        "my.toml:13:29: cache.l1.carveouts.shared_memory: leaves 0 B beside 24576 B, less than one line in each of 32 "
        "sets");
  CHECK_THAT(error_of(with_carveouts("sram = 24576, shared_memory = [8192, 0]")),
             Catch::Matchers::ContainsSubstring("must be in ascending order"));
  std::string of_ways = with_carveouts("sram = 24576, shared_memory = [0]");
  of_ways.replace(of_ways.find("\"lru\""), 5, "{ recent_ways = 2 }");
  CHECK_THAT(error_of(of_ways), Catch::Matchers::ContainsSubstring("is about certain ways, but carve-outs change"));
  CHECK_THAT(error_of(with_carveouts("sram = 24576, shared_memory = [0], default = 4096")),
             Catch::Matchers::ContainsSubstring("cache.l1.carveouts.default: is 4096, not one of shared_memory"));
  CHECK_THAT(error_of(with_carveouts("sram = 24576, shared_memory = [0, 8192], reserved = [0]")),
             Catch::Matchers::ContainsSubstring("has 1 entries, shared_memory has 2"));
  std::string dealt = with_carveouts("sram = 24576, shared_memory = [0]");
  const std::size_t index = dealt.find("index = ");
  dealt.replace(index, dealt.find('\n', index) - index, "index = { kind = \"dealt\" }");
  CHECK_THAT(error_of(dealt),
             Catch::Matchers::ContainsSubstring("cache.l1.index.kind: distributes lines over ways, but carve-outs"));
  CHECK_THAT(error_of(with_carveouts("sram = 24576, shared_memory = [0, 8192]", "16384")),
             Catch::Matchers::EndsWith("shared_memory.size_per_sm: is 16384, more than the 8192 B of the largest "
                                       "carve-out of cache.l1"));
  CHECK_THAT(error_of(with("ways", "ways = 4\ncarveouts = { sram = 24576, shared_memory = [0] }")),
             Catch::Matchers::ContainsSubstring("cache.l1.size: is given beside carveouts, which decide it"));
}

/// Two caches behind `sound` with one more line in the first of them.
std::string with_chain(const std::string& line) {
  return sound + "[cache.first]\nlatency = 30\nline_size = 64\nsets = 4\nways = 4\nnext = \"second\"\n" + line +
         "\n[cache.second]\nlatency = 90\nline_size = 256\nsets = 4\nways = 4\n";
}

TEST_CASE("caches have names, serve paths, lead to one another and belong to warps or SMs as described") {
  const Gpu gpu = parse_gpu(with_chain("paths = [\"texture\", \"constant\"]\nper_sm = 4\nwarp_block = 8"), "my.toml");
  const PrivateCache* first = gpu.serving(chase::Path::constant);
  REQUIRE(first != nullptr);
  CHECK(first->name == "first");
  CHECK(first == gpu.serving(chase::Path::texture));
  CHECK(first == gpu.find_cache("first"));
  CHECK(first->next == "second");
  CHECK(first->per_sm == 4);
  CHECK(first->warp_block == 8);
  CHECK(gpu.serving(chase::Path::global_nc) == nullptr);
  CHECK(gpu.find_cache("third") == nullptr);
  const auto groups = [](const std::string& by) {
    return parse_gpu(with_chain("paths = [\"texture\"]\nshared_by = " + by), "my.toml").find_cache("first")->shared_by;
  };
  CHECK(groups("3") == SmGroups{{0, 1, 2}, {3}});
  CHECK(groups("[[0, 2], [3, 1]]") == SmGroups{{0, 2}, {3, 1}});
}

TEST_CASE("caches that contradict one another are refused with the key and the rule") {
  const auto broken = [](const std::string& line, const std::string& error) {
    CHECK_THAT(error_of(with_chain(line)), Catch::Matchers::ContainsSubstring(error));
  };
  const std::string serving = "paths = [\"texture\"]\n";
  broken("", "cache.first.paths: is empty and no cache's misses come here");
  broken("paths = [\"global.ca\"]", "cache.l1.paths: names global.ca, which looks into first first");
  broken("paths = [\"shared\"]", "cache.first.paths: names shared memory");
  broken("paths = [\"texture\", \"texture\"]",
         "cache.first.paths: expected an array without repetitions, found [\"texture\",\"texture\"]");
  broken(serving + "sector_size = 3", "cache.first.sector_size: expected an integer of at least 8, found 3");
  broken(serving + "per_sm = 0", "cache.first.per_sm: expected an integer from 1 to 64, found 0");
  broken(serving + "per_sm = 2\nshared_by = 2", "cache.first.shared_by: is given beside several instances per SM");
  broken(serving + "shared_by = [[0, 1], [2]]", "cache.first.shared_by: does not name SM 3");
  broken(serving + "shared_by = [[0, 1], [2, 3, 1]]", "cache.first.shared_by: names SM 1 twice");
  broken(serving + "shared_by = [[0, 1, 2, 3, 4]]", "cache.first.shared_by: names SM 4, there are 4");
  broken(serving + "shared_by = [0, 1]",
         "cache.first.shared_by[0]: expected an array with a length of at least 1, found 0");
  broken(serving + "[cache.l2]\nlatency = 3\nline_size = 64\nsets = 1\nways = 1", "cache.l2: is the name");
  const auto replaced = [](std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
  };
  const std::string chain = with_chain(serving);
  CHECK_THAT(error_of(replaced(chain, "\"second\"", "\"third\"")),
             Catch::Matchers::ContainsSubstring("my.toml:48:1: cache.first.next: names no cache"));
  CHECK_THAT(error_of(replaced(chain, "\"second\"", "\"first\"")),
             Catch::Matchers::ContainsSubstring("cache.first.next: leads in a circle"));
  CHECK_THAT(error_of(replaced(chain, "line_size = 256", "line_size = 32")),
             Catch::Matchers::ContainsSubstring("cache.first.fetch_granularity: is 64, more than the line of 32 B"));
}

TEST_CASE("what a GPU lacks is read, and cannot be served or delayed") {
  const auto lacking = [](const std::string& lines) { return with("sm_clock_mhz", "sm_clock_mhz = 1000\n" + lines); };
  const Gpu gpu =
      parse_gpu(lacking("lacks = [\"texture_2d\"]\npath_delay = { texture = 7, \"global.nc\" = 2 }"), "my.toml");
  CHECK_FALSE(gpu.load_paths.has(chase::Path::texture_2d));
  CHECK(gpu.load_paths.has(chase::Path::texture));
  CHECK(gpu.load_paths.delay(chase::Path::texture) == 7);
  CHECK(gpu.load_paths.delay(chase::Path::global_nc) == 2);
  CHECK(gpu.load_paths.delay(chase::Path::global_ca) == 0);
  CHECK_THAT(error_of(lacking("lacks = [\"global.ca\"]")),
             Catch::Matchers::ContainsSubstring("4:1: lacks: names global.ca, but cache.l1 serves it"));
  CHECK_THAT(error_of(lacking("lacks = [\"texture\"]\npath_delay = { texture = 7 }")),
             Catch::Matchers::ContainsSubstring("path_delay.texture: is about a path that the GPU lacks"));
  CHECK_THAT(error_of(lacking("path_delay = { textur = 7 }")),
             Catch::Matchers::ContainsSubstring("did you mean 'texture'?"));
}

TEST_CASE("TLB levels, pages, windows and memories that cannot be are refused with key and rule") {
  const auto broken = [](const std::string& text, const std::string& error) {
    CHECK_THAT(error_of(text), Catch::Matchers::ContainsSubstring(error));
  };
  broken(with("entries", "entries = 16\nways = 2"), "tlb[0].ways: is given beside entries");
  broken(with("entries", "set_ways = [17, 0]"), "tlb[0].set_ways[1]: expected an integer from 1 to 16777216, found 0");
  broken(with("entries", "entries = 16\nindex = { kind = \"bits\", bits = [21] }"),
         "tlb[0].index.bits: has 1 bits, which select 2^1 sets, but there are 1");
  broken(with("penalty", "penalty = 10\nsub_entry_span = 65536"),
         "tlb[0].sub_entry_span: is 65536, must be at least 2097152");
  broken(with("entry_span", "entry_span = 134217728\nsub_entry_span = 2097152"),
         "tlb[0].sub_entry_span: gives 64 sub-entries per entry, at most 32 are simulated");
  broken(with("penalty", "penalty = 10\nshared_by = [[0]]"), "tlb[0].shared_by: does not name SM 1");
  broken(with("sm_clock", "sm_clock_mhz = 1\npage_size = 2048"),
         "page_size: expected an integer from 4096 to 1073741824, found 2048");
  broken(sound + "[page_window]\nsize = 3000000\npenalty = 5\n",
         "page_window.size: is 3000000, must be a power of two");
  broken(sound + "[page_walk]\nfirst_penalty = -1\n",
         "page_walk.first_penalty: expected an integer from 0 to 1000000, found -1");
  std::string without_tlb = sound;
  without_tlb.erase(sound.find("[[tlb]]"), sound.find("[noise]") - sound.find("[[tlb]]"));
  broken(without_tlb + "[page_walk]\nfirst_penalty = 5\n", "page_walk.first_penalty: is given without a tlb");
  broken(sound + "[constant_memory]\nsize = 0\n",
         "constant_memory.size: expected an integer from 1 to 1073741824, found 0");
  broken(sound + "[constant_memory]\nsize = 9\narray = 0\n",
         "constant_memory.array: expected an integer of at least 1, found 0");
  broken(sound + "[texture_memory]\ntexel_order = \"xyz\"\n",
         "texture_memory.texel_order: expected text that matches ^[xy]{0,30}$, found \"xyz\"");
}

}  // namespace
}  // namespace tomograph::sim
