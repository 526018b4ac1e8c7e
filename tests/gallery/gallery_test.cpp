#include "topology/gallery.hpp"

#include <filesystem>
#include <regex>

#include "catch.hpp"
#include "temporary_folder.hpp"
#include "topology/topology_file.hpp"

using namespace tomograph::host;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> entries() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(TOMOGRAPH_SOURCE_DIR "/gallery")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("every entry of the gallery is called like its GPU and names no board, machine or folder") {
  CHECK(entries().size() >= 2);
  for (const fs::path& entry : entries()) {
    INFO(entry);
    const Topology topology = read_topology(entry);
    CHECK(entry.stem() == gallery_name(topology.facts.at("device.name").value.get<std::string>()));
    CHECK_FALSE(topology.facts.contains("device.uuid"));
    const std::string text = content_of(entry);
    CHECK_FALSE(std::regex_search(text, std::regex("GPU-[0-9a-f]{8}|\"/[a-z]+|= \"[^\"]*@|hostname|serial")));
  }
}

TEST_CASE("the name of an entry is that of the GPU in small letters") {
  CHECK(gallery_name("NVIDIA H100 80GB HBM3") == "nvidia-h100-80gb-hbm3");
  CHECK(gallery_name("NVIDIA H200 (simulated)") == "nvidia-h200-simulated");
  CHECK(gallery_name("").empty());
}

TEST_CASE("a path that does not begin with gallery: is left alone") {
  CHECK(out_of_gallery("topology.toml") == "topology.toml");
  CHECK(out_of_gallery("./gallery:x") == "./gallery:x");
}
