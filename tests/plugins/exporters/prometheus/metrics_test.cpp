#include "metrics.hpp"

#include "catch.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string topology(const std::string& target, const std::string& uuid, const std::string& facts = "") {
  return R"({"provenance": {"device": {"name": ")" + target + R"("}},
    "device": {"uuid": {"value": ")" +
         uuid + R"(", "unit": "", "source": "api", "confidence": 1}},
    "l2": {"latency": {"value": 282.3, "unit": "cycle", "source": "measured", "confidence": 0.99}})" +
         facts + "}";
}

std::string metrics_of(const std::vector<std::string>& texts) {
  std::vector<Topology> topologies;
  for (const std::string& text : texts) topologies.emplace_back("topology.toml", text);
  return prometheus::metrics_of(topologies);
}

}  // namespace

TEST_CASE("a fact is a gauge in base units, labelled as dcgm-exporter labels") {
  CHECK_THAT(metrics_of({topology("cuda:3", "GPU-1")}),
             ContainsSubstring("# HELP tomograph_l2_latency_cycles Fact l2.latency in cycle\n"
                               "# TYPE tomograph_l2_latency_cycles gauge\n"
                               "tomograph_l2_latency_cycles{gpu=\"3\",UUID=\"GPU-1\"} 282.3\n"));
}

TEST_CASE("the samples of several GPUs stand together below one help") {
  CHECK_THAT(metrics_of({topology("sim:a", "GPU-1"), topology("sim:b", "GPU-2")}),
             ContainsSubstring("gauge\ntomograph_l2_latency_cycles{gpu=\"0\",UUID=\"GPU-1\"} 282.3\n"
                               "tomograph_l2_latency_cycles{gpu=\"1\",UUID=\"GPU-2\"} 282.3\n"));
}

TEST_CASE("no two series have the same name and labels") {
  CHECK_THAT(metrics_of({topology("sim:a", ""), topology("cuda:0", "")}),
             ContainsSubstring("latency_cycles{gpu=\"1\"}") && ContainsSubstring("latency_cycles{gpu=\"0\"}"));
  CHECK_THROWS_AS(metrics_of({topology("cuda:0", "GPU-1"), topology("cuda:0", "GPU-1")}), Refused);
}

TEST_CASE("text is a label, a flag is 0 or 1, curves are left out") {
  const std::string text = metrics_of({topology(
      "cuda:0", "GPU-1",
      R"(, "l1_data": {"replacement": {"value": "a \"b\"\\\n", "unit": "", "source": "measured", "confidence": 1},
          "virtually_tagged": {"value": true, "unit": "", "source": "measured", "confidence": 1},
          "set_ways": {"value": [4, 4], "unit": "1", "source": "measured", "confidence": 1}})")});
  CHECK_THAT(text, ContainsSubstring("tomograph_l1_data_replacement_info{gpu=\"0\",UUID=\"GPU-1\","
                                     "value=\"a \\\"b\\\"\\\\\\n\"} 1\n"));
  CHECK_THAT(text, ContainsSubstring("tomograph_l1_data_virtually_tagged{gpu=\"0\",UUID=\"GPU-1\"} 1\n"));
  CHECK(text.find("set_ways") == std::string::npos);
}

TEST_CASE("names end in their base unit once, and in nothing that Prometheus reserves") {
  CHECK(prometheus::metric_name("l2.size", "B") == "tomograph_l2_size_bytes");
  CHECK(prometheus::metric_name("dram.bandwidth.read", "B/s") == "tomograph_dram_bandwidth_read_bytes_per_second");
  CHECK(prometheus::metric_name("x.cycles", "cycle") == "tomograph_x_cycles");
  CHECK(prometheus::metric_name("device.sm_count", "1") == "tomograph_device_sm_count_value");
}
