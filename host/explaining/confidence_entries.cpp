#include "explaining/confidence_entries.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "explaining/confidence_table.hpp"
#include "planning/patterns.hpp"

namespace tomograph::host {
namespace {

std::string_view without_stops(std::string_view text) { return text.substr(0, text.find_last_not_of(" ,.:;") + 1); }

/// Whether a word is a pattern of facts, such as "tlb.*.entries".
bool is_pattern(std::string_view word) {
  const bool is_key = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.*") == std::string::npos;
  return is_key && word.find('.') != std::string::npos && !word.ends_with("hpp");
}

/// The patterns of facts that a comment names.
std::vector<std::string> patterns_in(std::string_view text) {
  std::vector<std::string> patterns;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    word.resize(without_stops(word).size());
    if (is_pattern(word)) patterns.push_back(word);
  }
  return patterns;
}

/// The length of the longest of the patterns that match, 0 if none does: how precisely a comment names a fact.
std::size_t precision(const std::vector<std::string>& patterns, const std::string& key) {
  std::size_t longest = 0;
  for (const std::string& pattern : patterns) {
    if (matches(pattern, key)) longest = std::max(longest, pattern.size());
  }
  return longest;
}

}  // namespace

std::string_view reason_of(const ConfidenceEntry& entry) {
  std::string_view text = without_stops(entry.text);
  for (std::size_t space = 0; (space = text.rfind(' ')) != std::string_view::npos;) {
    if (!is_pattern(text.substr(space + 1))) break;
    text = without_stops(text.substr(0, space));
  }
  return text;
}

std::vector<ConfidenceEntry> confidence_entries(const std::string& key, double confidence) {
  std::vector<ConfidenceEntry> best;
  std::size_t best_precision = 1;
  for (const ConfidenceEntry& entry : confidence_table()) {
    if (std::abs(entry.value - confidence) > 1e-9) continue;
    const std::size_t found = precision(patterns_in(entry.text), key);
    if (found < best_precision) continue;
    if (found > best_precision) best.clear();
    best_precision = found;
    best.push_back(entry);
  }
  // One comment may stand above several constants, which are called like the facts.
  const auto is_called_alike = [&](const ConfidenceEntry& entry) {
    return key.ends_with("." + std::string(entry.name.substr(entry.name.rfind(':') + 1)));
  };
  if (std::ranges::any_of(best, is_called_alike)) std::erase_if(best, std::not_fn(is_called_alike));
  return best;
}

}  // namespace tomograph::host
