#include <algorithm>
#include <filesystem>
#include <sstream>

#include "catch.hpp"
#include "tomograph_program.hpp"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace fs = std::filesystem;

namespace {

using Files = std::vector<std::string>;

/// Lines with more than a comment.
std::ptrdiff_t lines_of_code(const std::string& text) {
  std::istringstream lines(text);
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && line[begin] != '#' && line.compare(begin, 2, "//") != 0) ++count;
    if (begin != std::string::npos && line.compare(begin, 8, "#include") == 0) ++count;
  }
  return count;
}

Files names_in(const fs::path& folder) {
  Files names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

}  // namespace

TEST_CASE("a new plugin bears its name in every file, and nothing is left to be filled in") {
  const Workspace workspace;
  const Ended made = workspace.run({"new", "com.example.my-probe"});
  REQUIRE(made.exit_code == 0);
  CHECK_THAT(made.out,
             ContainsSubstring("once, for the SDK: cmake --install"));  // this program lies where it was built
  CHECK_THAT(made.out, ContainsSubstring("cmake -S com.example.my-probe -B com.example.my-probe/build"));
  CHECK(names_in(workspace.path("com.example.my-probe")) ==
        Files{"CMakeLists.txt", "README.md", "analysis.cpp", "analysis.hpp", "analysis_test.cpp", "plugin.cpp"});
  for (const std::string& file : names_in(workspace.path("com.example.my-probe"))) {
    INFO(file);
    for (const char* placeholder : {"@PLUGIN@", "@KEY@", "@VERSION@"}) {
      CHECK(workspace.text("com.example.my-probe/" + file).find(placeholder) == std::string::npos);
    }
  }
  const std::string plugin = workspace.text("com.example.my-probe/plugin.cpp");
  CHECK_THAT(plugin, ContainsSubstring("\"com.example.my-probe/l2_latency\""));
  CHECK_THAT(plugin, ContainsSubstring("\"com.example.my_probe.l2_latency\""));
}

TEST_CASE("a new plugin with CUDA brings a kernel and what executes it") {
  const Workspace workspace;
  REQUIRE(workspace.run({"new", "hello", "--cuda"}).exit_code == 0);
  CHECK(names_in(workspace.path("hello")) == Files{"CMakeLists.txt", "README.md", "analysis.cpp", "analysis.hpp",
                                                   "analysis_test.cpp", "executor.cpp", "executor.hpp", "kernels.cu",
                                                   "kernels.hpp", "plugin.cpp"});
  CHECK_THAT(workspace.text("hello/executor.hpp"), ContainsSubstring("\"hello.atomics/1\""));
}

TEST_CASE("a new plugin with a model brings what computes a fact from others, and no experiment") {
  const Workspace workspace;
  const Ended made = workspace.run({"new", "com.example.my-model", "--model"});
  REQUIRE(made.exit_code == 0);
  CHECK_THAT(made.out, ContainsSubstring("--only 'com.example.my-model/*' --device sim:h200"));
  CHECK(names_in(workspace.path("com.example.my-model")) == Files{"CMakeLists.txt", "README.md", "plugin.cpp"});
  CHECK_THAT(workspace.text("com.example.my-model/plugin.cpp"), ContainsSubstring("com.example.my_model.l2_time"));
  for (const std::string& file : names_in(workspace.path("com.example.my-model"))) {
    CHECK(workspace.text("com.example.my-model/" + file).find("@") == std::string::npos);
  }
  for (const char* other : {"--cuda", "--device", "--exporter"}) {
    CHECK(workspace.run({"new", "both", "--model", other}).exit_code == 2);
  }
}

TEST_CASE("a new plugin with a device brings a GPU with its tests, and no probe") {
  const Workspace workspace;
  const Ended made = workspace.run({"new", "com.example.my-gpu", "--device"});
  REQUIRE(made.exit_code == 0);
  CHECK_THAT(made.out, ContainsSubstring("--device com-example-my-gpu:tiny"));
  CHECK(names_in(workspace.path("com.example.my-gpu")) ==
        Files{"CMakeLists.txt", "README.md", "gpu.cpp", "gpu.hpp", "gpu_test.cpp", "plugin.cpp"});
  CHECK_THAT(workspace.text("com.example.my-gpu/plugin.cpp"), ContainsSubstring("id = \"com-example-my-gpu\""));
  for (const std::string& file : names_in(workspace.path("com.example.my-gpu"))) {
    CHECK(workspace.text("com.example.my-gpu/" + file).find("@") == std::string::npos);
  }
  CHECK(workspace.run({"new", "both", "--device", "--cuda"}).exit_code == 2);
}

