#include <algorithm>
#include <list>
#include <memory>
#include <random>
#include <set>

#include "acquire_fill.hpp"
#include "acquire_fit.hpp"
#include "acquire_level.hpp"
#include "acquire_matrix.hpp"
#include "acquire_memory.hpp"
#include "acquire_penalty.hpp"
#include "acquire_reach.hpp"
#include "acquire_sets.hpp"
#include "acquire_whole.hpp"
#include "catch.hpp"
#include "sim/simulator.hpp"

namespace {

using namespace tomograph;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// The TLBs of Mei & Chu 2017, Table 5 and Fig. 9, before an L2 of 2 MiB.
sim::Gpu classical_gpu() {
  sim::Gpu gpu;
  gpu.sm_count = 2;
  gpu.l2.latency = 200;
  gpu.l2.cache.set_ways.assign(1024, 16);
  gpu.dram = {500, 500, std::nullopt};
  gpu.noise.l2_sigma = 2;
  gpu.translation.tlb = {sim::tlb(2 * mebibyte, {16}, 12), sim::tlb(2 * mebibyte, {17, 8, 8, 8, 8, 8, 8}, 60)};
  return gpu;
}

tlb::Memory memory_of(const sim::Gpu& gpu) {
  auto simulator = std::make_shared<sim::Simulator>(gpu, sim::Options{}, 1U);
  tlb::Memory memory;
  memory.execute = [simulator](std::span<const chase::Program> programs) {
    std::vector<Experiment> batch;
    for (const auto& program : programs) batch.push_back(chase::encode(program));
    const auto answers = simulator->execute(batch);
    std::vector<chase::Result> results;
    for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(chase::decode_result(programs[i], answers[i]));
    return results;
  };
  memory.bytes = 1024 * mebibyte;
  memory.line = 128;
  memory.most_visits = 1024;
  memory.most_timed = 12000;
  return memory;
}

/// Spreads numbers evenly (Knuth, TAOCP 3, section 6.4).
std::uint64_t cache_line_hash(std::int64_t line) {
  return (static_cast<std::uint64_t>(line) * 0x9e3779b97f4a7c15) >> 40;
}

/// Walks without a miss of any TLB, but `one_in` so many lines is not held by L2.
std::vector<chase::Result> results_of_lost_lines(std::span<const chase::Program> programs, std::uint64_t one_in) {
  std::vector<chase::Result> results;
  for (const chase::Program& program : programs) {
    const auto& nodes = program.rings.front().nodes;
    chase::Result::Trace trace;
    for (std::int64_t load = 0; load < program.phases.back().loads; ++load) {
      const std::int64_t node = nodes[static_cast<std::size_t>(load % std::ssize(nodes))];
      const bool is_lost = load % 2 == 0 && cache_line_hash(node / 128) % one_in == 0;
      trace.latency.push_back(is_lost ? 500 : 200);
    }
    results.push_back({.traces = {trace}});
  }
  return results;
}

/// Pages of which a share misses, with noise, as the walk of a matrix.
/// 16 entries for pages of 2 MiB, replaced in the order of their use. A miss also brings the entry of the next page.
class TlbThatBringsNext {
 public:
  /// Cycles of a load of this address.
  std::uint32_t load(std::int64_t address) {
    const std::int64_t page = address / (2 * mebibyte);
    const auto found = std::ranges::find(pages_, page);
    const bool hits = found != pages_.end();
    if (hits) pages_.erase(found);
    if (!hits) bring(page + 1);
    bring(page);
    return hits ? 200 : 260;
  }

 private:
  void bring(std::int64_t page) {
    std::erase(pages_, page);
    pages_.push_front(page);
    if (pages_.size() > 16) pages_.pop_back();
  }

