#include "mt4g.hpp"

#include <array>

#include "catch.hpp"
#include "recorded.hpp"

using namespace tomograph;
using Json = nlohmann::json;

namespace {

/// What sys-sage 1.1 reads of a report and aborts without.
constexpr std::array demanded{
    "/general/name",
    "/general/vendor",
    "/general/computeCapability/major",
    "/general/computeCapability/minor",
    "/general/clockRate/value",
    "/compute/multiProcessorCount",
    "/compute/numberOfCoresPerMultiProcessor",
    "/compute/maxThreadsPerBlock",
    "/compute/warpSize",
    "/compute/maxThreadsPerMultiProcessor",
    "/compute/maxBlocksPerMultiProcessor",
    "/memory/main/totalGlobalMem/value",
    "/memory/main/memoryClockRate/value",
    "/memory/main/memoryBusWidth/value",
    "/memory/l2/size/value",
    "/memory/constant/l1.5/size/size",
    "/memory/constant/l1.5/fetchGranularity/size",
    "/memory/constant/l1/size/size",
    "/memory/constant/l1/fetchGranularity/size",
    "/memory/constant/l1/latency/mean",
    "/memory/shared/sharedMemPerBlock/value",
    "/memory/shared/sharedMemPerMultiProcessor/value",
    "/memory/l1",
    "/memory/texture/size/size",
    "/memory/texture/fetchGranularity/size",
    "/memory/texture/latency/mean",
    "/memory/readOnly/size/size",
    "/memory/readOnly/fetchGranularity/size",
    "/memory/readOnly/latency/mean",
};

/// The recording and what the runtime says that recordings of its age lack.
EditedTopology complete() {
  EditedTopology topology("h200");
  topology.set("device.cores_per_sm", 128, "1").set("device.max_threads_per_block", 1024, "1");
  topology.set("device.shared_memory_per_block", 49152, "B").set("device.constant_memory", 65536, "B");
  return topology;
}

Json report_of(const EditedTopology& topology) { return Json::parse(mt4g::report_of(topology.topology()).json); }

const Json* found(const Json& report, const std::string& pointer) {
  const Json::json_pointer path(pointer);
  return report.contains(path) ? &report.at(path) : nullptr;
}

/// Members that sys-sage takes for granted beside others.
void check_companions(const Json& report) {
  for (const std::string memory : {"/memory/main", "/memory/l2"}) {
    if (found(report, memory + "/latency") == nullptr) continue;
    CHECK(found(report, memory + "/latency/mean"));
    CHECK(found(report, memory + "/readBandwidth/value"));
    CHECK(found(report, memory + "/writeBandwidth/value"));
  }
  if (const Json* constant = found(report, "/memory/constant")) {
    const bool has_total_alone = constant->size() == 1 && constant->contains("totalConstMem");
    CHECK((has_total_alone || (constant->contains("l1") && constant->contains("l1.5"))));
  }
}

}  // namespace

TEST_CASE("a complete topology gives all that sys-sage reads") {
  const Json report = report_of(complete());
  for (const std::string pointer : demanded) {
    INFO(pointer);
    CHECK(found(report, pointer));
  }
  check_companions(report);
  CHECK(report.at("meta").at("leftOut").empty());
}

TEST_CASE("values are in MT4G's units") {
  const EditedTopology edited = complete();
  const Topology topology = edited.topology();
  const auto number = [&](const char* key) { return *topology.value<double>(key); };
  const Json report = report_of(edited);
  const Json& memory = report.at("memory");
  CHECK(report.at("general").at("clockRate") == Json{{"unit", "kHz"}, {"value", 1980000}});
  CHECK(report.at("general").at("computeCapability") == Json{{"major", 9}, {"minor", 0}});
  CHECK(report.at("compute").at("maxThreadsPerMultiProcessor") == 2048);
  CHECK(memory.at("main").at("readBandwidth").at("unit") == "GiB/s");
  CHECK(memory.at("main").at("readBandwidth").at("value").get<double>() ==
        Approx(number("dram.bandwidth.read") / (1 << 30)).epsilon(1e-9));
  CHECK(memory.at("l2").at("size").at("value") == 62914560);
  CHECK(memory.at("l2").at("segmentSize").at("size") == *topology.value<std::int64_t>("l2.partition.size"));
  CHECK(memory.at("l1").at("latency").at("mean") == number("l1_data.latency"));
  CHECK(memory.at("l1").at("readBandwidth").at("value").get<double>() ==
        Approx(number("l1_data.bandwidth.read") * 1.98e9 / (1 << 30)).epsilon(1e-9));
  for (const char* pointer :
       {"/main", "/l2", "/l1", "/texture", "/readOnly", "/constant/l1", "/constant/l1.5", "/shared"}) {
    INFO(pointer);
    const Json& latency = memory.at(Json::json_pointer(pointer)).at("latency");
    for (const char* statistic : {"mean", "p50", "p95", "stdev"}) CHECK(latency.at(statistic).is_number());
  }
  CHECK(memory.at("l1").at("sharedWith") == Json{"Read Only", "Texture"});
  CHECK(memory.at("readOnly").at("sharedWith") == Json{"L1", "Texture"});
  CHECK(!memory.at("constant").at("l1").contains("sharedWith"));
  CHECK(report.at("meta").at("driver") == 13000);
}

