#include "tomograph/recording.hpp"

#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "catch.hpp"
#include "tomograph/chase.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::Experiment;
using tomograph::Recording;
using tomograph::RecordingError;
using tomograph::RecordingHeader;
using tomograph::RecordingWriter;
using tomograph::Value;

namespace fs = std::filesystem;
namespace chase = tomograph::chase;

namespace {

/// A folder of its own for one test case.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tomograph-recording-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  [[nodiscard]] fs::path file() const { return path_ / "run.rec"; }
  [[nodiscard]] auto file_count() const { return std::distance(fs::directory_iterator(path_), {}); }

 private:
  fs::path path_;
};

Experiment probe_of(std::int64_t stride, std::int64_t trial = 0) {
  return chase::encode(chase::Program{.arrays = {{.bytes = 1 << 20}},
                                      .rings = {{.stride = stride, .count = 512}},
                                      .actors = {{}},
                                      .phases = {{.loads = 512, .timing = chase::Timing::each}},
                                      .trial = trial});
}

/// An answer as a GPU gives it: latencies with noise, node numbers in order, a few single numbers.
Answer answer_of(std::uint64_t seed, std::size_t loads = 512) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> latency(loads);
  std::vector<std::uint32_t> node(loads);
  for (std::size_t i = 0; i < loads; ++i) {
    latency[i] = static_cast<std::uint32_t>(38 + random() % 3);
    node[i] = static_cast<std::uint32_t>(i % 100);
  }
  return {{{"latency", latency},
           {"node", node},
           {"total", std::vector<double>{1.5, -0.0, 1e300}},
           {"sm", std::vector<std::int64_t>{-1, 131, INT64_MIN, INT64_MAX}},
           {"empty", std::vector<double>{}}}};
}

const RecordingHeader header{
    "0.1.0",
    "cuda:0",
    "NVIDIA H200",
    {Value{{"key", "device.name"}, {"value", "NVIDIA H200"}, {"unit", ""}, {"method", "cuda"}}}};