  std::list<std::int64_t> pages_;
};

std::vector<chase::Result> results_of_next_pages(std::span<const chase::Program> programs) {
  std::vector<chase::Result> results;
  for (const chase::Program& program : programs) {
    chase::Result& result = results.emplace_back();
    result.sms = {0};
    TlbThatBringsNext pages;
    for (const chase::Phase& phase : program.phases) {
      const auto nodes = chase::node_offsets(program.rings[static_cast<std::size_t>(phase.ring)]);
      chase::Result::Trace trace;
      for (std::int64_t i = 0; i < phase.loads; ++i) {
        const std::int64_t node = (phase.first + i) % std::ssize(nodes);
        trace.latency.push_back(pages.load(nodes[static_cast<std::size_t>(node)]));
        trace.node.push_back(static_cast<std::uint32_t>(node));
      }
      if (phase.timing == chase::Timing::each) result.traces.push_back(std::move(trace));
    }
  }
  return results;
}

tlb::Cell cell(std::int64_t pages, double share, double penalty, double sigma = 1) {
  std::mt19937_64 random(static_cast<std::uint64_t>(pages));
  std::normal_distribution<double> noise(0, sigma);
  tlb::Cell made{2 * mebibyte, pages, {}};
  for (int i = 0; i < 200; ++i)
    made.extra_latency.push_back(std::round((i < 200 * share ? penalty : 0) + noise(random)));
  return made;
}

}  // namespace

TEST_CASE("programs behind a part of the memory load nothing of it, in an array of the same size") {
  constexpr std::int64_t part = 64 * mebibyte;
  tlb::Memory memory{.execute = {}, .bytes = 1024 * mebibyte, .line = 128, .most_visits = 512, .most_timed = 4096};
  std::vector<chase::Program> executed;
  memory.execute = [&](std::span<const chase::Program> programs) {
    executed.assign(programs.begin(), programs.end());
    return std::vector<chase::Result>{};
  };
  const tlb::Memory rest = tlb::behind(memory, part);
  const auto asked = tlb::program(rest, {.pages = {0, 32 * mebibyte}, .unit = mebibyte});
  static_cast<void>(rest.execute({&asked, 1}));
  CHECK(executed.front().arrays.front().bytes == memory.bytes);
  for (std::size_t ring = 0; ring < asked.rings.size(); ++ring) {
    CHECK(std::ranges::min(executed.front().rings[ring].nodes) == part + std::ranges::min(asked.rings[ring].nodes));
  }
}

TEST_CASE("a plateau is a level, between the walks that it lies between") {
  std::vector<tlb::Cell> matrix;
  for (std::int64_t pages = 2; pages <= 4096; pages *= 2) matrix.push_back(cell(pages, pages > 16 ? 1 : 0, 8));
  const auto levels = tlb::find_levels(matrix, 1).levels;
  REQUIRE(levels.size() == 1);
  CHECK(levels[0].miss - levels[0].hit == Approx(8).margin(0.5));
  const auto bracket = tlb::bracket(matrix, levels[0], 2 * mebibyte);
  CHECK(bracket.fits == 16);
  CHECK(bracket.overflows == 32);
}

TEST_CASE("a walk of as many passes as its pages have lines, or more, loads each line once in a turn") {
  constexpr std::int64_t lines = 64;
  const tlb::Memory memory{.execute = {}, .bytes = mebibyte, .line = 128, .most_visits = 8192, .most_timed = 12000};
  for (const std::int64_t pages : {7, 17, 33}) {
    INFO(pages);
    const tlb::Walk walk{.pages = tlb::evenly(mebibyte / 64, pages), .unit = lines * 128, .passes = lines + 1};
    const auto nodes = tlb::program(memory, walk).rings.front().nodes;
    CHECK(std::ssize(nodes) == 2 * pages * lines);
    CHECK(std::set(nodes.begin(), nodes.end()).size() == nodes.size());
  }
}

TEST_CASE("lines that L2 does not hold are no misses where each pass loads the same lines") {
  constexpr std::uint64_t one_in = 3000;  // lines is not held by L2
  tlb::Memory memory{.bytes = 2048 * mebibyte, .line = 128, .most_visits = 1024, .most_timed = 12000};
  memory.execute = [](std::span<const chase::Program> programs) { return results_of_lost_lines(programs, one_in); };
  const tlb::Level level{0, 60, 3};
  for (std::int64_t pages = 520; pages <= 1000; pages += 40) {
    INFO(pages);
    CHECK(tlb::fits(memory, level, tlb::evenly(2 * mebibyte, pages), 2 * mebibyte));
  }
}

