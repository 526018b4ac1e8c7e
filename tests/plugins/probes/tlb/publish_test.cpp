#include "publish.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "memory_host.hpp"
#include "questions.hpp"
#include "sim/simulator.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace {

using namespace tomograph;

constexpr std::int64_t page_bytes = std::int64_t{2} << 20;
constexpr std::int64_t free_bytes = std::int64_t{2} << 30;

/// All facts that the probe may publish.
class Declared {
 public:
  Declared() {
    for (const std::string level : {"tlb.l1.", "tlb.l2.", "tlb.l3."}) {
      for (const char* name :
           {"entries", "entry_span", "page_size", "reach", "set_ways", "replacement", "miss_penalty"}) {
        keys_.push_back(level + name);
      }
    }
    for (const std::string& key : keys_) {
      specs_.push_back(fact_spec(key.c_str(), TOMOGRAPH_REAL, "", TOMOGRAPH_PER_DEVICE, ""));
    }
    for (const tomograph_fact_spec& spec : specs_) all.push_back(&spec);
  }

  std::vector<const tomograph_fact_spec*> all;

 private:
  std::vector<std::string> keys_;
  std::vector<tomograph_fact_spec> specs_;
};

/// A GPU that the probe measures as a whole, through a host.
class MeasuredGpu {
 public:
  explicit MeasuredGpu(const sim::Gpu& gpu) : simulator_(gpu, sim::Options{}, 1) {
    host.facts["dram.free"] = Json{{"value", free_bytes}}.dump();
    host.facts["l2.line_size"] = Json{{"value", 128}}.dump();
    host.facts["l2.nominal_size"] = Json{{"value", page_bytes}}.dump();
    host.device = [this](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
      const auto answers = simulator_.execute(batch);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        for (const ArrayView& array : answers[i].arrays) sink.array(sink.context, i, &array.crossing());
      }
      return tomograph_status{TOMOGRAPH_OK};
    };
    tlb::find_tlbs(Session(*host.abi(), declared_.all));
  }

  MemoryHost host;

 private:
  Declared declared_;
  sim::Simulator simulator_;
};

sim::Gpu gpu_of_levels(std::vector<sim::Tlb> levels) {
  sim::Gpu gpu;
  gpu.sm_count = 2;
  gpu.l2.latency = 200;
  gpu.l2.cache.set_ways.assign(1024, 16);
  gpu.dram = {500, 500, std::nullopt};
  gpu.noise.l2_sigma = 2;
  gpu.translation.tlb = std::move(levels);
  return gpu;
}

}  // namespace

TEST_CASE("what an entry serves is no surer than entries that sets alone confirm, though their reach is") {
  namespace tlb = confidence::tlb;
  CHECK(tlb::entry_span(tlb::entries_by_sets) <= tlb::entries_by_sets);
  CHECK(tlb::reach(tlb::entries_by_sets) > tlb::entries_by_sets);
  CHECK(tlb::entry_span(tlb::entries_two_methods) == tlb::neighbours);
  CHECK(tlb::entry_span(tlb::entries_first_miss) < tlb::entries_by_sets);
}

TEST_CASE("a level of which memory holds fewer regions than the level before has entries is no TLB") {
  const MeasuredGpu gpu(gpu_of_levels({sim::tlb(page_bytes, {16}, 20), sim::tlb(page_bytes, {16, 16, 16, 16}, 60),
                                       sim::tlb(128 * page_bytes, {5}, 90)}));
  CHECK(gpu.host.published.at("tlb.l2.entries").value == 64);
  CHECK_FALSE(gpu.host.published.contains("tlb.l3.miss_penalty"));
  CHECK_FALSE(gpu.host.published.contains("tlb.l3.page_size"));
  CHECK(gpu.host.inconclusive.at("tlb.l3.miss_penalty").starts_with("it has fewer entries, of wider spans"));
}

TEST_CASE("an interval between plateaus covers a step of the clock") {
  const MemoryHost host;
  const Declared declared;
  const Session session(*host.abi(), declared.all);
  const tlb::Findings found{.level = {.hit = 0, .miss = 10, .noise = 4}};
  for (const double step : {1.0, 4.0}) {
    tlb::Publisher(session, {.bytes = free_bytes}, step).level("tlb.l1.", found);
    CHECK(host.published.at("tlb.l1.miss_penalty").interval_low <= 10 - step);
  }
}
