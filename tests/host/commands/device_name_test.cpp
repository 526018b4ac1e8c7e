#include "commands/device_name.hpp"

#include "catch.hpp"

using namespace tomograph::host;

TEST_CASE("the name of a device has a target and parameters") {
  const DeviceName all = parsed_device_name("sim:h200?seed=2&noise=false");
  CHECK(all.id == "sim");
  CHECK(all.target == "h200");
  CHECK(all.parameters == std::vector<std::string>{"seed=2", "noise=false"});
  CHECK(all.plain() == "sim:h200");
  CHECK(parsed_device_name("cuda").target.empty());
  CHECK(parsed_device_name("replay:what?.rec").target == "what?.rec");
}

TEST_CASE("in a list of devices a part without a device takes that of the part before it") {
  using Names = std::vector<std::string>;
  CHECK(listed_devices("cuda:0,2") == Names{"cuda:0", "cuda:2"});
  CHECK(listed_devices("sim:h200,small?seed=2,cuda:1") == Names{"sim:h200", "sim:small?seed=2", "cuda:1"});
  CHECK(listed_devices("cuda:GPU-1-a") == Names{"cuda:GPU-1-a"});
  CHECK(listed_devices("").empty());
}

TEST_CASE("files are named after a GPU") {
  CHECK(as_file_part("sim:./slow.toml?seed=2") == "sim-slow-toml-seed-2");
  CHECK(with_placeholder("a/topology.toml") == "a/topology.{uuid}.toml");
  CHECK(with_placeholder("{uuid}.toml") == "{uuid}.toml");
  CHECK(named_after("a/t.{uuid}.toml", "GPU-1") == "a/t.GPU-1.toml");
  CHECK(named_after("a/t.toml", "GPU-1") == "a/t.toml");
  CHECK_FALSE(has_placeholder("{uuid}/t.toml"));
}
