#include "analysis_relation.hpp"
#include "catch.hpp"
#include "memory_host.hpp"
#include "questions.hpp"
#include "sim/simulator.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::cache_sharing;
using chase::Path;

constexpr std::int64_t kibi = 1024;

sim::PrivateCache cache_of(const std::string& name, std::vector<Path> paths, std::int64_t bytes,
                           std::int64_t line_size) {
  sim::PrivateCache made;
  made.name = name;
  made.paths = std::move(paths);
  made.latency = 40;
  made.cache.line_size = line_size;
  made.cache.set_ways.assign(4, bytes / line_size / 4);
  return made;
}

sim::Gpu gpu_of(std::vector<sim::PrivateCache> caches) {
  sim::Gpu gpu;
  gpu.sm_count = 4;
  gpu.caches = std::move(caches);
  gpu.l2.latency = 200;
  gpu.l2.far_latency = 200;
  gpu.l2.cache.set_ways.assign(512, 16);
  gpu.dram = {500, 500, std::nullopt};
  gpu.noise = {.l1_sigma = 0.4,
               .l2_sigma = 2,
               .dram_sigma = 15,
               .outlier_probability = 1e-4,
               .outlier_low = 200,
               .outlier_high = 2000};
  return gpu;
}

/// Kepler: texture and read-only loads in four caches of 12 KiB, chosen by the warp's scheduler; L1 by itself.
sim::Gpu kepler() {
  auto texture_cache = cache_of("texture", {Path::global_nc, Path::texture}, 12 * kibi, 32);
  texture_cache.per_sm = 4;
  return gpu_of({cache_of("l1", {Path::global_ca}, 16 * kibi, 128), std::move(texture_cache),
                 cache_of("constant_l1", {Path::constant}, 2 * kibi, 64)});
}

/// Maxwell: L1, texture and read-only loads in two caches of 12 KiB.
sim::Gpu maxwell() {
  auto unified = cache_of("l1", {Path::global_ca, Path::global_nc, Path::texture}, 12 * kibi, 32);
  unified.per_sm = 2;
  return gpu_of({std::move(unified), cache_of("constant_l1", {Path::constant}, 2 * kibi, 64)});
}

constexpr tomograph_fact_spec list(const char* key) { return fact_spec(key, TOMOGRAPH_LIST, "", TOMOGRAPH_PER_SM, ""); }
constexpr tomograph_fact_spec number(const char* key) {
  return fact_spec(key, TOMOGRAPH_INTEGER, "1", TOMOGRAPH_PER_SM, "");
}
constexpr std::array specs{list("constant_l15.shared_with"),
                           list("l1_data.shared_with"),
                           list("read_only.shared_with"),
                           list("texture.shared_with"),
                           list("constant_l1.shared_with"),
                           number("l1_data.per_sm"),
                           number("read_only.per_sm"),
                           number("texture.per_sm"),
                           number("constant_l1.per_sm"),
                           list("constant_l15.sm_groups"),
                           number("constant_l15.sms_per_instance"),
                           list("texture.sm_groups"),
                           number("texture.sms_per_instance"),
                           list("tlb.l1.sm_groups"),
                           number("tlb.l1.sms_per_instance"),
                           list("tlb.l2.sm_groups"),
                           number("tlb.l2.sms_per_instance")};

