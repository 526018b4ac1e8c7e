#include "fleet/quick_reader.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"
#include "tomograph/documents/input_error.hpp"
#include "topology/topology_file.hpp"

using namespace tomograph::host;

namespace {

Topology recorded(const char* name) {
  return read_topology(std::filesystem::path(TOMOGRAPH_SOURCE_DIR) / "tests/recordings" / name);
}

/// What was kept of a GPU, as text.
std::string text_of(const GpuFacts& gpu, const Texts& texts) {
  std::string text = gpu.gpu + "|" + gpu.device + "|" + gpu.started + "\n";
  for (const GpuFact& fact : gpu.facts) {
    const std::string value =
        fact.is_continuous ? Json({fact.value, fact.low, fact.high}).dump() : std::string(texts.at(fact.text));
    text += std::string(texts.at(fact.key)) + "|" + std::string(texts.at(fact.unit)) + "|" + value +
            (fact.is_api ? "|api\n" : "\n");
  }
  if (gpu.fingerprint) text += std::to_string(gpu.fingerprint->error) + " " + Json(gpu.fingerprint->cycles).dump();
  return text;
}

}  // namespace

TEST_CASE("a file as the program writes it reads quickly to what its topology says") {
  Topology topology = recorded("h200.toml");
  const auto agree = [&] {
    Texts texts;
    const auto quick = read_quickly(to_toml(topology), texts);
    REQUIRE(quick);
    CHECK(quick->facts.size() > 250);
    REQUIRE(quick->fingerprint);
    CHECK(quick->fingerprint->cycles.size() == 132);
    CHECK(text_of(*quick, texts) == text_of(gpu_facts(topology, texts), texts));
  };
  agree();
  FactRecord uuid = topology.facts.at("device.name");
  uuid.value = "GPU-1";
  topology.facts["device.uuid"] = uuid;
  agree();
}

TEST_CASE("what is laid out otherwise is left to the reader of TOML") {
  const std::string whole = to_toml(recorded("h200.toml"));
  Texts texts;
  const auto refuses = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    // Facts that no fleet compares are not read.
    auto at = text.find(from, text.find("[l1_data.latency]"));
    if (at == std::string::npos) at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    INFO(from << " -> " << to);
    CHECK_FALSE(read_quickly(text, texts));
  };
  refuses("schema_version = 2", "schema_version = 3");
  refuses("[provenance]", "[provenence]");
  refuses("unit = \"cycle\"", "unit = cycle");
  refuses("unit = \"cycle\"", "unit = 'cycle'");
  refuses("unit = \"cycle\"\n", "");
  refuses("unit = \"cycle\"", "unit = \"cycle\" # of an SM");
  refuses("source = \"measured\"", "source = \"guessed\"");
  refuses("\nconfidence = ", "\nconfidence = 1");  // ten and more
  refuses("\nconfidence = ", "\nconfidence = -");
  refuses("\ninterval = [", "\ninterval = [[");
  refuses("[device.name]", "[zebra.name]");
  refuses("[device.name]", "[[device.name]]");
  CHECK_FALSE(read_quickly("", texts));
  CHECK_FALSE(read_quickly(whole.substr(0, whole.size() / 2), texts));
  CHECK_FALSE(read_quickly(whole + whole, texts));
}

TEST_CASE("a file that is laid out otherwise reads to the same, and one that is no topology is refused") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "t.toml";
  const Topology topology = recorded("h100.toml");
  Texts texts;
  std::ofstream(file) << "# A comment at the end of a line is not ours.\nschema_version = 1 #\n"
                      << to_toml(topology).substr(to_toml(topology).find("\n[provenance]"));
  CHECK(text_of(read_gpu_facts(file, texts), texts) == text_of(gpu_facts(topology, texts), texts));
  std::ofstream(file) << "schema_version = 2\n[provenance]\n";
  CHECK_THROWS_AS(read_gpu_facts(file, texts), tomograph::InputError);
  std::ofstream(file) << "schema_version = 1\n[provenance]\n";
  CHECK_THROWS_WITH(read_gpu_facts(file, texts), Catch::Matchers::ContainsSubstring("device.name is missing"));
}
