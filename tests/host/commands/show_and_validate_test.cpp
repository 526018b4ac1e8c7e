#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "temporary_folder.hpp"

using Catch::Matchers::ContainsSubstring;

namespace {

struct Ended {
  int exit_code;
  std::string output;  ///< stdout and, where the arguments say "2>&1", stderr
};

Ended tomograph(const std::string& arguments) {
  std::FILE* pipe = ::popen((TOMOGRAPH_BINARY " " + arguments).c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), size);
  return {WEXITSTATUS(::pclose(pipe)), output};
}

const std::string tree = TOMOGRAPH_SOURCE_DIR;
const std::string example = tree + "/tests/schemas/examples/topology.toml";

}  // namespace

TEST_CASE("validate tells the kind of each file by itself, with or without a schema line") {
  const TemporaryFolder folder;
  const auto without_line = [&](const char* name, const std::string& original) {
    const std::string text = content_of(original);
    return folder.write(name, text.substr(text.find('\n') + 1)).string();
  };
  const std::string gpu = tree + "/plugins/devices/sim/gpus/small.toml";
  const Ended ended = tomograph("validate " + example + " " + without_line("t.toml", example) + " " + gpu + " " +
                                without_line("g.toml", gpu) + " " + folder.write("c.toml", "include = []\n").string());
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.output, ContainsSubstring("/topology.toml: valid topology\n"));
  CHECK_THAT(ended.output, ContainsSubstring("/t.toml: valid topology\n"));
  CHECK_THAT(ended.output, ContainsSubstring("/small.toml: valid simulated-gpu\n"));
  CHECK_THAT(ended.output, ContainsSubstring("/g.toml: valid simulated-gpu\n"));
  CHECK_THAT(ended.output, ContainsSubstring("/c.toml: valid configuration\n"));
}

TEST_CASE("validate refuses with exit code 2 and says where and what, for people and for machines") {
  const TemporaryFolder folder;
  const std::string file = folder.write("c.toml", "device = \"sim:small\"\n[devices.sim]\nsed = 1\n").string();
  const Ended ended = tomograph("validate " + file + " 2>&1");
  CHECK(ended.exit_code == 2);
  CHECK(ended.output == file + ":3:1: devices.sim.sed: sim has no parameter \"sed\"; did you mean 'seed'?\n");
  const Ended for_machines = tomograph("validate --json " + example + " " + file);
  CHECK(for_machines.exit_code == 2);
  const auto verdicts = nlohmann::json::parse(for_machines.output);
  CHECK(verdicts.at(0).at("valid") == true);
  CHECK(verdicts.at(1).at("valid") == false);
  CHECK(verdicts.at(1).at("problems").at(0).at("line") == 3);
}

TEST_CASE("validate refuses a simulated GPU that no schema can refuse, with its line") {
  const TemporaryFolder folder;
  std::string text = content_of(tree + "/plugins/devices/sim/gpus/small.toml");
  const std::string good = "line_size = 128";
  text.replace(text.find(good), good.size(), "line_size = 100");
  const Ended ended = tomograph("validate " + folder.write("g.toml", text).string() + " 2>&1");
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.output, ContainsSubstring("/g.toml:"));
  CHECK_THAT(ended.output, ContainsSubstring("line_size"));
}

TEST_CASE("show draws a topology, plain on a pipe, and as JSON for machines") {
  const Ended ended = tomograph("show " + example);
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.output, ContainsSubstring("L2 cache"));
  CHECK(ended.output.find('\x1b') == std::string::npos);
  CHECK(tomograph("show --color always " + example).output.find('\x1b') != std::string::npos);
  const auto json = nlohmann::json::parse(tomograph("show --json " + example).output);
  CHECK(json.at("topology").at("device").at("sm_count").at("value") == 132);
  CHECK(json.at("findings").empty());
}

TEST_CASE("show accepts what validate accepts, of whatever type its facts are") {
  const TemporaryFolder folder;
  const std::string odd =
      "\n[dram.row.stays_open]\nvalue = \"no\"\nunit = \"\"\nsource = \"measured\"\nmethod = \"m\"\n"
      "probe = \"p\"\nscope = \"device\"\nconfidence = 1.0\nsamples = 1\n";
  const std::string file = folder.write("t.toml", content_of(example) + odd).string();
  CHECK(tomograph("validate " + file).exit_code == 0);
  const Ended ended = tomograph("show " + file + " 2>&1");
  CHECK(ended.exit_code == 0);
  CHECK_THAT(ended.output, ContainsSubstring("L2 cache"));
}

TEST_CASE("show refuses a file that is none of its kind with exit code 2") {
  const TemporaryFolder folder;
  const Ended ended = tomograph("show " + (folder / "none.toml").string() + " 2>&1");
  CHECK(ended.exit_code == 2);
  CHECK_THAT(ended.output, ContainsSubstring("none.toml: cannot be read: No such file or directory"));
  CHECK(tomograph("show " + tree + "/plugins/devices/sim/gpus/small.toml 2>&1").exit_code == 2);
}