TEST_CASE("two levels of TLB come out with their unequal sets, as Mei & Chu found them") {
  const auto memory = memory_of(classical_gpu());
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
  REQUIRE(levels.size() == 2);
  CHECK(levels[0].miss - levels[0].hit == Approx(12).margin(1));
  CHECK(levels[1].miss - levels[1].hit == Approx(60).margin(2));

  const auto filled = tlb::fill(memory, levels[1], matrix.cells);
  REQUIRE(filled);
  CHECK(filled->bytes == 2 * mebibyte);
  CHECK(tlb::Reach(memory, levels[1], matrix.cells, 0).one_entry(mebibyte) == true);
  CHECK(tlb::Reach(memory, levels[1], matrix.cells, 0).one_entry(2 * mebibyte) == false);
  CHECK(tlb::Reach(memory, levels[0], matrix.cells, 0).most_fitting(2 * mebibyte) == 16);
  CHECK(tlb::retained(memory, levels[1], tlb::evenly(2 * mebibyte, 300), 2 * mebibyte) == 65);

  const tlb::Organisation known{levels[1], 65, 2 * mebibyte, 40};
  const auto sets = tlb::set_ways(memory, known);
  CHECK(sets.ways == std::vector<std::int64_t>{17, 8, 8, 8, 8, 8, 8});
  CHECK(tlb::policy(memory, known, sets).name == "lru");
}

TEST_CASE("TLBs that hold fewer bytes than lines are usually spread over come out, with their small pages") {
  const std::int64_t page = GENERATE(4, 64) * std::int64_t{1024};
  auto gpu = classical_gpu();
  gpu.translation.page_size = page;
  gpu.translation.tlb = {sim::tlb(page, {16}, 12), sim::tlb(page, {64, 64}, 60)};
  auto memory = memory_of(gpu);
  memory.widest_spread = tlb::spread_within_pages(memory);
  CHECK(memory.widest_spread == page);
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
  REQUIRE(levels.size() == 2);
  CHECK(tlb::control_is_clean(matrix, levels[0]));
  CHECK(levels[0].miss - levels[0].hit == Approx(12).margin(1));
  CHECK(levels[1].miss - levels[1].hit == Approx(60).margin(2));
  CHECK(tlb::Reach(memory, levels[0], matrix.cells, 0).most_fitting(page) == 16);
  CHECK(tlb::Reach(memory, levels[1], matrix.cells, 40).most_fitting(page) == 128);

  // No program has two nodes in one place, though pages have few lines.
  const tlb::Organisation known{levels[0], 16, page, 0};
  const auto penalty = tlb::miss_penalty(memory, known, memory.most_visits);
  REQUIRE(penalty);
  CHECK(penalty->cycles == Approx(12).margin(1));
  CHECK(tlb::policy(memory, known, tlb::set_ways(memory, known)).name == "lru");
}

TEST_CASE("lines of small pages that meet in few sets of L2 make no further level") {
  auto gpu = classical_gpu();
  gpu.l2.cache.set_ways.assign(1024, 3);
  gpu.translation.page_size = 4096;
  gpu.translation.tlb = {sim::tlb(4096, {16}, 12)};
  gpu.dram.contiguous = true;
  auto memory = memory_of(gpu);
  memory.most_visits = 384;  // an eighth of the lines of L2
  memory.widest_spread = tlb::spread_within_pages(memory);
  const auto matrix = tlb::measure_matrix(memory);
  CHECK(tlb::find_levels(matrix.cells, matrix.noise).levels.size() == 1);
}

