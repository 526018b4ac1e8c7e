#include "reporting/quantity.hpp"

#include <vector>

#include "catch.hpp"

using namespace tomograph::host;
using Json = nlohmann::json;

TEST_CASE("bytes are shown in powers of 1024, rates and clocks in powers of 1000") {
  CHECK(quantity(128, "B") == "128 B");
  CHECK(quantity(1000, "B") == "1000 B");
  CHECK(quantity(254976, "B") == "249 KiB");
  CHECK(quantity(52428800, "B") == "50 MiB");
  CHECK(quantity(1024 * 1024 - 512, "B") == "1023.5 KiB");
  CHECK(quantity(3.35e12, "B/s") == "3.35 TB/s");
  CHECK(quantity(1980e6, "Hz") == "1.98 GHz");
}

TEST_CASE("cycles, counts, answers and names are shown as one says them") {
  CHECK(quantity(38.46, "cycle") == "38.46 cycles");
  CHECK(quantity(1, "cycle") == "1 cycle");
  CHECK(quantity(132, "1") == "132");
  CHECK(quantity(131072, "1") == "131072");
  CHECK(quantity(63.987, "B/cycle") == "63.99 B/cycle");
  CHECK(quantity(true, "") == "yes");
  CHECK(quantity("not-lru", "") == "not-lru");
}

TEST_CASE("short lists are shown whole, long ones as their range, pairs as what leads to what") {
  CHECK(quantity({4, 4, 6}, "1") == "[4, 4, 6]");
  CHECK(quantity(Json(std::vector<int>(64, 4)), "1") == "64 × 4");
  CHECK(quantity({210, 200, 260, 250, 230, 240, 215, 225, 235}, "cycle") == "200 to 260 cycles (9 values)");
  CHECK(quantity({240.1, 240}, "cycle") == "[240.1, 240] cycles");
  CHECK(quantity({512, 1024}, "B") == "[512 B, 1 KiB]");
  CHECK(quantity(Json::array({{0, 262144}, {4096, 262144}, {8192, 253952}}), "B") ==
        "0 to 4096 → 256 KiB, 8192 → 248 KiB");
  CHECK(quantity(Json::array({{4, 23}, {8, 25}}), "cycle") == "4 → 23 cycles, 8 → 25 cycles");
  CHECK(quantity(Json::array(), "1") == "none");
}

TEST_CASE("triples are shown as what leads from one to another, the unit on the last column alone, long rows by number") {
  const Json triples = Json::array({{0, 1, 392e9}, {1, 0, 391e9}});
  CHECK(quantity(triples, "B/s") == "0 → 1: 392 GB/s, 1 → 0: 391 GB/s");
  CHECK(quantity(Json::array({triples[0], {0, 2, 190e9}, triples[1]}), "B/s") ==
        "0 → 1: 392 GB/s ... 1 → 0: 391 GB/s (3 values)");
  CHECK(quantity(Json::array({triples[0]}), "B/s") == "0 → 1: 392 GB/s");
  CHECK(quantity(Json::array({{"bfs", 1.5, 2, 3}, {"nw", 1, 1, 1}}), "") == "2 rows");
  CHECK(quantity(Json::array({{"bfs", 1.5, 2, 3}}), "") == "1 row");
}

TEST_CASE("an index is shown by its kind") {
  CHECK(quantity({{"kind", "bits"}, {"bits", {7, 8}}}, "") == "bits [7, 8]");
  CHECK(quantity({{"kind", "hashed"}}, "") == "hashed");
  CHECK(quantity({{"lines", 2}, {"stride", 128}}, "1") == "lines 2, stride 128");
}

TEST_CASE("groups are told by how many there are and how large they are") {
  CHECK(group_sizes({{0, 1}, {2, 3}}) == "2 groups of 2");
  CHECK(group_sizes({{0, 1, 4, 5}, {2, 3}, {6, 7}}) == "3 groups of 2 to 4");
}