/// A host that knows what other probes find out about the caches of `gpu`.
class Bench {
 public:
  explicit Bench(const sim::Gpu& gpu) : simulator_(gpu, {}, 1) {
    for (const LoadPath& path : load_paths) {
      const sim::PrivateCache* cache = gpu.serving(path.path);
      if (cache == nullptr) {
        host.absences[key(path, "hit_threshold")] = "repeated loads take as long as first loads";
        continue;
      }
      know(key(path, "size"), cache->cache.lines() * cache->cache.line_size);
      know(key(path, "line_size"), cache->cache.line_size);
      know(key(path, "hit_threshold"), 120.0);
    }
    know("device.sm_count", gpu.sm_count);
    know("texture.virtually_tagged", true);
    host.device = [this](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      programs += batch.size();
      const auto answers = simulator_.execute(batch);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        for (const ArrayView& array : answers[i].arrays) sink.array(sink.context, i, &array.crossing());
        if (answers[i].status != TOMOGRAPH_OK) {
          sink.refuse(sink.context, i, answers[i].status, answers[i].reason.c_str());
        }
      }
      return tomograph_status{TOMOGRAPH_OK};
    };
  }

  void know(const std::string& key, const Json& value) { host.facts[key] = Json{{"value", value}}.dump(); }
  [[nodiscard]] Session session() const { return Session(*host.abi(), provided_); }
  [[nodiscard]] Json value(const std::string& key) const { return host.published.at(key).value; }
  std::int64_t instances(const LoadPath& path) {
    find_instances(session(), path);
    return value(key(path, "per_sm")).get<std::int64_t>();
  }

  MemoryHost host;
  std::size_t programs = 0;

 private:
  static std::vector<const tomograph_fact_spec*> pointers() {
    std::vector<const tomograph_fact_spec*> result;
    for (const auto& spec : specs) result.push_back(&spec);
    return result;
  }

  sim::Simulator simulator_;
  std::vector<const tomograph_fact_spec*> provided_ = pointers();
};

constexpr std::int64_t page = 2 * kibi * kibi;

/// Six SMs with two levels of TLB, of 16 entries and of 16 sets of 8, shared like this.
sim::Gpu translating(sim::SmGroups first, sim::SmGroups second) {
  sim::Gpu gpu = gpu_of({});
  gpu.sm_count = 6;
  gpu.dram.size = kibi * kibi * kibi;
  gpu.translation.tlb = {sim::tlb(page, {16}, 12), sim::tlb(page, std::vector<std::int64_t>(16, 8), 80)};
  gpu.translation.tlb[0].shared_by = std::move(first);
  gpu.translation.tlb[1].shared_by = std::move(second);
  return gpu;
}

/// A host that knows what other probes find out about the TLBs of such a GPU.
class TlbBench : public Bench {
 public:
  explicit TlbBench(const sim::Gpu& gpu) : Bench(gpu) {
    know("l2.line_size", gpu.l2.cache.line_size);
    know("dram.size", *gpu.dram.size);
    for (std::size_t i = 0; i < gpu.translation.tlb.size(); ++i) {
      const sim::Tlb& level = gpu.translation.tlb[i];
      const std::string prefix = "tlb.l" + std::to_string(i + 1);
      know(prefix + ".entries", level.entries.lines());
      know(prefix + ".entry_span", level.entries.line_size);
      know(prefix + ".miss_penalty", static_cast<double>(level.penalty));
    }
  }
};

analysis::EffectEvidence evicts_all() { return analysis::effect_evidence({0, 64}, {64, 64}, {64, 64}); }
analysis::EffectEvidence evicts_none() { return analysis::effect_evidence({0, 64}, {64, 64}, {0, 64}); }
analysis::EffectEvidence evicts_half() { return analysis::effect_evidence({0, 64}, {64, 64}, {32, 64}); }
analysis::EffectEvidence cannot_tell() { return analysis::effect_evidence({0, 64}, {0, 64}, {0, 64}); }

}  // namespace

TEST_CASE("Kepler: texture and read-only are one cache, four in an SM; L1 is another one") {
  Bench bench(kepler());
  find_sharing(bench.session());
  CHECK(bench.value("texture.shared_with") == Json{"read_only"});
  CHECK(bench.value("read_only.shared_with") == Json{"texture"});
  CHECK(bench.value("l1_data.shared_with") == Json::array());
  CHECK(bench.value("constant_l1.shared_with") == Json::array());
  CHECK(bench.instances(texture) == 4);
  CHECK(bench.instances(l1_data) == 1);
}

TEST_CASE("Maxwell: L1, texture and read-only are one cache, two in an SM") {
  Bench bench(maxwell());
  find_sharing(bench.session());
  CHECK(bench.value("l1_data.shared_with") == Json{"read_only", "texture"});
  CHECK(bench.value("constant_l1.shared_with") == Json::array());
  CHECK(bench.instances(read_only) == 2);
  CHECK(bench.instances(constant_l1) == 1);
}

TEST_CASE("a path without a cache takes no part") {
  Bench bench(gpu_of(
      {cache_of("l1", {Path::global_nc}, 16 * kibi, 128), cache_of("constant_l1", {Path::constant}, 2 * kibi, 64)}));
  find_sharing(bench.session());
  CHECK(bench.host.absent.contains("l1_data.shared_with"));
  CHECK(bench.host.absent.contains("texture.shared_with"));
  CHECK(bench.value("read_only.shared_with") == Json::array());
}

