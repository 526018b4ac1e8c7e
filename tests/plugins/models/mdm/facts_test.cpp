#include "facts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::mdm;

/// The masks of an L2 of 4,096 sets whose index was published so.
std::vector<std::uint64_t> masks_of_l2(const Value& index) {
  const std::map<std::string, Value> known{{"device.sm_count", 4}, {"device.max_warps_per_sm", 64}, {"l2.latency", 200},
                                           {"dram.latency", 500},  {"l2.line_size", 128},           {"l2.sets", 4096},
                                           {"l2.index", index}};
  const Facts facts{.record = [&](const std::string& key) -> std::optional<Value> {
    const auto fact = known.find(key);
    if (fact == known.end()) return std::nullopt;
    return Value{{"value", fact->second}};
  }};
  return profiled_machine_of(facts).llc.masks;
}

}  // namespace

TEST_CASE("an index counts if it tells all sets of a cache apart") {
  const std::vector<std::int64_t> twelve{7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
  const std::vector<std::int64_t> three{7, 8, 9};
  const std::vector<std::string> parities{"0x280", "0x500"};
  CHECK(masks_of_l2(Value{{"kind", "bits"}, {"bits", twelve}}).size() == 12);
  CHECK(masks_of_l2(Value{{"kind", "bits"}, {"bits", three}}).empty());
  CHECK(masks_of_l2(Value{{"kind", "partly-hashed"}, {"parities", parities}}).empty());
  CHECK(masks_of_l2(Value{{"kind", "modulo"}, {"modulus", 4096}}).empty());
}
