#include "loading/names.hpp"

#include "catch.hpp"

using namespace tomograph::host;

TEST_CASE("identifiers follow their grammar") {
  CHECK(is_plugin_id("data-cache"));
  CHECK(is_plugin_id("com.example.x"));
  for (const char* wrong : {"", "Data", "a..b", ".a", "a/b", "a_b"}) CHECK_FALSE(is_plugin_id(wrong));
  CHECK(is_probe_name("l1.line_size"));
  for (const char* wrong : {"", "L1", "a/b", "a b"}) CHECK_FALSE(is_probe_name(wrong));
  CHECK(is_device_id("cuda"));
  for (const char* wrong : {"", "0cuda", "cuda:0", "a.b"}) CHECK_FALSE(is_device_id(wrong));
  CHECK(is_fact_key("l1_data.line_size"));
  for (const char* wrong : {"", "l1.", ".l1", "l1..x", "L1.x", "l1-x"}) CHECK_FALSE(is_fact_key(wrong));
  CHECK(is_experiment_id("com.example.my_chase-x/12"));
  for (const char* wrong : {"", "a", "a/", "/1", "a/b", "A/1", "a..b/1", "a/1/2"}) CHECK_FALSE(is_experiment_id(wrong));
  CHECK(is_version("1.20.3"));
  for (const char* wrong : {"1.2", "1.2.3.4", "1.2.x", "..", ""}) CHECK_FALSE(is_version(wrong));
}