void write_small(const fs::path& path) {
  RecordingWriter writer(path, header);
  writer.add(probe_of(128), answer_of(1));
  writer.add(probe_of(64), answer_of(2));
  writer.finish();
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string error_of(const fs::path& path) {
  try {
    (void)Recording::read(path);
  } catch (const RecordingError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a recording gives back every answer, number for number") {
  const Folder folder;
  write_small(folder.file());
  const Recording recording = Recording::read(folder.file());
  CHECK(recording.size() == 2);
  CHECK(recording.find(probe_of(128)) == answer_of(1));
  CHECK(recording.find(probe_of(64)) == answer_of(2));
  CHECK(recording.find(probe_of(32)) == std::nullopt);
}

TEST_CASE("a recording gives back the device and what its interfaces said") {
  const Folder folder;
  write_small(folder.file());
  const Recording recording = Recording::read(folder.file());
  CHECK(recording.header().tool_version == "0.1.0");
  CHECK(recording.header().device == "cuda:0");
  CHECK(recording.header().device_name == "NVIDIA H200");
  CHECK(recording.header().facts == header.facts);
}

TEST_CASE("a refusal is recorded like an answer") {
  const Folder folder;
  const Answer refusal{{}, TOMOGRAPH_UNSUPPORTED, "no such load path"};
  RecordingWriter writer(folder.file(), header);
  writer.add(probe_of(128), refusal);
  writer.finish();
  CHECK(Recording::read(folder.file()).find(probe_of(128)) == refusal);
}

TEST_CASE("the n-th request of an experiment gets the n-th answer, later ones the last") {
  const Folder folder;
  RecordingWriter writer(folder.file(), header);
  writer.add(probe_of(128), answer_of(1));
  writer.add(probe_of(64), answer_of(2));
  writer.add(probe_of(128), answer_of(3));
  writer.finish();
  const Recording recording = Recording::read(folder.file());
  CHECK(recording.find(probe_of(128), 0) == answer_of(1));
  CHECK(recording.find(probe_of(128), 1) == answer_of(3));
  CHECK(recording.find(probe_of(128), 2) == answer_of(3));
}

TEST_CASE("experiments differ by id, names, values, element type and order of parameters") {
  const Experiment one{"x/1", {{"a", std::vector<std::int64_t>{1}}, {"b", std::vector<std::int64_t>{2}}}};
  const std::vector<Experiment> others{
      {"x/2", one.parameters},
      {"x/1", {{"a", std::vector<std::int64_t>{1}}, {"c", std::vector<std::int64_t>{2}}}},
      {"x/1", {{"a", std::vector<std::int64_t>{1}}, {"b", std::vector<std::int64_t>{3}}}},
      {"x/1", {{"a", std::vector<std::int64_t>{1}}, {"b", std::vector<std::uint32_t>{2, 0}}}},
      {"x/1", {{"b", std::vector<std::int64_t>{2}}, {"a", std::vector<std::int64_t>{1}}}},
  };
  CHECK(identity(one) == identity(Experiment(one)));
  for (const Experiment& other : others) CHECK(identity(one) != identity(other));
}

TEST_CASE("a recording cut off anywhere is refused with the byte where it ends") {
  const Folder folder;
  write_small(folder.file());
  const std::string whole = bytes_of(folder.file());
  for (const std::size_t size :
       {std::size_t{3}, std::size_t{20}, std::size_t{41}, whole.size() / 2, whole.size() - 1}) {
    put_bytes(folder.file(), whole.substr(0, size));
    CHECK_THAT(error_of(folder.file()), ContainsSubstring(folder.file().string()) &&
                                            ContainsSubstring("is cut off: it ends at byte " + std::to_string(size)));
  }
}

TEST_CASE("a recording with any one byte altered is refused") {
  const Folder folder;
  write_small(folder.file());
  const std::string whole = bytes_of(folder.file());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string altered = whole;
    altered[i] = static_cast<char>(altered[i] ^ 0x20);
    put_bytes(folder.file(), altered);
    INFO("byte " << i);
    REQUIRE_FALSE(error_of(folder.file()).empty());
  }
}

TEST_CASE("what is wrong with a recording is said") {
  const Folder folder;
  write_small(folder.file());
  const std::string whole = bytes_of(folder.file());

  put_bytes(folder.file(), "schema_version = 1\n");
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("is no recording"));
  put_bytes(folder.file(), "");
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("is no recording"));

  std::string newer = whole;
  newer[8] = 2;
  put_bytes(folder.file(), newer);
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("has recording format 2, this Tomograph reads 1"));

  std::string altered = whole;
  altered[60] = static_cast<char>(altered[60] + 1);
  put_bytes(folder.file(), altered);
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("was altered: its checksum does not match"));

  put_bytes(folder.file(), whole + "x");
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("has 1 bytes after its end"));

  fs::remove(folder.file());
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("cannot be read: No such file or directory"));
  CHECK_THAT(error_of(folder.file().parent_path()), ContainsSubstring("cannot be read: Is a directory"));
}

TEST_CASE("a recording that claims more content than its payload can hold is refused before memory is taken for it") {
  constexpr std::uint64_t terabyte = std::uint64_t{1} << 40;
  const std::string payload = "short";
  const std::array<std::uint64_t, 2> sizes{terabyte, payload.size()};
  std::string hashed = payload;
  hashed.append(reinterpret_cast<const char*>(sizes.data()), sizeof sizes);
  const std::array<std::uint64_t, 4> preamble{1, sizes[0], sizes[1], XXH3_64bits(hashed.data(), hashed.size())};
  std::string whole = "TOMOREC\n";
  whole.append(reinterpret_cast<const char*>(preamble.data()), sizeof preamble);
  Folder folder;
  put_bytes(folder.file(), whole + payload);
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("is damaged"));
}

TEST_CASE("a recording whose header lies in itself without end is refused before it takes the stack") {
  const Folder folder;
  RecordingHeader deep = header;
  for (int i = 0; i < 200; ++i) deep.facts = {Value(deep.facts)};
  RecordingWriter(folder.file(), deep).finish();
  CHECK_THAT(error_of(folder.file()), ContainsSubstring("is damaged"));
}

