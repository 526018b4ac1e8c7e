#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "sim/gpu/api_facts.hpp"
#include "sim/gpu/reader.hpp"
#include "temporary_folder.hpp"

namespace tomograph::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

TEST_CASE("every shipped GPU can be simulated, and its first line names the schema") {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(TOMOGRAPH_GPUS)) {
    INFO(entry.path());
    ++count;
    CHECK_NOTHROW(read_gpu(entry.path()));
    const std::string text = content_of(entry.path());
    const std::string first_line = text.substr(0, text.find('\n'));
    REQUIRE(first_line.starts_with("#:schema "));
    CHECK(fs::exists(entry.path().parent_path() / first_line.substr(9)));
  }
  CHECK(count > 0);
}

/// Values of a description that neither the comment beside them nor one of their block, up to an empty line, gives a
/// place in a paper for, or calls assumed.
std::vector<std::string> without_source(const std::string& description) {
  static const std::regex source("Table|Figs?\\.|section|Eq\\.|[Aa]ssumed|measure");
  static const std::regex assignment("(\"[^\"]*\"|[A-Za-z0-9_-]+) *=.*");
  std::vector<std::string> missing;
  std::istringstream lines(description);
  bool is_block_sourced = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_comment = line.starts_with('#');
    const bool ends_preface = line.starts_with("name =");
    if (line.empty() || ends_preface) is_block_sourced = false;
    if (is_comment && std::regex_search(line, source)) is_block_sourced = true;
    if (is_comment || is_block_sourced || ends_preface || !std::regex_match(line, assignment)) continue;
    if (!std::regex_search(line.substr(std::min(line.find('#'), line.size())), source)) missing.push_back(line);
  }
  return missing;
}

TEST_CASE("each value of a paper's GPU says where the paper has it, or that it is assumed") {
  for (const std::string gpu :
       {"gtx280", "gtx560ti", "gtx780", "gtx980", "k20c", "840m", "p6000", "v100", "rtx2080ti", "a100", "k620", "gt640",
        "fermi", "tesla", "southern-islands", "northern-islands", "pascal-mdm"}) {
    INFO(gpu);
    CHECK(without_source(content_of(fs::path(TOMOGRAPH_GPUS) / (gpu + ".toml"))) == std::vector<std::string>{});
  }
  CHECK(without_source("[l2]\nsize = 4 # Table 3\n\nways = 2\n") == std::vector<std::string>{"ways = 2"});
}

TEST_CASE("the schema knows the same API facts as the reader") {
  std::set<std::string> known;
  for (const ApiKey& key : api_keys()) known.insert(key.key);
  std::set<std::string> in_schema;
  const Json schema = Json::parse(content_of(TOMOGRAPH_SOURCE_DIR "/schemas/simulated-gpu.schema.json"));
  const Json stated = schema["properties"]["api"]["properties"];
  for (const auto& [key, rule] : stated.items()) in_schema.insert(key);
  CHECK(known == in_schema);
}

}  // namespace
}  // namespace tomograph::sim
