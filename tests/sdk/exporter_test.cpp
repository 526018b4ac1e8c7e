#include "tomograph/exporter.hpp"

#include "catch.hpp"
#include "memory_host.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* const text = R"({
  "schema_version": 2,
  "provenance": {"device": {"name": "sim:x"}},
  "outcomes": {"l2.ways": {"status": "inconclusive", "reason": "too much noise", "probe": "data-cache/l2"}},
  "probes": {"data-cache/l2": {"status": "measured", "seconds": 1, "experiments": 2}},
  "l2": {
    "latency": {"value": 281.5, "unit": "cycle", "source": "measured", "method": "chain", "probe": "data-cache/l2",
                "scope": "device", "confidence": 0.99, "interval": [280, 283], "samples": 5,
                "conditions": {"stride": 128}, "evidence": "curve",
                "near": {"value": 270, "unit": "cycle", "source": "derived", "confidence": 0.9}}
  }
})";
const char* const evidence =
    R"({"schema_version": 1, "evidence": {"data-cache/l2": {"curve": {"cycles": [280, null]}}}})";

struct Echo {
  static constexpr const char* id = "echo";
  static constexpr const char* description = "Writes the names of what it gets";
  static constexpr const char* suffix = ".txt";
  static constexpr std::array parameters{parameter("end", TOMOGRAPH_TEXT, "\"\"", 0, 0, "Last word")};
  static void write(std::span<const Topology> topologies, Sink& sink, const Session& session) {
    for (const Topology& topology : topologies) sink.write(topology.name() + " " + topology.device() + "\n");
    sink.write(session.parameter<std::string>("end"));
  }
};

struct Picky {
  static constexpr const char* id = "picky";
  static constexpr const char* description = "Needs what is not known";
  static constexpr const char* suffix = ".txt";
  static constexpr bool takes_evidence = true;
  static constexpr double time_budget = 5;
  static void write(const Topology& topology, Sink& sink) {
    sink.write(std::to_string(topology.needed<int>("l2.ways")));
  }
};

/// What an exporter writes, or how its call ended.
struct Written {
  tomograph_status status = TOMOGRAPH_OK;
  std::string file;
  std::string error;
};

Written write(const tomograph_exporter& exporter, std::uint64_t count) {
  MemoryHost host;
  host.parameters["end"] = "\"fin\"";
  Written written;
  const tomograph_byte_sink sink{sizeof sink, &written.file,
                                 [](void* context, const void* bytes, std::uint64_t size) -> tomograph_status {
                                   static_cast<std::string*>(context)->append(static_cast<const char*>(bytes), size);
                                   return TOMOGRAPH_OK;
                                 }};
  const tomograph_document document{sizeof document, "topology.toml", text, "[]", nullptr};
  const std::vector<const tomograph_document*> documents(count, &document);
  written.status = exporter.write(host.abi(), documents.data(), count, &sink);
  written.error = host.error;
  return written;
}

constexpr tomograph_plugin plugin =
    make_plugin<Exporters<Echo, Picky>, Probes<>>("test", "1.0.0", "Lists in any order");
constexpr tomograph_plugin without = make_plugin<Probes<>>("test", "1.0.0", "No exporters");

}  // namespace

TEST_CASE("a topology has its facts by key, also those below another fact") {
  const Topology topology("topology.toml", text);
  REQUIRE(topology.facts().size() == 2);
  const KnownFact& fact = topology.needed_fact("l2.latency");
  CHECK(fact.value.get<double>() == 281.5);
  CHECK(fact.unit == "cycle");
  CHECK(fact.method == "chain");
  CHECK(fact.probe == "data-cache/l2");
  CHECK(fact.confidence == 0.99);
  CHECK(fact.interval->low == 280);
  CHECK(fact.samples == 5);
  CHECK(fact.conditions.at("stride").get<int>() == 128);
  CHECK(topology.value<int>("l2.latency.near") == 270);
  CHECK_FALSE(topology.fact("l2.latency.near")->interval);
  CHECK(topology.fact("l2") == nullptr);
  CHECK(topology.outcomes().at("l2.ways").status == "inconclusive");
  CHECK(topology.device() == "sim:x");
  CHECK(topology.uuid().empty());
}

