#ifndef TOMOGRAPH_HOST_EXPLAINING_CONFIDENCE_ENTRIES_HPP
#define TOMOGRAPH_HOST_EXPLAINING_CONFIDENCE_ENTRIES_HPP

#include <string>
#include <string_view>
#include <vector>

namespace tomograph::host {

/// A constant of the SDK's analysis/confidence.hpp with its comment there.
struct ConfidenceEntry {
  std::string_view name;  ///< "cache::size_soft"
  double value = 0;
  std::string_view text;
};

/// The comment without the patterns of facts at its end and without its full stop: for who knows the fact.
[[nodiscard]] std::string_view reason_of(const ConfidenceEntry& entry);

/// The entries that gave `confidence` to this fact: they have its value, and their comments name the fact most
/// precisely. Empty if the confidence was computed.
[[nodiscard]] std::vector<ConfidenceEntry> confidence_entries(const std::string& key, double confidence);

}  // namespace tomograph::host

#endif
