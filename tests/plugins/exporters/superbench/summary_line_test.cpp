#include "summary_line.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"

using namespace tomograph;

namespace {

Topology gpu(const std::string& device, const std::string& latency, const std::string& status = "measured") {
  const auto fact = [](const std::string& value) {
    return R"({"value": )" + value + R"(, "unit": "", "source": "measured", "confidence": 0.99})";
  };
  return Topology("topology.toml", R"({"provenance": {"device": {"name": ")" + device + R"("}}, "l2": {"latency": )" +
                                       fact(latency) + R"(, "replacement": )" + fact("\"lru\"") + R"(, "hashed": )" +
                                       fact("true") + R"(, "latency_by_sm": )" + fact("[1.5, 2]") +
                                       R"(}, "outcomes": {"l2.size": {"status": ")" + status +
                                       R"(", "probe": "p", "reason": ""}}})");
}

}  // namespace

TEST_CASE("a node is one line with the numbers of each of its GPUs, by CUDA's number") {
  const std::vector<Topology> node{gpu("cuda:3", "281.5"), gpu("cuda:0", "282", "crashed")};
  const std::string line = superbench::summary_line(node, "node \"1\"");
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(nlohmann::json::parse(line) == nlohmann::json{{"node", "node \"1\""},
                                                      {"tomograph/return_code:3", 0},
                                                      {"tomograph/l2.latency:3", 281.5},
                                                      {"tomograph/l2.hashed:3", 1},
                                                      {"tomograph/return_code:0", 1},
                                                      {"tomograph/l2.latency:0", 282},
                                                      {"tomograph/l2.hashed:0", 1}});
}

TEST_CASE("two topologies of one GPU are refused, since a metric has one value for each") {
  const std::vector<Topology> node{gpu("cuda:0", "1"), gpu("cuda:0", "2")};
  CHECK_THROWS_AS(superbench::summary_line(node, "n"), Refused);
}

TEST_CASE("a GPU that CUDA does not number takes no number of another") {
  const std::vector<Topology> node{gpu("cuda:1", "1"), gpu("sim:small", "2")};
  const auto line = nlohmann::json::parse(superbench::summary_line(node, "n"));
  CHECK(line.at("tomograph/l2.latency:1") == 1);
  CHECK(line.at("tomograph/l2.latency:0") == 2);
}

TEST_CASE("GPUs that CUDA does not number are numbered in their order") {
  const std::vector<Topology> node{gpu("sim:small", "1"), gpu("cuda:GPU-1", "2")};
  const auto line = nlohmann::json::parse(superbench::summary_line(node, "n"));
  CHECK(line.at("tomograph/l2.latency:0") == 1);
  CHECK(line.at("tomograph/l2.latency:1") == 2);
}
