#include "labels.hpp"

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "catch.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string fact(const std::string& value, const std::string& unit) {
  return R"({"value": )" + value + R"(, "unit": ")" + unit + R"(", "source": "measured", "confidence": 0.99})";
}

Topology topology(const std::string& name, const std::string& l2_size) {
  return Topology("topology.toml", R"({"device": {"name": )" + fact(name, "") + R"(}, "l2": {"size": )" +
                                       fact(l2_size, "B") + R"(, "latency": )" + fact("281.6", "cycle") + "}}");
}

std::string lines(const std::vector<Topology>& node) { return node_features::lines(node); }

}  // namespace

TEST_CASE("of GPUs of one node that differ the least and the greatest number is a label, and no text") {
  CHECK(lines({topology("\"A\"", "61469952"), topology("\"A\"", "50331648"), topology("\"B\"", "61469952")}) ==
        "tomograph.dev/gpus=3\ntomograph.dev/l2.mib.least=48\ntomograph.dev/l2.mib.greatest=59\n"
        "tomograph.dev/l2.latency.cycles=282\n");
  CHECK(lines({topology("\"A\"", "61469952"), Topology("other.toml", "{}")}).empty());
}

TEST_CASE("sizes that differ have no label in common, though they round to one number") {
  const auto of_two = lines({topology("\"A\"", "629145"), topology("\"A\"", "1468006")});
  CHECK_THAT(of_two, ContainsSubstring("l2.mib.least=1\n") && ContainsSubstring("l2.mib.greatest=1\n"));
  // What differs by noise agrees.
  CHECK_THAT(lines({topology("\"A\"", "61469952"), topology("\"A\"", "61600000")}), ContainsSubstring("l2.mib=59\n"));
}

TEST_CASE("a size that rounds to 0 has no label") {
  CHECK(lines({topology("\"A\"", "131072"), topology("\"A\"", "262144")}).find("l2.mib") == std::string::npos);
  CHECK(lines({topology("\"A\"", "131072"), topology("\"A\"", "61469952")}).find("l2.mib") == std::string::npos);
}

TEST_CASE("labels are integers in the unit that their name says") {
  CHECK(lines({topology("\"NVIDIA H200\"", "61469952")}) ==
        "tomograph.dev/gpus=1\ntomograph.dev/device.name=NVIDIA-H200\ntomograph.dev/l2.mib=59\ntomograph.dev/"
        "l2.latency.cycles=282\n");
}

TEST_CASE("every line is a label that Kubernetes takes, whatever the GPU is called") {
  const std::regex line(R"(tomograph\.dev/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?=)"
                        R"(([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?)");
  const std::string longest(80, 'x');
  for (const std::string& name :
       {std::string("A \\\"GPU\\\" <of> é\\n="), std::string("-.-"), std::string(), longest, longest + "-"}) {
    std::istringstream text(lines({topology("\"" + name + "\"", "1048576")}));
    int count = 0;
    for (std::string each; std::getline(text, each); ++count) {
      INFO(each);
      CHECK(std::regex_match(each, line));
    }
    CHECK(count == 4);
  }
}

TEST_CASE("a value is cut to 63 characters that begin and end with a letter or digit") {
  CHECK(node_features::label_value(std::string(80, 'x')) == std::string(63, 'x'));
  CHECK(node_features::label_value(std::string(62, 'x') + " y") == std::string(62, 'x'));
  CHECK(node_features::label_value("...a b...") == "a-b");
  CHECK(node_features::label_value("---").empty());
}

TEST_CASE("an expiry time is one of RFC 3339") {
  CHECK(node_features::is_time("2026-12-01T00:00:00Z"));
  CHECK(node_features::is_time("2026-12-01T00:00:00.5+01:00"));
  for (const char* other :
       {"2026-12-01", "tomorrow", "2026-12-01T00:00:00", "2026-12-01T00:00:00Z\nx=y", "2026-99-99T99:99:99Z",
        "2026-02-29T00:00:00Z", "2026-12-01T24:00:00Z", "2026-12-01T00:60:00Z", "2026-12-01T00:00:00+24:00"}) {
    CHECK_FALSE(node_features::is_time(other));
  }
}
