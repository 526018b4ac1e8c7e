#include "catch.hpp"
#include "measure.hpp"
#include "temporary_folder.hpp"

/// What probes once got wrong on GPUs of the independent simulator.
namespace {

using independent::Json;

/// The facts and outcomes of a GPU of the family `known`, of which only the L2 is measured.
Json l2_of(std::uint64_t seed) {
  const TemporaryFolder folder;
  return independent::measure({.tomograph = TOMOGRAPH_BINARY,
                               .plugin_dir = TOMOGRAPH_INDEPENDENT_DIR,
                               .folder = folder.path(),
                               .only = {"l2.*"}},
                              "known", seed);
}

}  // namespace

TEST_CASE("tree-PLRU in a cache that was full before is not taken for LRU") {
  const Json found = l2_of(1019);
  CHECK(found.at("l2").at("replacement").at("value") == "tree-plru");
}

TEST_CASE("hits and misses that overlap have a threshold, and the facts that need it follow") {
  const Json found = l2_of(114).at("l2");
  CHECK(found.contains("latency"));
  CHECK(found.at("hit_threshold").at("interval").front() <= found.at("hit_threshold").at("value"));
  CHECK(found.contains("size"));
}
