#include "tomograph/documents/nearest_name.hpp"

#include <vector>

#include "catch.hpp"

using namespace tomograph;

TEST_CASE("a slip of the keyboard finds the name that was meant") {
  const std::vector<std::string> names{"include", "exclude", "device"};
  CHECK(nearest_name("inclde", names) == "include");
  CHECK(nearest_name("devcie", names) == "device");
  CHECK(nearest_name("exclude", names) == "exclude");
  CHECK(suggestion("devise", names) == "; did you mean 'device'?");
}

TEST_CASE("a name that is like none gets no suggestion") {
  const std::vector<std::string> names{"include", "exclude", "device"};
  CHECK(nearest_name("colour", names) == std::nullopt);
  CHECK(suggestion("colour", names).empty());
  CHECK(nearest_name("x", {}) == std::nullopt);
}