TEST_CASE("a recording that was not finished leaves nothing, and the old file as it was") {
  const Folder folder;
  put_bytes(folder.file(), "an older file");
  {
    RecordingWriter writer(folder.file(), header);
    writer.add(probe_of(128), answer_of(1));
  }
  CHECK(folder.file_count() == 1);
  CHECK(bytes_of(folder.file()) == "an older file");
}

TEST_CASE("a folder that does not exist is named before anything is recorded") {
  const Folder folder;
  CHECK_THROWS_WITH(RecordingWriter(folder.file().parent_path() / "none" / "run.rec", header),
                    ContainsSubstring("cannot write recording") && ContainsSubstring("No such file or directory"));
}

TEST_CASE("a full disk is an error of the recording, not a silent half file") {
  if (!fs::exists("/dev/full")) skip_here("the machine has no /dev/full");
  const Folder folder;
  fs::create_symlink("/dev/full", folder.file());
  CHECK_THROWS_WITH(RecordingWriter(folder.file(), header), ContainsSubstring("No space left on device"));
}

TEST_CASE("a load takes less than a byte in a recording") {
  const Folder folder;
  constexpr std::size_t loads = 4096;
  constexpr std::uint64_t programs = 100;
  RecordingWriter writer(folder.file(), header);
  for (std::uint64_t trial = 0; trial < programs; ++trial) {
    writer.add(probe_of(128, static_cast<std::int64_t>(trial)), answer_of(trial, loads));
  }
  writer.finish();
  CHECK(fs::file_size(folder.file()) < loads * programs / 2);
}

TEST_CASE("an experiment is described in the words of the field") {
  CHECK(tomograph::describe(probe_of(128, 3)) ==
        "tomograph.chase/1, array 0: 1048576 B, ring 0: 512 nodes of stride 128 B, actor 0: global.ca, phase 0: 512 "
        "loads timed each, trial 3");
  Experiment other{"com.example.x/1",
                   {{"size", std::vector<std::int64_t>{4096}}, {"mix", std::vector<double>{1, 2, 3}}}};
  CHECK(tomograph::describe(other) == "com.example.x/1, size 4096, mix of 3 numbers");
  const std::vector<std::int64_t> seven{7};
  while (other.parameters.size() < 10) other.parameters.add({"more", seven});
  CHECK_THAT(tomograph::describe(other), Catch::Matchers::EndsWith("more 7, 2 more parameters"));
}

TEST_CASE("a chase on any path is described") {
  chase::Program program{.arrays = {{.bytes = 4096}}, .rings = {{.stride = 64, .count = 8}}, .phases = {{.loads = 8}}};
  for (const auto& [path, name] :
       {std::pair{chase::Path::texture, "texture"}, std::pair{chase::Path::texture_2d, "texture_2d"},
        std::pair{chase::Path::constant, "constant"}, std::pair{chase::Path::shared, "shared"},
        std::pair{chase::Path::instruction, "instruction"}}) {
    program.actors = {{.path = path}};
    CHECK(tomograph::describe(chase::encode(program)) ==
          std::string("tomograph.chase/1, array 0: 4096 B, ring 0: 8 nodes of stride 64 B, actor 0: ") + name +
              ", phase 0: 8 loads untimed");
  }
}

TEST_CASE("a recording knows the kinds of its experiments") {
  const Folder folder;
  write_small(folder.file());
  const Recording recording = Recording::read(folder.file());
  CHECK(recording.holds(probe_of(32).id));
  CHECK_FALSE(recording.holds("x/1"));
}

TEST_CASE("the most similar recorded experiment is told by what differs") {
  const Folder folder;
  write_small(folder.file());
  const Recording recording = Recording::read(folder.file());
  CHECK(recording.nearest(probe_of(32)) == "the most similar one that it holds has other ring.stride");
  CHECK(recording.nearest(probe_of(128, 3)) == "the most similar one that it holds lacks trial");
  Experiment extended = probe_of(128);
  extended.parameters.add({"mark", std::int64_t{1}});
  CHECK(recording.nearest(extended) == "the most similar one that it holds lacks mark");
  CHECK(recording.nearest({"x/1", {}}) == "it holds no experiment x/1");
}
