#include "sim/gpu/translation.hpp"

#include <utility>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr std::int64_t maximum_sub_entries = 32;

/// A power of two that is at least a page.
Broken page_multiple(const std::string& key, std::int64_t bytes, std::int64_t page_size) {
  if (auto broken = at_least(key, bytes, page_size)) return broken;
  return power_of_two(key, bytes);
}

Broken span_violation(const Cache& entries, std::int64_t page_size, const std::string& key) {
  const std::int64_t span = entries.line_size;
  const std::int64_t part = entries.sector_size;
  if (auto broken = page_multiple(key + ".entry_span", span, page_size)) return broken;
  if (auto broken = page_multiple(key + ".sub_entry_span", part, page_size)) return broken;
  if (auto broken = at_most(key + ".sub_entry_span", part, span)) return broken;
  if (span / part <= maximum_sub_entries) return std::nullopt;
  return Violation{key + ".sub_entry_span", "gives " + text(span / part) + " sub-entries per entry, at most " +
                                                text(maximum_sub_entries) + " are simulated"};
}

Broken level_violation(const Tlb& level, std::int64_t page_size, std::int64_t sm_count, const std::string& key) {
  if (auto broken = span_violation(level.entries, page_size, key)) return broken;
  if (auto broken = organisation_violation(level.entries, key)) return broken;
  return sm_groups_violation(level.shared_by, sm_count, key + ".shared_by");
}

/// entries; else what says it for caches.
std::vector<std::int64_t> read_entries(const Section& section) {
  if (!section.has("entries")) return read_set_ways(section, 1);
  for (const char* key : {"sets", "ways", "set_ways"}) {
    if (section.has(key)) section.refuse(key, "is given beside entries, which makes the level fully associative");
  }
  return {section.integer("entries")};
}

Tlb read_tlb(const Section& section, std::int64_t sm_count) {
  const std::int64_t span = section.integer("entry_span");
  Tlb level = tlb(span, read_entries(section), section.integer("penalty"));
  level.entries.sector_size = level.entries.fetch_granularity = section.integer("sub_entry_span", span);
  level.entries.index = read_index(section, span, level.entries.set_ways.size());
  level.entries.replacement = read_replacement(section);
  level.shared_by = read_shared_by(section, sm_count);
  return level;
}

std::int64_t read_page_walk(const Section& section, bool has_tlb) {
  if (!has_tlb) section.refuse("first_penalty", "is given without a tlb, whose misses lead to walks");
  return section.integer("first_penalty");
}

Translation::Window read_window(const Section& section) {
  return {section.integer("size"), section.integer("penalty")};
}

}  // namespace

Tlb tlb(std::int64_t span, std::vector<std::int64_t> set_ways, std::int64_t penalty) {
  return {Cache{span, span, span, std::move(set_ways), {}, {}}, penalty, {}};
}

Broken violation(const Translation& translation, std::int64_t sm_count) {
  const std::int64_t page_size = translation.page_size;
  if (auto broken = power_of_two("page_size", page_size)) return broken;
  for (std::size_t i = 0; i < translation.tlb.size(); ++i) {
    if (auto broken = level_violation(translation.tlb[i], page_size, sm_count, "tlb." + std::to_string(i))) {
      return broken;
    }
  }
  if (!translation.page_window) return std::nullopt;
  return page_multiple("page_window.size", translation.page_window->size, page_size);
}

Translation read_translation(const Section& description, std::int64_t sm_count) {
  Translation translation;
  translation.page_size = description.integer("page_size", translation.page_size);
  for (const Section& level : description.sections("tlb")) translation.tlb.push_back(read_tlb(level, sm_count));
  if (const auto walk = description.optional_section("page_walk")) {
    translation.first_walk_penalty = read_page_walk(*walk, !translation.tlb.empty());
  }
  if (const auto window = description.optional_section("page_window")) translation.page_window = read_window(*window);
  return translation;
}

}  // namespace tomograph::sim