TEST_CASE("a level that reaches seven eighths of the memory is found, and what its entries serve") {
  const auto entry_mebibytes = GENERATE(2, 4);
  auto gpu = classical_gpu();
  gpu.translation.tlb[1] = sim::tlb(entry_mebibytes * mebibyte,
                                    std::vector<std::int64_t>(static_cast<std::size_t>(64 / entry_mebibytes), 8), 60);
  auto memory = memory_of(gpu);
  memory.bytes = 584 * mebibyte;
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
  REQUIRE(levels.size() == 2);
  CHECK(levels[1].miss - levels[1].hit == Approx(60).margin(2));
  CHECK(tlb::Reach(memory, levels[1], matrix.cells, 0).most_fitting(entry_mebibytes * mebibyte) ==
        512 / entry_mebibytes);
  CHECK(tlb::Reach(memory, levels[1], matrix.cells, 0).one_entry(entry_mebibytes * mebibyte / 2) == true);
  CHECK(tlb::Reach(memory, levels[1], matrix.cells, 0).one_entry(entry_mebibytes * mebibyte) == false);
}

TEST_CASE("FIFO is told from LRU where every visit to a full set misses") {
  auto gpu = classical_gpu();
  gpu.translation.tlb.resize(1);
  gpu.translation.tlb[0].entries.replacement.policy = sim::Replacement::Policy::fifo;
  const auto memory = memory_of(gpu);
  const tlb::Organisation known{{0, 12, 3}, 16, 2 * mebibyte, 0};
  const auto sets = tlb::set_ways(memory, known);
  CHECK(sets.ways == std::vector<std::int64_t>{16});
  CHECK(tlb::policy(memory, known, sets).name == "fifo");
}

TEST_CASE("policies that miss throughout an overflowing walk are told by visits in random order") {
  using sim::Replacement;
  struct Case {
    Replacement::Policy policy;
    std::string name;
  };
  for (const auto& [policy, name] : {Case{Replacement::Policy::lru, "lru"}, Case{Replacement::Policy::fifo, "fifo"},
                                     Case{Replacement::Policy::tree_plru, "tree-plru"}}) {
    auto gpu = classical_gpu();
    gpu.translation.tlb[1] = sim::tlb(2 * mebibyte, {16, 16, 16, 16}, 60);
    for (sim::Tlb& level : gpu.translation.tlb) level.entries.replacement.policy = policy;
    const auto memory = memory_of(gpu);
    const tlb::Organisation first{{0, 12, 3}, 16, 2 * mebibyte, 0};
    const tlb::Organisation second{{12, 72, 3}, 64, 2 * mebibyte, 40};
    CAPTURE(name);
    for (const tlb::Organisation& known : {first, second}) {
      CHECK(tlb::policy(memory, known, tlb::set_ways(memory, known)).name == name);
    }
  }
}

TEST_CASE("TLBs of random victims show their levels, entries and sets, though pages that fit them miss for long") {
  auto gpu = classical_gpu();
  gpu.translation.tlb[1] = sim::tlb(2 * mebibyte, std::vector<std::int64_t>(8, 16), 60);
  for (sim::Tlb& level : gpu.translation.tlb) level.entries.replacement.policy = sim::Replacement::Policy::random;
  const auto memory = memory_of(gpu);
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise, matrix.clock_step).levels;
  REQUIRE(levels.size() == 2);
  const auto filled = tlb::fill(memory, levels[0], matrix.cells);
  REQUIRE(filled);
  CHECK_FALSE(tlb::is_window(memory, levels[0], matrix.cells, *filled, {}));
  CHECK(tlb::Reach(memory, levels[0], matrix.cells, 0).most_fitting(2 * mebibyte) == 16);
  CHECK(tlb::Reach(memory, levels[1], matrix.cells, 0).most_fitting(2 * mebibyte) == 128);
  CHECK(tlb::retained(memory, levels[1], tlb::evenly(2 * mebibyte, 300), 2 * mebibyte) == 0);
  const tlb::Organisation known{levels[1], 128, 2 * mebibyte, 40};
  const auto sets = tlb::set_ways(memory, known);
  CHECK(sets.ways == std::vector<std::int64_t>(8, 16));
  const auto name = tlb::policy(memory, known, sets).name;
  CHECK((name == "random" || name == "not-lru"));
}

