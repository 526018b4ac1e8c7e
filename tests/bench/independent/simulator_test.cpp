#include <random>
#include <string>

#include "catch.hpp"
#include "draw.hpp"
#include "machine.hpp"
#include "parts.hpp"
#include "truth.hpp"

using namespace independent;

namespace {

/// One set of `ways` lines of 128 B.
CacheDescription one_set(Policy policy, int ways) {
  CacheDescription cache;
  cache.policy = policy;
  set_geometry(cache, {}, ways);
  return cache;
}

/// The hits (h) and misses (m) of a sequence of lines, each named by a letter.
std::string hits(const CacheDescription& description, const std::string& lines) {
  Cache cache(description, 1);
  std::string seen;
  for (const char line : lines) seen += cache.access(static_cast<std::uint64_t>(line) * 128) ? 'h' : 'm';
  return seen;
}

/// A GPU of the known family with plain parts and no noise: one level of TLB and no first levels.
Gpu plain_gpu() {
  Gpu gpu = draw("known", 1);
  gpu.sms = 2;
  gpu.noise = {.first_level = 0, .l2 = 0, .drift = 0, .late_share = 0};
  gpu.level_of_path = {-1, -1, -1};
  gpu.l2 = {};
  set_geometry(gpu.l2.cache, contiguous_index(7, 4), 4);
  gpu.l2.partition_of_sm = {0, 0};
  gpu.l2.latency = {{200}, {200}};
  gpu.memory = {.extra = 300, .deviation = 0};
  TlbDescription tlb{.instance_of_sm = {0, 0}, .penalty = 20};
  tlb.entries.line = tlb.entries.sector = tlb.entries.fetch = 2 * MiB;
  set_geometry(tlb.entries, {}, 4);
  gpu.translation = {.tlbs = {tlb}};
  return gpu;
}

double load(Machine& machine, std::uint32_t sm, std::uint64_t place) {
  Address address = machine.address(place, place);
  return machine.load_past_first_level(sm, address);
}

void write(Machine& machine, std::uint64_t place) {
  Address address = machine.address(place, place);
  machine.write(address, true);
}

/// How often a cache with one set of so many ways says of random lines what a list in the order of their use says.
/// Each line keeps its guess.
int agreements(int ways, int accesses) {
  Cache cache(one_set(Policy::lru, ways), 1);
  Random random(2);
  std::vector<std::uint8_t> guesses(static_cast<std::size_t>(2 * ways));
  std::vector<std::uint64_t> used;
  int agreements = 0;
  for (int i = 0; i < accesses; ++i) {
    const std::uint64_t line = random.below(guesses.size());
    const auto found = std::find(used.begin(), used.end(), line);
    const bool expected = found != used.end();
    if (expected) used.erase(found);
    used.insert(used.begin(), line);
    if (used.size() > static_cast<std::size_t>(ways)) used.pop_back();
    const bool hit = random.chance(0.5) ? cache.access(line * 128) : cache.access(line * 128, 0, guesses[line]);
    agreements += hit == expected ? 1 : 0;
  }
  return agreements;
}

}  // namespace

TEST_CASE("LRU replaces the line used longest ago") { CHECK(hits(one_set(Policy::lru, 3), "abcadabc") == "mmmhmhmm"); }

TEST_CASE("LRU is the same in small sets, in large ones, and with a guess") {
  for (const int ways : {1, 3, 8, 12, 16, 24, 40, 64, 300}) CHECK(agreements(ways, 20000) == 20000);
}

TEST_CASE("FIFO replaces the line filled longest ago") {
  CHECK(hits(one_set(Policy::fifo, 3), "abcadabc") == "mmmhmmmm");
}

TEST_CASE("tree-PLRU follows its bits") {
  // After a, b, c, d the tree points to a. The hit of a turns it to c.
  CHECK(hits(one_set(Policy::tree_plru, 4), "abcdaeabdc") == "mmmmhmhhhm");
}

TEST_CASE("a tree of more ways than it has bits replaces some way") {
  // Some GPUs have one: its nodes share bits.
  Cache cache(one_set(Policy::tree_plru, 113), 1);
  for (std::uint64_t line = 0; line < 113; ++line) CHECK_FALSE(cache.access(line * 128));
  for (std::uint64_t line = 0; line < 113; ++line) CHECK(cache.access(line * 128));
  CHECK_FALSE(cache.access(113 * 128));
  CHECK(cache.access(113 * 128));
}

TEST_CASE("bit-PLRU replaces the first line without a mark") {
  // d marks the last way and clears a, b and c; e replaces a.
  CHECK(hits(one_set(Policy::bit_plru, 4), "abcdebcda") == "mmmmmhhhm");
}

TEST_CASE("NRU of two ways replaces lines as FIFO does") {
  std::mt19937 random(1);
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += static_cast<char>('a' + random() % 4);
  CHECK(hits(one_set(Policy::nru, 2), lines) == hits(one_set(Policy::fifo, 2), lines));
}

TEST_CASE("CLOCK gives lines that were used a second chance") {
  CHECK(hits(one_set(Policy::clock, 3), "abcadab") == "mmmhmhm");
}

TEST_CASE("SRRIP keeps a line that was used again before new ones") {
  CHECK(hits(one_set(Policy::srrip, 2), "aabcda") == "mhmmmh");
}

TEST_CASE("LIP replaces the newest line") { CHECK(hits(one_set(Policy::lip, 3), "abcdabc") == "mmmmhhm"); }

