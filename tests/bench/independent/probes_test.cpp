#include <string>
#include <vector>

#include "catch.hpp"
#include "measure.hpp"
#include "temporary_folder.hpp"

/// What probes once got wrong on GPUs of the independent simulator.
namespace {

using independent::Json;

/// The facts and outcomes of a GPU of the family `known`, of which only what matches a pattern is measured.
Json measured(std::uint64_t seed, const std::vector<std::string>& only) {
  const TemporaryFolder folder;
  return independent::measure(
      {.tomograph = TOMOGRAPH_BINARY, .plugin_dir = TOMOGRAPH_INDEPENDENT_DIR, .folder = folder.path(), .only = only},
      "known", seed);
}

}  // namespace

TEST_CASE("tree-PLRU in a cache that was full before is not taken for LRU") {
  const Json found = measured(1019, {"l2.*"});
  CHECK(found.at("l2").at("replacement").at("value") == "tree-plru");
}

TEST_CASE("hits and misses that overlap have a threshold, and the facts that need it follow") {
  const Json found = measured(114, {"l2.latency", "l2.hit_threshold", "l2.size"}).at("l2");
  CHECK(found.contains("latency"));
  CHECK(found.at("hit_threshold").at("interval").front() <= found.at("hit_threshold").at("value"));
  CHECK(found.contains("size"));
}

TEST_CASE("a TLB of random victims is no page window, and what misses all TLBs misses those, too") {
  const Json found = measured(2010, {"tlb.l1.*", "tlb.l2.*", "page_window.*", "memory_spectrum.*"});
  CHECK_FALSE(found.contains("page_window"));
  CHECK(found.at("tlb").at("l1").at("entries").at("value") == 32);
  CHECK(found.at("tlb").at("l2").at("entries").at("value") == 256);
  const auto latency = [&](const char* pattern) {
    return found.at("memory_spectrum").at(pattern).at("value").get<double>();
  };
  CHECK(latency("p2") - latency("p1") > 45);
  CHECK(latency("p3") - latency("p2") > 230);
}

TEST_CASE("a second level of constant caches that all SMs share is not taken for L2") {
  const Json found = measured(3009, {"constant_*"});
  CHECK(found.at("constant_l15").at("size").at("value") == 32768);
  CHECK(found.at("constant_l15").at("latency").at("value") < 107);
  CHECK(found.at("constant_memory").at("latency").at("value") > 300);
}

TEST_CASE("an index of constants has the highest bit that their addresses have") {
  const Json found = measured(1001, {"constant_l1.*"}).at("constant_l1");
  CHECK(found.at("index").at("value").at("masks") == Json{"0x20", "0x80", "0x6040", "0x8900"});
}
