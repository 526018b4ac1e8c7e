#include <cstddef>
#include <limits>

#include "catch.hpp"
#include "loading/descriptors.hpp"

using namespace tomograph::host;

namespace {

tomograph_exporter right_exporter() {
  tomograph_exporter exporter{};
  exporter.struct_size = sizeof exporter;
  exporter.id = "csv";
  exporter.description = "A format";
  exporter.suffix = ".csv";
  exporter.time_budget = 1;
  exporter.takes_evidence = 1;
  exporter.write = [](const tomograph_host*, const tomograph_document* const*, std::uint64_t,
                      const tomograph_byte_sink*) -> tomograph_status { return TOMOGRAPH_OK; };
  return exporter;
}

/// What the host finds in a plugin with these exporters.
Examination examined(const std::vector<const tomograph_exporter*>& exporters,
                     std::uint32_t struct_size = sizeof(tomograph_plugin)) {
  tomograph_plugin entry{};
  entry.magic = TOMOGRAPH_MAGIC;
  entry.abi_major = TOMOGRAPH_ABI_MAJOR;
  entry.struct_size = struct_size;
  entry.id = "formats";
  entry.version = "1.0.0";
  entry.description = "Formats";
  entry.exporter_count = static_cast<std::uint32_t>(exporters.size());
  entry.exporters = exporters.data();
  return examine(entry);
}

/// The rule that an exporter breaks that is right but for `change`.
template <typename Change>
std::string broken(Change change) {
  tomograph_exporter exporter = right_exporter();
  change(exporter);
  const Examination found = examined({&exporter});
  return found.violations.empty() ? "" : found.violations.front().text;
}

}  // namespace

TEST_CASE("a plugin is described with its exporters") {
  const tomograph_exporter exporter = right_exporter();
  const Examination found = examined({&exporter});
  CHECK(found.violations.empty());
  REQUIRE(found.plugin.exporters.size() == 1);
  CHECK(found.plugin.exporters[0].id == "csv");
  CHECK(found.plugin.exporters[0].suffix == ".csv");
  CHECK(found.plugin.exporters[0].takes_evidence);
  CHECK_FALSE(found.plugin.exporters[0].takes_several);
}

TEST_CASE("the exporters of a plugin that was built for ABI 1.0 are not looked for") {
  const tomograph_exporter exporter = right_exporter();
  const Examination found = examined({&exporter}, offsetof(tomograph_plugin, exporter_count));
  CHECK(found.violations.empty());
  CHECK(found.plugin.exporters.empty());
}

TEST_CASE("an exporter that breaks a rule is refused, and the rule named") {
  CHECK(broken([](auto&) {}).empty());
  CHECK(broken([](auto& exporter) { exporter.id = "CSV"; }) ==
        R"(exporters[0].id: is "CSV", expected a lower-case word)");
  CHECK(broken([](auto& exporter) { exporter.suffix = "csv"; }) ==
        R"(exporters[0] (csv).suffix: is "csv", expected one such as ".csv")");
  CHECK(broken([](auto& exporter) { exporter.suffix = "./csv"; }) ==
        R"(exporters[0] (csv).suffix: is "./csv", expected one such as ".csv")");
  CHECK(broken([](auto& exporter) { exporter.description = nullptr; }) == "exporters[0] (csv).description: is null");
  CHECK(broken([](auto& exporter) { exporter.write = nullptr; }) == "exporters[0] (csv).write: is null");
  CHECK(broken([](auto& exporter) { exporter.time_budget = std::numeric_limits<double>::infinity(); }) ==
        "exporters[0] (csv): has no positive time budget");
  CHECK(broken([](auto& exporter) { exporter.struct_size = 8; }) ==
        "exporters[0]: has struct_size 8, expected at least 64");
  CHECK(broken([](auto& exporter) { exporter.parameter_count = 1; }) ==
        "exporters[0] (csv).parameters: is null but counts 1 elements");
}

TEST_CASE("an exporter that is there twice is refused") {
  const tomograph_exporter exporter = right_exporter();
  const Examination found = examined({&exporter, &exporter});
  REQUIRE(found.violations.size() == 1);
  CHECK(found.violations.front().text == "exporter csv: is there a second time");
}
