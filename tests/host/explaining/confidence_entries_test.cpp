#include "explaining/confidence_entries.hpp"

#include <algorithm>

#include "catch.hpp"
#include "explaining/confidence_table.hpp"
#include "tomograph/analysis/confidence.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<std::string> names_of(const std::string& key, double confidence) {
  std::vector<std::string> names;
  for (const ConfidenceEntry& entry : confidence_entries(key, confidence)) names.emplace_back(entry.name);
  return names;
}

}  // namespace

TEST_CASE("the table has the constants of the header with their comments") {
  const auto table = confidence_table();
  CHECK(table.size() > 50);
  const auto find = [&](std::string_view name) { return *std::ranges::find(table, name, &ConfidenceEntry::name); };
  CHECK(find("cache::size_soft").value == tomograph::confidence::cache::size_soft);
  CHECK(find("cache::size_soft").text == "Capacity without a sharp rise. *.size.");
  CHECK(reason_of(find("cache::size_soft")) == "Capacity without a sharp rise");
  CHECK(reason_of(find("hopper::measured")).ends_with("medians over trials. H200 only"));
  // One comment above three constants counts for each of them.
  CHECK_THAT(std::string(find("hopper::cluster_size").text), ContainsSubstring("H200 only"));
  CHECK_THAT(std::string(find("texture_cache::blocks").text), ContainsSubstring("texture.block_width"));
}

TEST_CASE("every entry can be understood without those around it") {
  for (const ConfidenceEntry& entry : confidence_table()) {
    INFO(entry.name);
    for (const char* reference : {"The same", "the same row", "Both, ", "All rows", "of such "}) {
      CHECK_THAT(std::string(entry.text), !ContainsSubstring(reference));
    }
  }
}

TEST_CASE("an entry explains the facts that its comment names, if their confidence is its value") {
  using Names = std::vector<std::string>;
  CHECK(names_of("l2.size", tomograph::confidence::cache::size_soft) == Names{"cache::size_soft"});
  CHECK(names_of("tlb.l1.entries", tomograph::confidence::tlb::entries_two_methods) ==
        Names{"tlb::entries_two_methods"});
  CHECK(names_of("shared.bank_width", 0.8) == Names{"shared_memory::banks_one_method"});
  CHECK(names_of("instruction_l1.size", 0.95) == Names{"instruction_cache::size"});
  CHECK(names_of("constant_l15.size", 0.999) == Names{"constant_cache::second_level"});
  CHECK(names_of("tma.latency", 0.99) == Names{"hopper::measured"});
  CHECK(names_of("l2.size", 0.951234).empty());
  CHECK(names_of("com.example.depth", 0.95).empty());
}
