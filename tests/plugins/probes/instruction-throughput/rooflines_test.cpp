#include <dlfcn.h>

#include <filesystem>
#include <memory>

#include "catch.hpp"
#include "memory_host.hpp"
#include "sim/gpu/reader.hpp"
#include "sim/simulator.hpp"
#include "tomograph/abi/plugin.h"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;
using instruction::Type;

namespace {

const tomograph_plugin& plugin(const std::string& name) {
  void* library = dlopen((std::filesystem::path(TOMOGRAPH_PLUGIN_DIR) / (name + ".so")).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return *static_cast<const tomograph_plugin*>(dlsym(library, TOMOGRAPH_ENTRY_SYMBOL));
}

const tomograph_probe& probe(const std::string& library, const std::string& id) {
  const tomograph_plugin& found = plugin(library);
  for (std::uint32_t i = 0; i < found.probe_count; ++i) {
    if (found.probes[i]->id == id) return *found.probes[i];
  }
  throw std::runtime_error("there is no probe " + id);
}

/// Four schedulers, each of which issues an addition every 2 cycles; they complete after 24.
sim::Gpu plain_gpu() {
  sim::Gpu gpu;
  gpu.name = "test";
  gpu.sm_count = 4;
  gpu.l2.cache.set_ways = {16};
  gpu.instrument.total_overhead = 20;
  gpu.instructions.emplace();
  gpu.instructions->loop_cycles = 30;
  gpu.instructions->sigma = 5;
  gpu.instructions->pipelines = {{Type::fp32_add, {24, 2}}, {Type::fp32_fma, {24, 2}}};
  gpu.divergence = sim::Divergence{32, 12};
  return gpu;
}

/// A host on whose device `gpu` the probe has run.
std::unique_ptr<MemoryHost> measured(const sim::Gpu& gpu, const std::string& library, const std::string& id,
                                     tomograph_status expected = TOMOGRAPH_OK) {
  auto host = std::make_unique<MemoryHost>();
  host->parameters["repetitions"] = "25";
  host->facts["device.warp_size"] = R"({"value": 32})";
  host->facts["device.sm_count"] = R"({"value": )" + std::to_string(gpu.sm_count) + "}";
  host->facts["device.max_warps_per_sm"] =
      R"({"value": )" + std::to_string(gpu.instructions ? gpu.instructions->max_warps : 64) + "}";
  auto simulator = std::make_shared<sim::Simulator>(gpu, sim::Options{}, 1);
  host->device = [simulator](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) {
    const std::vector<Answer> answers = simulator->execute(batch);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].status != TOMOGRAPH_OK) sink.refuse(sink.context, i, answers[i].status, answers[i].reason.c_str());
      for (const ArrayView& array : answers[i].arrays) sink.array(sink.context, i, &array.crossing());
    }
    return tomograph_status{TOMOGRAPH_OK};
  };
  const tomograph_status status = probe(library, id).run(host->abi());
  INFO(host->error << host->skip_reason);
  CHECK(status == expected);
  return host;
}

double number(const MemoryHost& host, const std::string& key) { return host.published.at(key).value.get<double>(); }

}  // namespace

TEST_CASE("latencies, throughput and ridge of a pipeline are those of the simulated GPU") {
  const auto host = measured(plain_gpu(), "instruction-throughput", "instruction-throughput/fp32_add");
  CHECK(number(*host, "instruction.fp32_add.completion_latency") == Approx(24).epsilon(0.005));
  CHECK(number(*host, "instruction.fp32_add.issue_latency") == Approx(0.5).epsilon(0.005));
  CHECK(number(*host, "instruction.fp32_add.throughput") == Approx(64).epsilon(0.005));
  // Twelve warps on each of four schedulers are 48, 4.2 % more than 46; two CTAs of equally many are not 47.
  CHECK(host->published.at("instruction.fp32_add.ridge_warps").value == 46);
  CHECK(host->published.at("instruction.fp32_add.ridge_warps_by_ilp").value == Json{{1, 46}, {2, 23}, {4, 12}});
  const Json by_ilp = host->published.at("instruction.fp32_add.completion_latency_by_ilp").value;
  CHECK(by_ilp.at(2).at(1).get<double>() == Approx(6).epsilon(0.005));
  CHECK(host->evidence.contains("instruction.fp32_add"));
}

TEST_CASE("where too few warps fit to fill the pipelines, nothing is said about full ones") {
  sim::Gpu gpu = plain_gpu();
  gpu.instructions->max_warps = 8;
  const auto host = measured(gpu, "instruction-throughput", "instruction-throughput/fp32_add");
  CHECK(number(*host, "instruction.fp32_add.completion_latency") == Approx(24).epsilon(0.005));
  CHECK_THAT(host->inconclusive.at("instruction.fp32_add.ridge_warps"), ContainsSubstring("still rises with 8 warps"));
  CHECK(host->inconclusive.contains("instruction.fp32_add.throughput"));
  CHECK_FALSE(host->published.contains("instruction.fp32_add.throughput"));
}

TEST_CASE("a type of instruction that the GPU lacks is skipped with the reason") {
  const auto host =
      measured(plain_gpu(), "instruction-throughput", "instruction-throughput/fp64_fma", TOMOGRAPH_SKIPPED);
  CHECK(host->skip_category == "device");
  CHECK(host->skip_reason == "this GPU has no instructions of type fp64_fma");
}

TEST_CASE("threads lose nothing from the width on that shares its instructions") {
  for (const std::int64_t width : {16, 32, 64}) {
    sim::Gpu gpu = plain_gpu();
    gpu.divergence->width = width;
    const auto host = measured(gpu, "divergence", "divergence/branch_width");
    CHECK(host->published.at("divergence.coherent_threads").value == width);
    const Json pairs = host->published.at("divergence.cycles_by_branch_width").value;
    CHECK(pairs.front().at(1).get<double>() == Approx(4 * pairs.back().at(1).get<double>()).epsilon(0.02));
  }
}

TEST_CASE("without a description of divergence its probe is skipped with the reason") {
  sim::Gpu gpu = plain_gpu();
  gpu.divergence.reset();
  const auto host = measured(gpu, "divergence", "divergence/branch_width", TOMOGRAPH_SKIPPED);
  CHECK(host->skip_reason == "this GPU's divergence is not described");
}

TEST_CASE(
    "one warp's requests take the latency of memory and of its turn, whatever their elements; full pipelines take "
    "less") {
  const sim::Gpu gpu = sim::read_gpu(TOMOGRAPH_SOURCE_DIR "/plugins/devices/sim/gpus/h200.toml");
  const auto host = measured(gpu, "memory-requests", "memory-requests/dram");
  const Json one_warp = host->published.at("dram.request.completion_latency_by_element").value;
  const Json full = host->published.at("dram.request.issue_latency_by_element").value;
  REQUIRE(one_warp.size() == 5);
  for (const Json& pair : one_warp) {
    const double alone =
        sim::of_element(gpu.bandwidth->request_cycles.value(), pair.at(0)) + gpu.bandwidth->turn_cycles;
    CHECK(pair.at(1).get<double>() == Approx(alone).epsilon(0.02));
  }
  for (const Json& pair : full) CHECK(pair.at(1).get<double>() < 0.1 * static_cast<double>(gpu.dram.latency));
}

TEST_CASE("a GPU without bandwidth has no latencies of requests") {
  const auto host = measured(plain_gpu(), "memory-requests", "memory-requests/dram", TOMOGRAPH_SKIPPED);
  CHECK(host->skip_category == "device");
}