TEST_CASE("what is shared stays undecided if a cache exists that other probes could not measure") {
  Bench bench(maxwell());
  bench.host.facts.erase("texture.size");
  find_sharing(bench.session());
  CHECK(bench.host.inconclusive.at("texture.shared_with") == "texture.size is not known");
  CHECK(bench.host.inconclusive.contains("l1_data.shared_with"));
  CHECK(bench.host.published.empty());
}

TEST_CASE("what is shared stays undecided if nobody measured another path") {
  Bench bench(maxwell());
  for (const char* name : {"size", "line_size", "hit_threshold"}) bench.host.facts.erase(key(l1_data, name));
  find_sharing(bench.session());
  CHECK(bench.host.inconclusive.at("l1_data.shared_with") == "l1_data.hit_threshold is not known");
  CHECK_THAT(bench.host.inconclusive.at("texture.shared_with"),
             Catch::Matchers::EndsWith("l1_data.hit_threshold is not known"));
  CHECK(bench.host.published.empty());
}

TEST_CASE("SMs of a processing cluster that share texture units are found (Mei & Chu 2017, Table 3: Tesla)") {
  auto texture_cache = cache_of("texture", {Path::texture}, 8 * kibi, 32);
  texture_cache.shared_by = {{0, 1, 2}, {3, 4, 5}};
  sim::Gpu gpu = gpu_of({std::move(texture_cache)});
  gpu.sm_count = 6;
  Bench bench(gpu);
  find_sm_groups(bench.session(), texture);
  CHECK(bench.value("texture.sm_groups") == Json{{0, 1, 2}, {3, 4, 5}});
  CHECK(bench.value("texture.sms_per_instance") == 3);
}

TEST_CASE("SMs with texture caches of their own are told by a few programs, not by one for each pair") {
  sim::Gpu gpu = gpu_of({cache_of("texture", {Path::texture}, 8 * kibi, 32)});
  gpu.sm_count = 24;
  Bench bench(gpu);
  find_sm_groups(bench.session(), texture);
  CHECK(bench.value("texture.sm_groups").size() == 24);
  CHECK(bench.value("texture.sms_per_instance") == 1);
  CHECK(bench.programs < 24 * 23 / 2);
}

TEST_CASE("a shared cache whose hits wait for a translation is not taken for one of each SM") {
  // The reader's first load of the page misses its TLB, which takes longer than the threshold of 120 cycles.
  sim::Gpu gpu = translating({{0}, {1}, {2}, {3}, {4}, {5}}, {{0, 1, 2, 3, 4, 5}});
  gpu.translation.tlb[0].penalty = 100;
  auto texture_cache = cache_of("texture", {Path::texture}, 8 * kibi, 32);
  texture_cache.virtually_tagged = false;
  texture_cache.shared_by = {{0, 1, 2}, {3, 4, 5}};
  gpu.caches.push_back(std::move(texture_cache));
  Bench bench(gpu);
  bench.know("texture.virtually_tagged", false);
  find_sm_groups(bench.session(), texture);
  CHECK(bench.value("texture.sm_groups") == Json{{0, 1, 2}, {3, 4, 5}});
}

TEST_CASE("one cache alone has no other one to share with") {
  Bench bench(gpu_of({cache_of("l1", {Path::global_ca}, 16 * kibi, 128)}));
  find_sharing(bench.session());
  CHECK(bench.host.absent.contains("l1_data.shared_with"));
}

TEST_CASE("SMs that share a second constant cache are grouped, whatever their numbers") {
  auto first = cache_of("constant_l1", {Path::constant}, 2 * kibi, 64);
  first.next = "constant_l15";
  auto second = cache_of("constant_l15", {}, 32 * kibi, 256);
  second.latency = 100;
  second.shared_by = {{0, 2}, {1, 3}};
  Bench bench(gpu_of({std::move(first), std::move(second)}));
  bench.know("constant_l15.size", 32 * kibi);
  bench.know("constant_l15.line_size", 256);
  bench.know("constant_l15.hit_threshold", 150.0);
  find_constant_groups(bench.session());
  CHECK(bench.value("constant_l15.sm_groups") == Json::parse("[[0, 2], [1, 3]]"));
  CHECK(bench.value("constant_l15.sms_per_instance") == 2);
}

