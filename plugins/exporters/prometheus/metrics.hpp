#ifndef TOMOGRAPH_EXPORTERS_PROMETHEUS_METRICS_HPP
#define TOMOGRAPH_EXPORTERS_PROMETHEUS_METRICS_HPP

#include <map>
#include <string>
#include <vector>

#include "tomograph/exporter.hpp"

namespace tomograph::prometheus {

/// The name of a fact's metric: "tomograph_l2_latency_cycles". It ends in the base unit.
[[nodiscard]] std::string metric_name(const std::string& key, const std::string& unit);

/// The text of a label's value within its quotes.
[[nodiscard]] std::string escaped(const std::string& text);

/// Collects samples by metric, since the text format wants those of one metric together.
/// https://prometheus.io/docs/instrumenting/exposition_formats/
class Metrics {
 public:
  /// Adds the facts of one GPU. `position` is its number where the topology does not name one.
  void add(const Topology& topology, std::size_t position);
  /// The text of all metrics, without timestamps.
  [[nodiscard]] std::string text() const;

 private:
  struct Metric {
    std::string help;
    std::vector<std::string> samples;
  };
  void add_fact(const KnownFact& fact, const std::string& labels);
  void add_sample(const std::string& name, const std::string& help, const std::string& labels,
                  const std::string& value);

  std::map<std::string, Metric> metrics_;
};

}  // namespace tomograph::prometheus

#endif
