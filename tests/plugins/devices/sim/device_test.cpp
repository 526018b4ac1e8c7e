#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "memory_host.hpp"
#include "temporary_folder.hpp"
#include "tomograph/abi/plugin.h"
#include "tomograph/chase.hpp"

namespace tomograph {
namespace {

namespace fs = std::filesystem;

/// The sim device of the plugin in `folder`, as a host sees it.
const tomograph_device& device_in(const fs::path& folder) {
  void* library = dlopen((folder / "sim.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto* plugin = static_cast<const tomograph_plugin*>(dlsym(library, TOMOGRAPH_ENTRY_SYMBOL));
  return *plugin->devices[0];
}

const tomograph_device& device() { return device_in(TOMOGRAPH_PLUGIN_DIR); }

void give_defaults(MemoryHost& host) {
  for (std::uint32_t i = 0; i < device().parameter_count; ++i) {
    host.parameters[device().parameters[i]->name] = device().parameters[i]->default_json;
  }
}

std::vector<std::string> targets(const tomograph_device& device) {
  MemoryHost host;
  std::vector<std::string> names;
  const auto found = [](void* context, const char* target, const char*) {
    static_cast<std::vector<std::string>*>(context)->emplace_back(target);
  };
  CHECK(device.enumerate(host.abi(), found, &names) == TOMOGRAPH_OK);
  return names;
}

/// The answer of a freshly opened target to a noisy chase.
Answer measure(MemoryHost& host, const char* target) {
  chase::Program program;
  program.arrays = {{4096, chase::no_alias}};
  program.rings = {{0, 0, 128, 32, chase::Order::shuffled, 1, {}}};
  program.actors = {{}};
  program.phases = {{0, 0, 0, 2000, chase::Timing::each}};
  const std::vector batch{chase::encode(program)};
  const BatchView view(batch);
  AnswerCollector collector(1);
  void* session = nullptr;
  REQUIRE(device().open(host.abi(), target, &session) == TOMOGRAPH_OK);
  CHECK(device().execute(session, view.data(), view.size(), collector.sink()) == TOMOGRAPH_OK);
  device().close(session);
  return collector.take().front();
}

std::string error_opening(const char* target) {
  MemoryHost host;
  give_defaults(host);
  void* session = nullptr;
  CHECK(device().open(host.abi(), target, &session) == TOMOGRAPH_INVALID);
  return host.error;
}

TEST_CASE("the shipped GPUs are found, and are not real") {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(TOMOGRAPH_SOURCE_DIR "/plugins/devices/sim/gpus")) {
    names.push_back(file.path().stem());
  }
  std::ranges::sort(names);
  CHECK(std::ranges::find(names, "h200") != names.end());
  CHECK(targets(device()) == names);
  CHECK(device().is_real == 0);
}

TEST_CASE("the shipped GPUs are found beside the plugin wherever the tree is moved to") {
  const TemporaryFolder folder;
  const fs::path build = TOMOGRAPH_BUILD_DIR;
  const fs::path plugins = fs::relative(TOMOGRAPH_PLUGIN_DIR, build);
  const fs::path gpus = fs::relative(TOMOGRAPH_GPUS, build);
  fs::create_directories(folder.path() / plugins);
  fs::create_directories(folder.path() / gpus);
  fs::copy(build / plugins / "sim.so", folder.path() / plugins / "sim.so");
  fs::copy(build / gpus / "small.toml", folder.path() / gpus / "only-here.toml");
  CHECK(targets(device_in(folder.path() / plugins)) == std::vector<std::string>{"only-here"});
}

TEST_CASE("opening publishes what an API would say") {
  MemoryHost host;
  give_defaults(host);
  measure(host, "h200");
  CHECK(host.published.at("device.name").value == "NVIDIA H200 (simulated)");
  CHECK(host.published.at("device.sm_count").value == 132);
  CHECK(host.published.at("device.sm_clock").value == 1'980'000'000);
  CHECK(host.published.at("device.sm_clock").unit == "Hz");
  CHECK(host.published.at("l2.nominal_size").value == 62914560);
  CHECK(host.published.at("l2.nominal_size").source == TOMOGRAPH_API);
}

TEST_CASE("a target with a slash or the ending .toml is a file") {
  MemoryHost host;
  give_defaults(host);
  CHECK(measure(host, TOMOGRAPH_GPUS "/small.toml").status == TOMOGRAPH_OK);
  CHECK(error_opening("small.toml") == "small.toml: cannot be read: No such file or directory");
}

TEST_CASE("an unknown GPU is refused by its name; the host adds those that there are") {
  CHECK_THAT(error_opening("h20"), Catch::Matchers::ContainsSubstring("no simulated GPU 'h20'"));
  CHECK_THAT(error_opening("h20"), !Catch::Matchers::ContainsSubstring("h200"));
}

TEST_CASE("a simulated GPU with impossible geometry is refused with file, line, key and rule") {
  const TemporaryFolder folder;
  std::string text = content_of(TOMOGRAPH_GPUS "/small.toml");
  const auto at = text.find("sector_size = 32");
  const auto line = std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  text.replace(at, 16, "sector_size = 99");
  const std::string file = folder.write("bad.toml", text);
  const std::string error = error_opening(file.c_str());
  CHECK_THAT(error, Catch::Matchers::ContainsSubstring(file + ":" + line + ":1: cache.l1.sector_size: is 99"));
}

TEST_CASE("the seed decides the noise, and noise can be switched off") {
  MemoryHost host;
  give_defaults(host);
  const Answer first = measure(host, "small");
  CHECK(measure(host, "small") == first);
  host.parameters["seed"] = "2";
  CHECK(measure(host, "small") != first);
  host.parameters["noise"] = "false";
  const Answer quiet = measure(host, "small");
  const auto latency = numbers<std::uint32_t>(quiet.arrays, "latency");
  CHECK(std::vector(latency.begin() + 32, latency.end()) == std::vector<std::uint32_t>(2000 - 32, 34));
}

}  // namespace
}  // namespace tomograph
