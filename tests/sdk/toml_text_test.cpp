#include "tomograph/documents/toml_text.hpp"

#include <cstdint>
#include <limits>

#include "catch.hpp"

using namespace tomograph;
using Json = nlohmann::json;

TEST_CASE("a value that TOML cannot hold is refused, however deep it lies") {
  CHECK(value_obstacle(Json::parse(R"({"a": [1, 2.5, "x", {"b": true}]})")) == std::nullopt);
  CHECK(value_obstacle(Json::parse(R"({"a": [1, {"b": null}]})")).has_value());
  CHECK(value_obstacle(std::numeric_limits<std::uint64_t>::max()).has_value());
  CHECK(value_obstacle(std::numeric_limits<double>::quiet_NaN()).has_value());
}