TEST_CASE("pages of two regions in turn tell a page window from a level that holds both") {
  auto gpu = classical_gpu();
  gpu.translation.page_window = {.size = 256 * mebibyte, .penalty = 2000};
  const auto memory = memory_of(gpu);
  const tlb::Fill filled{.stride = mebibyte, .distance = {}, .bytes = 256 * mebibyte, .share = 1};
  CHECK(tlb::is_window(memory, {72, 2072, 3}, {}, filled, {.evicting_pages = 138}));
  CHECK_FALSE(tlb::is_window(memory, {0, 12, 3}, {}, {.stride = mebibyte, .distance = {}, .bytes = 2 * mebibyte}, {}));
}

TEST_CASE(
    "a level that held pages of several regions in the matrix is no page window, though two pages miss by chance") {
  auto gpu = classical_gpu();
  gpu.translation.page_window = {.size = 256 * mebibyte, .penalty = 2000};
  const auto memory = memory_of(gpu);
  const tlb::Fill filled{.stride = mebibyte, .distance = {}, .bytes = 256 * mebibyte, .share = 1};
  const auto walk_of = [](std::int64_t pages) {
    return std::vector{tlb::Cell{256 * mebibyte, pages, std::vector<double>(64, 72)}};
  };
  CHECK(tlb::is_window(memory, {72, 2072, 3}, walk_of(200), filled, {.evicting_pages = 138}));
  CHECK_FALSE(tlb::is_window(memory, {72, 2072, 3}, walk_of(300), filled, {.evicting_pages = 138}));
}

TEST_CASE("a page window shows though victims of the level before are random, which then serves some visits") {
  auto gpu = classical_gpu();
  gpu.translation.tlb[1] = sim::tlb(2 * mebibyte, std::vector<std::int64_t>(8, 8), 60);
  gpu.translation.tlb[1].entries.replacement.policy = sim::Replacement::Policy::random;
  gpu.translation.page_window = {.size = 256 * mebibyte, .penalty = 2000};
  const auto memory = memory_of(gpu);
  const tlb::Fill filled{.stride = mebibyte, .distance = {}, .bytes = 256 * mebibyte, .share = 1};
  const tlb::Level level{.hit = 72, .miss = 2072, .noise = 3, .asked_from = 42};
  CHECK(tlb::is_window(memory, level, {}, filled, {.evicting_pages = 136}));
  gpu.translation.page_window.reset();
  CHECK_FALSE(tlb::is_window(memory_of(gpu), level, {}, filled, {.evicting_pages = 136}));
}

TEST_CASE("a page window shows behind a level whose entries are unknown, by walks that overflow one of its sets") {
  auto gpu = classical_gpu();
  gpu.translation.tlb[1] = sim::tlb(2 * mebibyte, {24, 24, 24, 24}, 60);
  gpu.translation.page_window = {.size = 256 * mebibyte, .penalty = 2000};
  const auto memory = memory_of(gpu);
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise, matrix.clock_step).levels;
  REQUIRE(levels.size() == 3);
  const tlb::Fill filled{.stride = mebibyte, .distance = {}, .bytes = 256 * mebibyte, .share = 1};
  // So few pages evict a set of the level, and not all of them.
  constexpr std::int64_t too_few = 48;
  CHECK_FALSE(tlb::is_window(memory, levels[2], matrix.cells, filled, {.evicting_pages = too_few}));
  CHECK(tlb::is_window(memory, levels[2], matrix.cells, filled, {.evicting_pages = too_few, .uncounted = &levels[1]}));
}

TEST_CASE("lines that L2 does not hold, at any distances, do not say what a miss brings") {
  constexpr std::uint64_t one_in = 20;  // lines is not held by L2
  tlb::Memory memory{.bytes = 2048 * mebibyte, .line = 128, .most_visits = 1024, .most_timed = 12000};
  memory.execute = [](std::span<const chase::Program> programs) { return results_of_lost_lines(programs, one_in); };
  const std::vector<tlb::Cell> matrix{{mebibyte, 400, std::vector<double>(64, 60)}};
  CHECK_FALSE(tlb::fill(memory, {0, 60, 3}, matrix));
}