TEST_CASE("a new plugin with an exporter brings a format with its tests, and no probe") {
  const Workspace workspace;
  const Ended made = workspace.run({"new", "com.example.my-format", "--exporter"});
  REQUIRE(made.exit_code == 0);
  CHECK_THAT(made.out, ContainsSubstring("tomograph export com-example-my-format topology.toml --plugin-dir "
                                         "com.example.my-format/build"));
  CHECK(names_in(workspace.path("com.example.my-format")) ==
        Files{"CMakeLists.txt", "README.md", "lines.cpp", "lines.hpp", "lines_test.cpp", "plugin.cpp"});
  CHECK_THAT(workspace.text("com.example.my-format/plugin.cpp"), ContainsSubstring("id = \"com-example-my-format\""));
  for (const std::string& file : names_in(workspace.path("com.example.my-format"))) {
    CHECK(workspace.text("com.example.my-format/" + file).find("@") == std::string::npos);
  }
  CHECK(workspace.run({"new", "both", "--device", "--exporter"}).exit_code == 2);
}

TEST_CASE("a probe that measures one latency is at most 40 lines with its analysis") {
  const Workspace workspace;
  REQUIRE(workspace.run({"new", "standard"}).exit_code == 0);
  std::ptrdiff_t lines = 0;
  for (const char* file : {"plugin.cpp", "analysis.hpp", "analysis.cpp"}) {
    lines += lines_of_code(workspace.text(std::string("standard/") + file));
  }
  CHECK(lines > 20);
  CHECK(lines <= 40);
}

TEST_CASE("besides kernels and analysis a plugin is at most 40 lines with its build, 50 with an executor") {
  const Workspace workspace;
  REQUIRE(workspace.run({"new", "standard"}).exit_code == 0);
  REQUIRE(workspace.run({"new", "kernels", "--cuda"}).exit_code == 0);
  const auto lines = [&](const std::string& plugin) {
    return lines_of_code(workspace.text(plugin + "/plugin.cpp")) +
           lines_of_code(workspace.text(plugin + "/CMakeLists.txt"));
  };
  CHECK(lines("standard") > 20);
  CHECK(lines("standard") <= 40);
  CHECK(lines("kernels") > 20);
  CHECK(lines("kernels") <= 50);
}

TEST_CASE("from an empty folder to a first fact it takes five commands, the same in the guide and in what new says") {
  const Workspace workspace;
  Files commands{"tomograph new hello"};
  std::istringstream told(workspace.run({"new", "hello"}).out);
  for (std::string line; std::getline(told, line);) {
    if (line.starts_with("  ")) commands.push_back(line.substr(2));
  }
  CHECK(commands.size() <= 5);
  CHECK_THAT(commands.back(), StartsWith("tomograph run"));
  const std::string guide = Workspace::source("sdk/README.md");
  std::istringstream chapter(guide.substr(guide.find("\n## A first plugin\n")));
  Files shown;
  for (std::string line; std::getline(chapter, line) && shown.size() < commands.size();) {
    if (line.starts_with("$ ")) shown.push_back(line.substr(2));
  }
  CHECK(shown == commands);
}

TEST_CASE("a name that no plugin can have is refused with one message, and nothing is written") {
  const Workspace workspace;
  const std::vector<std::pair<std::string, std::string>> refused{
      {"Hello", "lower-case letters"},
      {"hello world", "lower-case letters"},
      {"../hello", "lower-case letters"},
      {"/tmp/hello", "lower-case letters"},
      {"com..example", "lower-case letters"},
      {"2fast", "beginning with a letter"},
      {"hello_world", "'-'"},
      {"h\xc3\xa9llo", "lower-case letters"},
      {std::string(65, 'a'), "at most 64"},
      {"value", "the topology file uses itself"},
      {"outcomes", "the topology file uses itself"},
      {"test", "CMake"},
      {"tomograph.chase", "reserved for Tomograph"},
      {"sim", "installed already"},
  };
  for (const auto& [name, reason] : refused) {
    INFO(name);
    const Ended ended = workspace.run({"new", name});
    CHECK(ended.exit_code == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err, StartsWith("tomograph: ") && ContainsSubstring(reason));
    CHECK(std::ranges::count(ended.err, '\n') == 1);
    CHECK(workspace.files().empty());
  }
}

TEST_CASE("what is there already is never overwritten by a new plugin") {
  const Workspace workspace;
  fs::create_directory(workspace.path("folder"));
  workspace.write("file", "mine");
  fs::create_symlink("nowhere", workspace.path("link"));
  for (const char* name : {"folder", "file", "link"}) {
    const Ended ended = workspace.run({"new", name});
    CHECK(ended.exit_code == 2);
    CHECK_THAT(ended.err, ContainsSubstring("there already"));
  }
  CHECK(workspace.files() == Files{"file", "folder", "link"});
  CHECK(fs::is_empty(workspace.path("folder")));
  CHECK(workspace.text("file") == "mine");
}

TEST_CASE("where a new plugin cannot be written nothing is left of it") {
  const Workspace workspace;
  const Ended full = workspace.run_on_full_disk({"new", "hello"}, 100);
  CHECK(full.exit_code == 2);
  CHECK_THAT(full.err, ContainsSubstring("cannot be written"));
  CHECK(workspace.files().empty());
  const Ended read_only = workspace.run_on_read_only_folder({"new", "hello"});
  CHECK(read_only.exit_code == 2);
  CHECK_THAT(read_only.err, ContainsSubstring("cannot be made"));
}