TEST_CASE("segmented LRU replaces only lines that were used once") {
  CacheDescription cache = one_set(Policy::segmented_lru, 3);
  cache.protected_ways = 1;
  CHECK(hits(cache, "aabcdea") == "mhmmmmh");
}

TEST_CASE("a sector is valid on its own") {
  Cache cache(one_set(Policy::lru, 2), 1);
  CHECK_FALSE(cache.access(0));
  CHECK(cache.access(31));
  CHECK_FALSE(cache.access(32));
}

TEST_CASE("a set holds as many lines as it has ways, whatever the index") {
  for (const SetIndex::Kind kind : {SetIndex::Kind::linear, SetIndex::Kind::modulus, SetIndex::Kind::scrambled}) {
    CacheDescription description = one_set(Policy::lru, 2);
    set_geometry(description, contiguous_index(7, 3), 2);
    description.index.kind = kind;
    Cache cache(description, 1);
    std::uint64_t retained = 0;
    for (std::uint64_t line = 0; line < 1000; ++line) cache.access(line * 128);
    for (std::uint64_t line = 1000; line-- > 0;) retained += cache.access(line * 128) ? 1U : 0U;
    CHECK(retained == 16);
  }
}

TEST_CASE("a TLB reaches its entries times their span") {
  Machine machine(plain_gpu(), 1);
  const auto span = static_cast<std::uint64_t>(2 * MiB);
  for (std::uint64_t page = 0; page < 4; ++page) CHECK(load(machine, 0, page * span + page * 128) == 520);
  for (std::uint64_t page = 0; page < 4; ++page) CHECK(load(machine, 0, page * span + page * 128) == 200);
  CHECK(load(machine, 0, 4 * span + 4 * 128) == 520);
  CHECK(load(machine, 0, 0) == 220);
}

TEST_CASE("L2 and shared TLBs remember from program to program, private TLBs do not") {
  Gpu gpu = plain_gpu();
  Machine shared(gpu, 1);
  load(shared, 0, 0);
  shared.begin_program();
  CHECK(load(shared, 1, 0) == 200);
  gpu.translation.tlbs[0].instance_of_sm = {0, 1};
  Machine separate(gpu, 1);
  load(separate, 0, 0);
  separate.begin_program();
  CHECK(load(separate, 0, 0) == 220);
}

TEST_CASE("a program's nodes are written through L2") {
  Machine machine(plain_gpu(), 1);
  write(machine, 0);
  CHECK(load(machine, 0, 0) == 200);
}

TEST_CASE("another partition is far, and a copy is near") {
  Gpu gpu = plain_gpu();
  gpu.l2.partitions = 2;
  gpu.l2.partition_of_sm = {0, 1};
  gpu.l2.partition_masks = {1U << 12};
  gpu.l2.far_extra = 100;
  Machine machine(gpu, 1);
  write(machine, 0);
  CHECK(load(machine, 0, 0) == 200);
  CHECK(load(machine, 1, 0) == 300);
  CHECK(load(machine, 1, 0) == 300);
  gpu.l2.replicated = true;
  Machine copying(gpu, 1);
  write(copying, 0);
  CHECK(load(copying, 1, 0) == 300);
  CHECK(load(copying, 1, 0) == 200);
}

TEST_CASE("a carve-out takes whole ways of an L1 that shares its SRAM") {
  Gpu gpu = plain_gpu();
  gpu.level_of_path[data_path] = 0;
  gpu.path_latency[data_path] = 30;
  gpu.first_levels = {{.cache = one_set(Policy::lru, 4), .shares_sram = true, .bypass = 30}};
  Machine machine(gpu, 1);
  const auto misses = [&](std::int64_t carveout) {
    machine.begin_program(carveout);
    int count = 0;
    for (std::uint64_t load = 0; load < 12; ++load) {
      Address address = machine.address(load % 3 * 128, load % 3 * 128);
      count += machine.load_global(data_path, 0, 0, address) > 30 ? 1 : 0;
    }
    return count;
  };
  CHECK(misses(0) == 3);
  CHECK(misses(128) == 3);
  CHECK(misses(129) == 12);
}

TEST_CASE("no two pages share memory") {
  Machine machine(draw("known", 3), 1);
  std::vector<std::uint64_t> places;
  for (std::uint64_t page = 0; page < 5000; ++page) {
    places.push_back(machine.placed(page * static_cast<std::uint64_t>(2 * MiB)));
  }
  std::sort(places.begin(), places.end());
  CHECK(std::adjacent_find(places.begin(), places.end()) == places.end());
}

TEST_CASE("a clock that counts by 4 shows multiples of 4") {
  Noise noise({.clock_step = 4}, 1);
  for (int i = 0; i < 100; ++i) {
    noise.end(33);
    CHECK(noise.clock() % 4 == 0);
  }
}

TEST_CASE("a seed draws the same GPU again, with a truth") {
  for (const char* family : families) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const std::vector<Expected> truth = truth_of(draw(family, seed));
      const std::vector<Expected> again = truth_of(draw(family, seed));
      REQUIRE(truth.size() == again.size());
      for (std::size_t i = 0; i < truth.size(); ++i) CHECK(truth[i].value == again[i].value);
      const auto wrong = std::find_if(truth.begin(), truth.end(), [](const Expected& fact) {
        return fact.match == Match::equal && !is_right(fact, fact.value);
      });
      CHECK(wrong == truth.end());
    }
  }
}