TEST_CASE("a miss brings a whole entry if the other half of its bytes then hits, and a sub-entry if not") {
  for (const std::int64_t parts : {1, 2, 4}) {
    auto gpu = classical_gpu();
    gpu.translation.tlb = {sim::tlb(16 * mebibyte, {8}, 20), sim::tlb(16 * mebibyte, {8, 8, 8, 8}, 80)};
    for (sim::Tlb& level : gpu.translation.tlb) {
      level.entries.sector_size = level.entries.fetch_granularity = 16 * mebibyte / parts;
    }
    const auto memory = memory_of(gpu);
    CAPTURE(parts);
    CHECK(tlb::brings_whole_entry(memory, {{0, 20, 3}, 8, 16 * mebibyte, 0}) == (parts == 1));
    auto large = memory;
    large.bytes = 2048 * mebibyte;
    CHECK(tlb::brings_whole_entry(large, {{20, 100, 3}, 32, 16 * mebibyte, 24}) == (parts == 1));
  }
}

TEST_CASE("entries whose parts come one by one are replaced by age, though visits of other parts miss") {
  auto gpu = classical_gpu();
  gpu.translation.tlb = {sim::tlb(8 * mebibyte, {8}, 20), sim::tlb(8 * mebibyte, {8, 8, 8, 8}, 80)};
  auto& entries = gpu.translation.tlb[0].entries;
  entries.sector_size = entries.fetch_granularity = 2 * mebibyte;
  auto memory = memory_of(gpu);
  memory.bytes = 2048 * mebibyte;
  memory.widest_spread = 8 * mebibyte;
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
  REQUIRE(levels.size() == 2);
  const auto filled = tlb::fill(memory, levels[0], matrix.cells);
  REQUIRE(filled);
  CHECK(filled->bytes == 2 * mebibyte);
  const auto found = tlb::examine(memory, matrix.cells, levels[0], filled, {}, &levels[1]);
  CHECK(found.entries == 8);
  CHECK(found.policy.name == "lru");
}

TEST_CASE("visits that tell a policy stay within what a miss brings, though no stride shows how little that is") {
  auto gpu = classical_gpu();
  gpu.translation.tlb = {sim::tlb(8 * mebibyte, {8}, 20), sim::tlb(8 * mebibyte, {8, 8, 8, 8}, 80)};
  auto& entries = gpu.translation.tlb[0].entries;
  entries.sector_size = entries.fetch_granularity = 2 * mebibyte;
  auto memory = memory_of(gpu);
  memory.bytes = 2048 * mebibyte;
  memory.widest_spread = 256 * mebibyte;
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
  REQUIRE(levels.size() == 2);
  const auto filled = tlb::fill(memory, levels[0], matrix.cells);
  REQUIRE(filled);
  const auto found = tlb::examine(memory, matrix.cells, levels[0], filled, {}, &levels[1]);
  CHECK(found.entries == 8);
  CHECK(found.brings_whole_entries == false);
  CHECK(found.policy.name == "lru");
}

TEST_CASE("entries that serve less than those of the level before are not taken for as wide ones") {
  for (const std::int64_t span : {2, 8}) {
    auto gpu = classical_gpu();
    const std::vector<std::int64_t> ways(static_cast<std::size_t>(32 / span), 8);
    gpu.translation.tlb = {sim::tlb(8 * mebibyte, {8}, 20), sim::tlb(span * mebibyte, ways, 80)};
    const auto memory = memory_of(gpu);
    const auto matrix = tlb::measure_matrix(memory);
    const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
    REQUIRE(levels.size() == 2);
    CAPTURE(span);
    CHECK(tlb::fill(memory, levels[1], matrix.cells)->bytes == 8 * mebibyte);
    CHECK(tlb::Reach(memory, levels[1], matrix.cells, 24).halves_share_entry(8 * mebibyte) == (span == 8));
  }
}

