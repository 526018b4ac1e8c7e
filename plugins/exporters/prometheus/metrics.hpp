#ifndef TOMOGRAPH_EXPORTERS_PROMETHEUS_METRICS_HPP
#define TOMOGRAPH_EXPORTERS_PROMETHEUS_METRICS_HPP

#include <span>
#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::prometheus {

/// The name of a fact's metric: "tomograph_l2_latency_cycles". It ends in the base unit.
[[nodiscard]] std::string metric_name(const std::string& key, const std::string& unit);

/// The text of a label's value within its quotes.
[[nodiscard]] std::string escaped(const std::string& text);

/// The metrics of a node's GPUs in the text format, without timestamps.
/// https://prometheus.io/docs/instrumenting/exposition_formats/
/// @throws Refused as INVALID if two topologies are of one GPU: Prometheus takes no file with two equal series.
[[nodiscard]] std::string metrics_of(std::span<const Topology> topologies);

}  // namespace tomograph::prometheus

#endif