/// Constants and instructions, in caches of their own next to the SM; code may go on to the second constant cache.
sim::Gpu with_code(const std::string& behind_code) {
  auto constants = cache_of("constant_l1", {Path::constant}, 2 * kibi, 64);
  constants.latency = 28;
  constants.next = "constant_l15";
  auto code = cache_of("instruction_l1", {Path::instruction}, 16 * kibi, 128);
  code.latency = 40;
  code.next = behind_code;
  auto second = cache_of("constant_l15", {}, 128 * kibi, 256);
  second.latency = 100;
  sim::Gpu gpu = gpu_of({std::move(constants), std::move(code), std::move(second)});
  gpu.constant_memory = {.size = 261120, .array = 65280};
  return gpu;
}

/// What is known of the constant caches of such a GPU.
class CodeBench : public Bench {
 public:
  explicit CodeBench(const sim::Gpu& gpu) : Bench(gpu) {
    know("constant_memory.reach", 65280);
    know("constant_l1.hit_threshold", 60.0);
    know("constant_l15.size", 128 * kibi);
    know("constant_l15.line_size", 256);
    know("constant_l15.hit_threshold", 150.0);
  }
};

TEST_CASE("instructions are found in the second constant cache, and not in the first") {
  CodeBench bench(with_code("constant_l15"));
  find_constant_sharing(bench.session());
  CHECK(bench.value("constant_l15.shared_with") == Json{"instruction_l15"});
  find_sharing(bench.session());
  CHECK(bench.value("constant_l1.shared_with") == Json::array());
}

TEST_CASE("instructions that go past the constant caches are found in none") {
  CodeBench bench(with_code(""));
  find_constant_sharing(bench.session());
  CHECK(bench.value("constant_l15.shared_with") == Json::array());
}

TEST_CASE("instructions are found in the first constant cache where they share it") {
  sim::Gpu gpu = with_code("");
  gpu.caches.erase(gpu.caches.begin() + 1);
  gpu.caches[0].paths.push_back(Path::instruction);
  CodeBench bench(gpu);
  find_sharing(bench.session());
  CHECK(bench.value("constant_l1.shared_with") == Json{"instruction_l1"});
}

TEST_CASE("a device that does not time instructions leaves open who else is in the second constant cache") {
  sim::Gpu gpu = with_code("");
  gpu.caches.erase(gpu.caches.begin() + 1);
  CodeBench bench(gpu);
  CHECK_THROWS_WITH(find_constant_sharing(bench.session()), "this GPU has no loads on path instruction");
  CHECK_THROWS_AS(find_constant_sharing(bench.session()), Skip);
  find_sharing(bench.session());
  CHECK_THAT(bench.host.absent.at("constant_l1.shared_with"),
             Catch::Matchers::EndsWith("no loads on path instruction"));
}

TEST_CASE("a TLB level is grouped by the SMs that share it, whatever the other level does") {
  TlbBench bench(translating({{0, 4}, {1, 5}, {2, 3}}, {{0, 1, 2, 3, 4, 5}}));
  find_tlb_groups(bench.session(), 1);
  find_tlb_groups(bench.session(), 2);
  CHECK(bench.value("tlb.l1.sm_groups") == Json::parse("[[0, 4], [1, 5], [2, 3]]"));
  CHECK(bench.value("tlb.l1.sms_per_instance") == 2);
  CHECK(bench.value("tlb.l2.sm_groups") == Json::parse("[[0, 1, 2, 3, 4, 5]]"));
  CHECK(bench.value("tlb.l2.sms_per_instance") == 6);
}

TEST_CASE("SMs that come after one with a TLB of its own are still found to share theirs") {
  TlbBench bench(translating({}, {{0}, {1, 4}, {2}, {3, 5}}));
  find_tlb_groups(bench.session(), 1);
  find_tlb_groups(bench.session(), 2);
  CHECK(bench.value("tlb.l1.sm_groups") == Json::parse("[[0], [1], [2], [3], [4], [5]]"));
  CHECK(bench.value("tlb.l1.sms_per_instance") == 1);
  CHECK(bench.value("tlb.l2.sm_groups") == Json::parse("[[0], [1, 4], [2], [3, 5]]"));
  CHECK(bench.host.absent.contains("tlb.l2.sms_per_instance"));
}

