#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include "catch.hpp"
#include "memory_host.hpp"
#include "tomograph/abi/plugin.h"
#include "tomograph/chase.hpp"
#include "tomograph/recording.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::Experiment;
using tomograph::Value;

namespace fs = std::filesystem;
namespace chase = tomograph::chase;

namespace {

/// The replay device as the host gets it: out of the built library.
const tomograph_device& device() {
  static void* const library = ::dlopen(TOMOGRAPH_PLUGIN_DIR "/replay.so", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto* plugin = static_cast<const tomograph_plugin*>(::dlsym(library, TOMOGRAPH_ENTRY_SYMBOL));
  REQUIRE(plugin != nullptr);
  REQUIRE(plugin->device_count == 1);
  return *plugin->devices[0];
}

class OpenReplay {
 public:
  explicit OpenReplay(const std::string& target) : status_(device().open(host_.abi(), target.c_str(), &session_)) {}
  OpenReplay(const OpenReplay&) = delete;
  OpenReplay& operator=(const OpenReplay&) = delete;
  ~OpenReplay() {
    if (status_ == TOMOGRAPH_OK) device().close(session_);
  }
  std::vector<Answer> execute(const std::vector<Experiment>& batch) {
    const tomograph::BatchView view(batch);
    tomograph::AnswerCollector collector(batch.size());
    REQUIRE(device().execute(session_, view.data(), view.size(), collector.sink()) == TOMOGRAPH_OK);
    return collector.take();
  }
  [[nodiscard]] tomograph_status status() const { return status_; }
  [[nodiscard]] const MemoryHost& host() const { return host_; }

 private:
  MemoryHost host_;
  void* session_ = nullptr;
  tomograph_status status_;
};

Experiment experiment_of(std::int64_t stride) {
  return chase::encode(chase::Program{.arrays = {{.bytes = 1 << 20}},
                                      .rings = {{.stride = stride, .count = 512}},
                                      .actors = {{}},
                                      .phases = {{.loads = 4, .timing = chase::Timing::each}}});
}

Answer answer_of(std::uint32_t latency) { return {{{"latency", std::vector<std::uint32_t>(4, latency)}}}; }

/// A recording on disk for the time of one test case.
class RecordedRun {
 public:
  RecordedRun() : path_(fs::temp_directory_path() / ("tomograph-replay-" + std::to_string(::getpid()) + ".rec")) {
    const Value name{
        {"key", "device.name"}, {"value", "NVIDIA H200"}, {"unit", ""}, {"method", "cuda"}, {"confidence", 1.0}};
    const Value size{
        {"key", "l2.nominal_size"}, {"value", 62914560}, {"unit", "B"}, {"method", "cuda"}, {"confidence", 1.0}};
    tomograph::RecordingWriter writer(path_, {"0.1.0", "cuda:0", "NVIDIA H200", {name, size}});
    writer.add(experiment_of(128), answer_of(38));
    writer.add(experiment_of(128), answer_of(39));
    writer.add(experiment_of(64), {{}, TOMOGRAPH_UNSUPPORTED, "no such path"});
    writer.finish();
  }
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;
  ~RecordedRun() { fs::remove(path_); }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("replay is no real device and finds no targets by itself") {
  MemoryHost host;
  CHECK(std::string(device().id) == "replay");
  CHECK(device().is_real == 0);
  const auto found = [](void*, const char*, const char*) { FAIL("a target was found"); };
  CHECK(device().enumerate(host.abi(), found, nullptr) == TOMOGRAPH_OK);
}

TEST_CASE("replay publishes the vendor-reported facts of the recorded device") {
  const RecordedRun run;
  const OpenReplay replay(run.path().string());
  REQUIRE(replay.status() == TOMOGRAPH_OK);
  const auto& published = replay.host().published;
  CHECK(published.at("device.name").value == "NVIDIA H200");
  CHECK(published.at("l2.nominal_size").value == 62914560);
  CHECK(published.at("l2.nominal_size").unit == "B");
  CHECK(published.at("l2.nominal_size").source == TOMOGRAPH_API);
}

TEST_CASE("replay answers as the device did, repetitions in their order, refusals as refusals") {
  const RecordedRun run;
  OpenReplay replay(run.path().string());
  CHECK(replay.execute({experiment_of(128), experiment_of(64)}) ==
        std::vector<Answer>{answer_of(38), {{}, TOMOGRAPH_UNSUPPORTED, "no such path"}});
  CHECK(replay.execute({experiment_of(128)}) == std::vector<Answer>{answer_of(39)});
}

TEST_CASE("replay refuses what the recording does not hold, naming experiment and recording") {
  const RecordedRun run;
  OpenReplay replay(run.path().string());
  const auto answers = replay.execute({experiment_of(32), experiment_of(128)});
  CHECK(answers[0].status == TOMOGRAPH_FAILED);
  CHECK_THAT(answers[0].reason, ContainsSubstring("recording " + run.path().string() + " does not hold"));
  CHECK_THAT(answers[0].reason, ContainsSubstring("ring 0: 512 nodes of stride 32 B"));
  CHECK_THAT(answers[0].reason, ContainsSubstring("has other ring.stride"));
  CHECK(answers[1] == answer_of(38));
}

TEST_CASE("an experiment of which a recording holds no other is unsupported, so that newer probes are skipped") {
  const RecordedRun run;
  OpenReplay replay(run.path().string());
  const auto answers = replay.execute({{"newer.probe/1", {}}, experiment_of(128)});
  CHECK(answers[0] ==
        Answer{{}, TOMOGRAPH_UNSUPPORTED, "recording " + run.path().string() + " holds no experiment newer.probe/1"});
  CHECK(answers[1] == answer_of(38));
}

TEST_CASE("replay names what the recording does not hold on any path") {
  const RecordedRun run;
  OpenReplay replay(run.path().string());
  chase::Program program = chase::decode(experiment_of(128));
  for (const auto& [path, name] :
       {std::pair{chase::Path::constant, "constant"}, std::pair{chase::Path::instruction, "instruction"}}) {
    program.actors[0].path = path;
    const auto answers = replay.execute({chase::encode(program)});
    CHECK_THAT(answers[0].reason,
               ContainsSubstring(std::string("actor 0: ") + name) && ContainsSubstring("has other actor.path"));
  }
}

TEST_CASE("replay does not open a truncated recording and says where it ends") {
  const RecordedRun run;
  fs::resize_file(run.path(), 50);
  const OpenReplay replay(run.path().string());
  CHECK(replay.status() == TOMOGRAPH_FAILED);
  CHECK_THAT(replay.host().error, ContainsSubstring(run.path().string()) && ContainsSubstring("ends at byte 50 of"));
}