TEST_CASE("a topology has the curve behind a fact, where there is evidence") {
  const Topology topology("topology.toml", text, "[]", evidence);
  const Value* curve = topology.curve(*topology.fact("l2.latency"));
  REQUIRE(curve != nullptr);
  CHECK(curve->at("cycles").elements().front().get<int>() == 280);
  CHECK(topology.curve(*topology.fact("l2.latency.near")) == nullptr);
  const Topology bare("topology.toml", text);
  CHECK(bare.curve(*bare.fact("l2.latency")) == nullptr);
}

TEST_CASE("a value of another type is refused with the name of its fact") {
  const Topology topology("topology.toml", text);
  CHECK_THROWS_WITH(topology.value<std::int64_t>("l2.latency"),
                    ContainsSubstring("topology.toml: l2.latency is 281.5: a value is no integer"));
  CHECK_THROWS_WITH(topology.needed<std::string>("l2.latency"), ContainsSubstring("l2.latency"));
  CHECK_THROWS_AS(topology.value<std::int64_t>("l2.latency"), Refused);
}

TEST_CASE("a number is rounded to an integer, whether it is one or not") {
  const Topology topology("topology.toml", text);
  CHECK(topology.rounded("l2.latency") == 282);
  CHECK(topology.rounded("l2.latency.near") == 270);
  CHECK_FALSE(topology.rounded("l2.size"));
}

TEST_CASE("GPUs have CUDA's numbers, and others the first that are free") {
  const auto measured_on = [](const std::string& target, const std::string& facts = "{}") {
    return Topology("topology.toml",
                    R"({"provenance": {"device": {"name": ")" + target + R"("}}, "device": )" + facts + "}");
  };
  const std::string second = R"({"gpu": {"value": 1, "unit": "1", "source": "api", "confidence": 1}})";
  const auto numbers = [](const std::vector<Topology>& node) { return gpu_numbers(node); };
  CHECK(numbers({measured_on("cuda:3"), measured_on("cuda:0")}) == std::vector<std::string>{"3", "0"});
  CHECK(numbers({measured_on("cuda:GPU-1", second), measured_on("sim:a"), measured_on("sim:b")}) ==
        std::vector<std::string>{"1", "0", "2"});
  CHECK(numbers({measured_on("sim:a"), measured_on("cuda:0")}) == std::vector<std::string>{"1", "0"});
  CHECK_THROWS_AS(numbers({measured_on("cuda:0"), measured_on("cuda:0")}), Refused);
}

TEST_CASE("GPUs that are each all that their process saw are numbered in their order") {
  const auto with_uuid = [](const std::string& uuid) {
    return Topology(uuid + ".toml", R"({"provenance": {"device": {"name": "cuda:0"}}, "device": {"uuid": {"value": ")" +
                                        uuid + R"(", "unit": "", "source": "api", "confidence": 1}}})");
  };
  CHECK(gpu_numbers(std::vector{with_uuid("GPU-1"), with_uuid("GPU-2")}) == std::vector<std::string>{"0", "1"});
  CHECK_THROWS_WITH(gpu_numbers(std::vector{with_uuid("GPU-1"), with_uuid("GPU-1")}),
                    ContainsSubstring("GPU-1.toml and GPU-1.toml are of the same GPU"));
}

TEST_CASE("the descriptor says what an exporter takes, from the type of its function") {
  REQUIRE(plugin.exporter_count == 2);
  CHECK(plugin.exporters[0]->takes_several == 1);
  CHECK(plugin.exporters[0]->takes_evidence == 0);
  CHECK(plugin.exporters[0]->parameter_count == 1);
  CHECK(plugin.exporters[0]->time_budget == 60);
  CHECK(plugin.exporters[1]->takes_several == 0);
  CHECK(plugin.exporters[1]->takes_evidence == 1);
  CHECK(plugin.exporters[1]->time_budget == 5);
}

TEST_CASE("a plugin without exporters needs no host newer than 1.0") {
  CHECK(plugin.abi_minor == 1);
  CHECK(without.abi_minor == 0);
}

TEST_CASE("an exporter gets its topologies and parameters") {
  CHECK(write(*plugin.exporters[0], 2).file == "topology.toml sim:x\ntopology.toml sim:x\nfin");
}

TEST_CASE("a topology that lacks a needed fact is refused with the reason why it is not known") {
  const Written written = write(*plugin.exporters[1], 1);
  CHECK(written.status == TOMOGRAPH_INVALID);
  CHECK_THAT(written.error,
             ContainsSubstring("topology.toml: l2.ways: ") && ContainsSubstring("inconclusive, too much noise"));
}
