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

/// Facts of a GPU with an L2 of 4,096 sets, and further ones.
Facts facts_with(const std::map<std::string, Value>& further) {
  std::map<std::string, Value> known = further;
  known.merge(std::map<std::string, Value>{{"device.sm_count", 4},
                                           {"device.max_warps_per_sm", 64},
                                           {"l2.latency", 200},
                                           {"dram.latency", 500},
                                           {"l2.line_size", 128},
                                           {"l2.sets", 4096}});
  return {.record = [known](const std::string& key) -> std::optional<Value> {
    const auto fact = known.find(key);
    if (fact == known.end()) return std::nullopt;
    return Value{{"value", fact->second}};
  }};
}

kernel::ProfiledMachine machine_with(const std::string& key, const Value& value) {
  return profiled_machine_of(facts_with({{key, value}}));
}

std::vector<std::uint64_t> masks_of_l2(const Value& index) { return machine_with("l2.index", index).llc.masks; }

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

TEST_CASE("the L1 keeps what the topology says is left beside the shared memory that a kernel asks for") {
  const Value left = Value::list(Value::list(0, 60000), Value::list(16000, 45000), Value::list(32000, 30000));
  std::map<std::string, Value> known{
      {"l1_data.size", 64000}, {"l1_data.line_size", 128}, {"l1_data.size_by_carveout", left}};
  const auto size_beside = [&](std::int64_t carveout) {
    return profiled_machine_of(facts_with(known), carveout).l1.size;
  };
  CHECK(size_beside(-1) == 64000);
  CHECK(size_beside(0) == 64000);
  CHECK(size_beside(16000) == 48000);
  CHECK(size_beside(16001) == 32000);
  CHECK(size_beside(64000) == 32000);
  known["l1_data.size"] = 128000;  // as --set changes it
  CHECK(size_beside(16000) == 96000);
  known["l1_data.size_by_carveout"] = Value::list(Value::list(0, 60000), Value::list(16000, -1));
  CHECK_THROWS_AS(size_beside(16000), Refused);
  known.erase("l1_data.size_by_carveout");
  CHECK(size_beside(16000) == 128000);
}

TEST_CASE("an address has the slice that the topology's function gives it") {
  const auto slice_of = [](const Value& value) { return machine_with("l2.slice_function", value).llc_slice; };
  const std::vector<std::string> parities{"0x180"};
  const std::vector<std::string> number{"0x200", "0x400"};
  const Value both{{"kind", "masks-and-remainder"}, {"parities", parities}, {"number", number}, {"divided_by", 3}};
  CHECK(slice_of(both)(0x000) == 0);
  CHECK(slice_of(both)(0x080) == 1);
  CHECK(slice_of(both)(0x200) == 2);
  CHECK(slice_of(both)(0x400 + 0x180) == 4);
  CHECK(slice_of(both)(0x600) == 0);
  CHECK(slice_of(Value{{"kind", "xor-masks"}, {"parities", parities}})(0x700) == 1);
  CHECK_FALSE(machine_with("l2.ways", 16).llc_slice.is_known());
  const Value by_zero{{"kind", "masks-and-remainder"}, {"parities", parities}, {"number", number}, {"divided_by", 0}};
  CHECK_THROWS_AS(slice_of(by_zero), Refused);
  CHECK_THROWS_AS(slice_of(Value{{"parities", std::vector<std::string>(64, "0x80")}}), Refused);
}

TEST_CASE("memory's latency is known by the bytes that a warp loads, of which each lane has an element") {
  const Value pairs = Value::list(Value::list(4, 700.0), Value::list(16, 750.0));
  const auto machine = machine_with("dram.request.completion_latency_by_element", pairs);
  CHECK(machine.memory_latency_by_bytes == std::vector<std::pair<double, double>>{{128, 700}, {512, 750}});
}

TEST_CASE("what random stores take includes the reads of their sectors, which are no part of a write") {
  std::map<std::string, Value> facts{{"device.sm_clock", 1e9},
                                     {"instruction.fp32_fma.issue_latency", 0.25},
                                     {"l1_data.outstanding_misses", 100},
                                     {"l2.bandwidth.gather", 128e9},
                                     {"dram.bandwidth.gather", 64e9}};
  CHECK(machine_of(facts_with(facts), 32).dram.scatter == 0);
  facts["l2.bandwidth.scatter"] = 96e9;
  facts["dram.bandwidth.scatter"] = 32e9;
  const Machine machine = machine_of(facts_with(facts), 32);
  CHECK(machine.llc.scatter == Approx(3));
  CHECK(machine.dram.scatter == Approx(1 / (1.0 - 0.5)));  // cycles of both, less those of a read
}
