#ifndef TOMOGRAPH_EXPORTERS_MT4G_VALUES_HPP
#define TOMOGRAPH_EXPORTERS_MT4G_VALUES_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "tomograph/exporter.hpp"

/// Facts in the shapes that MT4G gives to its values. Each is null if the fact is not known.
namespace tomograph::mt4g {

using Json = nlohmann::json;

/// A fact that is a plain number, word or truth value.
[[nodiscard]] Json plain(const Topology& topology, const std::string& key);
/// A reported size in bytes: {"unit", "value"}.
[[nodiscard]] Json reported_bytes(const Topology& topology, const std::string& key);
/// A measured size in bytes: {"confidence", "method", "size", "unit"}.
[[nodiscard]] Json measured_bytes(const Topology& topology, const std::string& key);
/// A frequency in kHz.
[[nodiscard]] Json kilohertz(const Topology& topology, const std::string& key);
/// A number of bits.
[[nodiscard]] Json bits(const Topology& topology, const std::string& key);
/// A bandwidth in GiB/s; that of an SM at the clock that the device reports.
[[nodiscard]] Json bandwidth(const Topology& topology, const std::string& key);
/// A latency in cycles: "mean" is the fact's value, whose statistic is "statistic"; "p50" where it is known.
[[nodiscard]] Json latency(const Topology& topology, const std::string& key);
/// A miss penalty in cycles.
[[nodiscard]] Json cycles(const Topology& topology, const std::string& key);
/// Those of the caches that a fact lists for which MT4G has a name.
[[nodiscard]] Json cache_names(const Topology& topology, const std::string& key);
/// A version such as "13.0", in two numbers.
[[nodiscard]] std::optional<std::pair<int, int>> version(const Topology& topology, const std::string& key);

}  // namespace tomograph::mt4g

#endif