TEST_CASE("SMs with TLBs of their own are told by a few programs, not by some for each of them") {
  sim::Gpu gpu = translating({}, {});
  gpu.sm_count = 48;
  TlbBench bench(gpu);
  bench.know("tlb.l1.replacement", "lru");
  find_tlb_groups(bench.session(), 1);
  CHECK(bench.value("tlb.l1.sm_groups").size() == 48);
  CHECK(bench.value("tlb.l1.sms_per_instance") == 1);
  CHECK(bench.programs < 48 * 8);
}

TEST_CASE("a TLB with fewer entries than an SM has threads to walk with is grouped as well") {
  sim::Gpu gpu = translating({{0, 2, 5}, {1, 3, 4}}, {});
  gpu.translation.tlb[0].entries.set_ways = {5};
  TlbBench bench(gpu);
  find_tlb_groups(bench.session(), 1);
  CHECK(bench.value("tlb.l1.sm_groups") == Json::parse("[[0, 2, 5], [1, 3, 4]]"));
}

TEST_CASE("who shares a TLB stays open where memory has too few pages to overflow it, or the levels before hide it") {
  TlbBench bench(translating({}, {}));
  bench.know("dram.free", 128 * page);
  find_tlb_groups(bench.session(), 2);
  CHECK(bench.host.inconclusive.contains("tlb.l2.sm_groups"));
  TlbBench hidden(translating({}, {}));
  hidden.know("tlb.l1.entries", 64);
  find_tlb_groups(hidden.session(), 2);
  CHECK(hidden.host.inconclusive.contains("tlb.l2.sms_per_instance"));
}

TEST_CASE("a large level is grouped by testing many SMs after one walk") {
  sim::Gpu gpu = translating({}, {{0, 3, 4}, {1, 5}, {2}});
  gpu.translation.tlb[1] = sim::tlb(page, std::vector<std::int64_t>(32, 8), 80);
  gpu.translation.tlb[1].shared_by = {{0, 3, 4}, {1, 5}, {2}};
  gpu.dram.size = 4 * kibi * kibi * kibi;
  TlbBench bench(gpu);
  find_tlb_groups(bench.session(), 2);
  CHECK(bench.value("tlb.l2.sm_groups") == Json::parse("[[0, 3, 4], [1, 5], [2]]"));
  // SM 0 walks, and all others are tested; then it is tested after the walks of those that it evicts. In the end, the
  // first SM of each group is tested after longer walks of those of others.
  const auto& walking = std::get<std::vector<double>>(bench.host.evidence.at("tlb.l2.sm_groups").front().numbers);
  CHECK(walking == std::vector<double>{0, 0, 0, 0, 0, 3, 4, 1, 1, 5, 1, 1, 0, 2, 2, 0});
}

TEST_CASE("a verdict needs both directions, or says that it has one") {
  const Direction shared{evicts_all(), std::nullopt};
  const Direction apart{evicts_none(), std::nullopt};
  const Direction unclear{cannot_tell(), std::nullopt};
  CHECK(relation(shared, shared).relation == Relation::same_cache);
  CHECK(relation(shared, shared).error < 0.01);
  CHECK(relation(apart, apart).relation == Relation::separate_caches);
  CHECK(relation(shared, apart).relation == Relation::undecided);
  CHECK(relation(apart, unclear).relation == Relation::separate_caches);
  CHECK(relation(apart, unclear).error > 0.01);
  CHECK(relation(unclear, unclear).relation == Relation::undecided);
  CHECK(relation({evicts_half(), std::nullopt}, {evicts_half(), std::nullopt}).relation == Relation::undecided);
}

TEST_CASE("lines that are found contradict caches that are apart; lines that are not found contradict nothing") {
  const Direction found_apart{evicts_none(), evicts_all()};
  const Direction apart{evicts_none(), evicts_none()};
  const Direction tagged_apart{evicts_all(), evicts_none()};
  CHECK(relation(found_apart, apart).relation == Relation::undecided);
  CHECK(relation(tagged_apart, tagged_apart).relation == Relation::same_cache);
}