TEST_CASE("the report tells on which machine it was measured") {
  EditedTopology topology = complete();
  topology.member("/provenance/machine") = {{"cpu", "EPYC"}, {"kernel", "Linux 6.1"}, {"name", "node17"}};
  topology.member("/provenance/tool/compiler") = "Clang 14";
  const Json meta = report_of(topology).at("meta");
  CHECK(meta.at("hostCpu") == "EPYC");
  CHECK(meta.at("os") == "Linux 6.1");
  CHECK(meta.at("hostCompiler") == "Clang 14");
}

TEST_CASE("CUDA's versions are counted as CUDA counts them") {
  CHECK(report_of(complete().set("device.driver", "12.8")).at("meta").at("driver") == 12080);
  CHECK(!report_of(complete().set("device.driver", "new")).at("meta").contains("driver"));
}

TEST_CASE("a group that lacks a demanded fact is left out as a whole, and its absence explained") {
  EditedTopology topology("h200");
  for (const char* key : {"device.cores_per_sm", "device.max_threads_per_block", "device.shared_memory_per_block"}) {
    topology.remove(key);
  }
  const Json report = report_of(topology);
  CHECK(!report.contains("compute"));
  CHECK(!report.at("memory").contains("shared"));
  CHECK(report.at("memory").contains("l1"));
  CHECK(report.at("meta").at("leftOut") == Json{{"compute", {"device.cores_per_sm", "device.max_threads_per_block"}},
                                                {"memory/shared", {"device.shared_memory_per_block"}}});
  check_companions(report);
}

TEST_CASE("whichever fact is missing, no group is written in part") {
  const EditedTopology whole = complete()
                                   .keep({"constant_l1", "constant_l15", "device", "dram", "l1_data", "l2",
                                          "provenance", "read_only", "shared", "texture"})
                                   .remove("l2.latency_by_sm_and_slice");  // half of all numbers, read by no report
  CHECK(report_of(whole).at("memory") == report_of(complete()).at("memory"));
  const Topology topology = whole.topology();
  for (const auto& [key, fact] : topology.facts()) {
    const Json report = report_of(EditedTopology(whole).remove(key));
    INFO(key);
    check_companions(report);
    for (const std::string pointer : demanded) {
      if (found(report, pointer) != nullptr) continue;
      const std::string group = pointer.substr(0, pointer.find('/', pointer.starts_with("/memory/") ? 8 : 1));
      const bool constant_total = group == "/memory/constant" && found(report, "/memory/constant/totalConstMem");
      CHECK((found(report, group) == nullptr || constant_total));
    }
  }
}

TEST_CASE("without a size of the constant caches, the total of constant memory stands alone") {
  const Json report = report_of(complete().remove("constant_l15.size"));
  CHECK(report.at("memory").at("constant") == Json{{"totalConstMem", {{"unit", "bytes"}, {"value", 65536}}}});
  CHECK(report.at("meta").at("leftOut").contains("memory/constant/l1.5"));
}

TEST_CASE("a size that is known to within an interval is rounded to bytes") {
  auto topology = complete();
  topology.set("constant_l1.size", 2047.75, "B").set("dram.size", 8192.25, "B");
  const Json report = report_of(topology);
  CHECK(report.at("/memory/constant/l1/size/size"_json_pointer) == 2048);
  CHECK(report.at("/memory/main/totalGlobalMem/value"_json_pointer) == 8192);
}