TEST_CASE("three sets of 21 entries, which no GPU has, are found") {
  auto gpu = classical_gpu();
  gpu.translation.tlb[1] = sim::tlb(2 * mebibyte, {21, 21, 21}, 60);
  const auto memory = memory_of(gpu);
  const tlb::Organisation known{{12, 72, 3}, 63, 2 * mebibyte, 40};
  CHECK(tlb::retained(memory, known.level, tlb::evenly(2 * mebibyte, 300), 2 * mebibyte) == 63);
  CHECK(tlb::set_ways(memory, known).ways == std::vector<std::int64_t>{21, 21, 21});
}

TEST_CASE("random replacement shows in shares of misses, though no single visit stands out from noise") {
  auto gpu = classical_gpu();
  gpu.translation.tlb.resize(1);
  gpu.translation.tlb[0] = sim::tlb(2 * mebibyte, {16}, 6);
  gpu.translation.tlb[0].entries.replacement.policy = sim::Replacement::Policy::random;
  const auto memory = memory_of(gpu);
  const tlb::Organisation known{{0, 6, 3}, 16, 2 * mebibyte, 0};
  tlb::SetWays sets;
  sets.ways = {16};
  sets.groups = {tlb::evenly(2 * mebibyte, 17)};
  const auto found = tlb::policy(memory, known, sets);
  CHECK(found.name == "random");
  CHECK(found.confidence < 0.99);
}

TEST_CASE("a penalty is that of the level itself, though many visits miss a page window, too") {
  auto gpu = classical_gpu();
  gpu.translation.page_window = {.size = 64 * mebibyte, .penalty = 600};
  const auto memory = memory_of(gpu);
  const tlb::Organisation known{{12, 80, 3}, 65, 2 * mebibyte, 40};
  const auto found = tlb::miss_penalty(memory, known, 130);
  REQUIRE(found);
  CHECK(found->cycles == Approx(60).margin(0.5));
  CHECK(found->share < 0.95);
}

TEST_CASE("a level that noise hides shows as longer visits before the first one that stands out") {
  std::vector<tlb::Cell> alone;
  std::vector<tlb::Cell> hidden;
  for (std::int64_t pages = 2; pages <= 1024; pages *= 2) {
    alone.push_back(cell(pages, pages > 128 ? 1 : 0, 60));
    hidden.push_back(alone.back());
    if (pages <= 64) continue;  // only the largest walk that fits misses the hidden level
    for (double& cycles : hidden.back().extra_latency) cycles += 12;
  }
  CHECK(tlb::hidden_before(alone, {.hit = 0, .miss = 60, .noise = 14}) < 1);
  CHECK(tlb::hidden_before(hidden, {.hit = 0, .miss = 72, .noise = 14}) == Approx(12).margin(1));
}

TEST_CASE("a level whose misses are small beside noise cannot be resolved in so many passes as can be walked") {
  CHECK(tlb::Level{.hit = 0, .miss = 15, .noise = 14}.resolvable());
  CHECK_FALSE(tlb::Level{.hit = 0, .miss = 10, .noise = 14}.resolvable());
}

TEST_CASE("walks that fit a level do not overflow it, though noise puts a third of their visits over the threshold") {
  std::vector<tlb::Cell> matrix;
  for (std::int64_t pages = 2; pages <= 1024; pages *= 2) matrix.push_back(cell(pages, pages > 128 ? 1 : 0, 16, 20));
  const auto found = tlb::bracket(matrix, {.hit = 0, .miss = 16, .noise = 20}, 2 * mebibyte);
  CHECK(found.fits == 128);
  CHECK(found.overflows == 256);
}

TEST_CASE("LRU stays LRU, or unknown, where a miss is taken to cost more than it does") {
  auto gpu = classical_gpu();
  gpu.translation.tlb.resize(1);
  gpu.translation.tlb[0] = sim::tlb(2 * mebibyte, {16}, 6);
  const auto memory = memory_of(gpu);
  const tlb::Organisation known{{0, 7.5, 3}, 16, 2 * mebibyte, 0};
  tlb::SetWays sets;
  sets.ways = {16};
  sets.groups = {tlb::evenly(2 * mebibyte, 17)};
  const auto name = tlb::policy(memory, known, sets).name;
  CHECK((name.empty() || name == "lru"));
}

