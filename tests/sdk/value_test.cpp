#include "tomograph/value.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "catch.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::from_json;
using tomograph::to_json;
using tomograph::Value;

TEST_CASE("values of all types become the JSON that facts have always had") {
  const Value value = {{"text", "B/s"},          {"list", Value::list(1, 2.0, "three")},
                       {"flag", true},           {"none", nullptr},
                       {"share", 0.1},           {"table", {{"large", std::size_t{62914560}}}},
                       {"empty", Value::list()}, {"no_entries", Value::table()}};
  CHECK(
      to_json(value) ==
      R"({"empty":[],"flag":true,"list":[1,2.0,"three"],"no_entries":{},"none":null,"share":0.1,"table":{"large":62914560},"text":"B/s"})");
  CHECK(from_json(to_json(value)) == value);
  CHECK(to_json(std::numeric_limits<double>::quiet_NaN()) == "null");
}

TEST_CASE("a value is read as the type that it holds, and as no other") {
  CHECK(Value(7).get<std::int64_t>() == 7);
  CHECK(Value(7).get<double>() == 7);
  CHECK(Value(7.0).get<int>() == 7);
  CHECK(Value(true).get<bool>());
  CHECK(Value("lru").get<std::string>() == "lru");
  CHECK(Value::list(1, 2).get<std::vector<std::int64_t>>() == std::vector<std::int64_t>{1, 2});
  CHECK(Value::list(1.5, 2).get<std::pair<double, double>>() == std::pair{1.5, 2.0});
  CHECK_THROWS_AS(Value(7.5).get<int>(), std::invalid_argument);
  CHECK_THROWS_AS(Value("7").get<int>(), std::invalid_argument);
  CHECK_THROWS_AS(Value(1).get<bool>(), std::invalid_argument);
  CHECK_THROWS_AS(Value(300).get<std::uint8_t>(), std::invalid_argument);
  CHECK_THROWS_AS(Value(std::numeric_limits<std::uint64_t>::max()), std::invalid_argument);
  CHECK_THROWS_AS(Value::list(1).get<std::string>(), std::invalid_argument);
}

TEST_CASE("tables and lists grow from null") {
  Value value;
  CHECK(value.is_null());
  value["by_sm"].push_back(198);
  value["by_sm"].push_back(Value::list(2));
  value["by_sm"].back().push_back(3.5);
  CHECK(to_json(value) == R"({"by_sm":[198,[2,3.5]]})");
  CHECK(value.contains("by_sm"));
  CHECK(value.value("replicated", false) == false);
  CHECK_THROWS_WITH(value.at("sm"), ContainsSubstring("sm"));
  CHECK_THROWS_AS(value.push_back(1), std::invalid_argument);
  CHECK_THROWS_AS(value["by_sm"]["no table"], std::invalid_argument);
}

TEST_CASE("text that is no UTF-8 is refused with a reason that needs no knowledge of JSON") {
  CHECK_THROWS_WITH(to_json(Value::list("fine", "\xff")), "a text in the value is not UTF-8");
}

TEST_CASE("text that is no JSON, nests without end or holds too large a number is refused") {
  CHECK_THROWS_AS(from_json("{"), std::invalid_argument);
  CHECK_THROWS_AS(from_json(std::string(200, '[') + std::string(200, ']')), std::invalid_argument);
  CHECK_THROWS_AS(from_json("9223372036854775808"), std::invalid_argument);
}