TEST_CASE("a policy is told where a miss costs little more than noise, in as many programs as that takes") {
  // As on one H100 of six: a miss costs 10 cycles, two loads differ by 6 to 7.
  for (const auto policy : {sim::Replacement::Policy::lru, sim::Replacement::Policy::fifo}) {
    auto gpu = classical_gpu();
    gpu.noise.l2_sigma = 5;
    gpu.translation.tlb.resize(1);
    gpu.translation.tlb[0] = sim::tlb(2 * mebibyte, {16}, 10);
    gpu.translation.tlb[0].entries.replacement.policy = policy;
    const auto memory = memory_of(gpu);
    const tlb::Organisation known{{0, 10, 7}, 16, 2 * mebibyte, 0};
    REQUIRE(known.level.passes() > 70);
    tlb::SetWays sets;
    sets.ways = {16};
    sets.groups = {tlb::evenly(2 * mebibyte, 17)};
    CHECK(tlb::policy(memory, known, sets).name == (policy == sim::Replacement::Policy::lru ? "lru" : "fifo"));
  }
}

TEST_CASE("how large a page-table window is shows in memory that holds no more than three") {
  auto gpu = classical_gpu();
  gpu.translation.page_window = {.size = 256 * mebibyte, .penalty = 2000};
  auto memory = memory_of(gpu);
  memory.bytes = 3 * 256 * mebibyte;
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
  REQUIRE(levels.size() == 3);
  const auto found = tlb::fill(memory, levels.back(), matrix.cells);
  REQUIRE(found);
  CHECK(found->bytes == 256 * mebibyte);
  CHECK(found->share == 1);
  CHECK(found->distance.size() > 1);
}

TEST_CASE("pages that are too many for a device to time are not walked, though a level holds them") {
  auto gpu = classical_gpu();
  gpu.l2.cache.set_ways.assign(8192, 16);
  gpu.translation.tlb = {sim::tlb(2 * mebibyte, {16}, 12), sim::tlb(2 * mebibyte, {900}, 60)};
  auto memory = memory_of(gpu);
  memory.bytes = 4096 * mebibyte;
  memory.most_timed = 1024;
  memory.execute = [execute = memory.execute, most = memory.most_timed](std::span<const chase::Program> programs) {
    for (const chase::Program& program : programs) {
      for (const chase::Phase& phase : program.phases) {
        CHECK((phase.timing != chase::Timing::each || phase.loads <= most));
      }
    }
    return execute(programs);
  };
  const auto matrix = tlb::measure_matrix(memory);
  const auto levels = tlb::find_levels(matrix.cells, matrix.noise, matrix.clock_step).levels;
  REQUIRE(levels.size() == 2);
  CHECK_FALSE(tlb::Reach(memory, levels[1], matrix.cells, 40).most_fitting(2 * mebibyte).has_value());
}

TEST_CASE("without TLBs no level shows") {
  auto gpu = classical_gpu();
  gpu.translation.tlb.clear();
  const auto memory = memory_of(gpu);
  const auto matrix = tlb::measure_matrix(memory);
  CHECK(tlb::find_levels(matrix.cells, matrix.noise).levels.empty());
}

TEST_CASE("a TLB whose misses bring the next page, too, is told from one of entries twice as wide") {
  tlb::Memory memory = memory_of(classical_gpu());
  const auto is_told = [&] {
    const auto matrix = tlb::measure_matrix(memory);
    const auto levels = tlb::find_levels(matrix.cells, matrix.noise).levels;
    REQUIRE_FALSE(levels.empty());
    const auto filled = tlb::fill(memory, levels.front(), matrix.cells);
    REQUIRE(filled);
    return tlb::misses_bring_next(memory, levels.front(), matrix.cells, *filled);
  };
  CHECK_FALSE(is_told());
  memory.execute = &results_of_next_pages;
  CHECK(is_told());
}
