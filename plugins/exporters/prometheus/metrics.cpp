#include "metrics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace tomograph::prometheus {
namespace {

/// Base units as the ends of names. https://prometheus.io/docs/practices/naming/
std::string ending_of(const std::string& unit) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> endings{
      {{"cycle", "_cycles"},
       {"B", "_bytes"},
       {"B/s", "_bytes_per_second"},
       {"B/cycle", "_bytes_per_cycle"},
       {"FLOP/cycle", "_operations_per_cycle"},
       {"Hz", "_hertz"},
       {"s", "_seconds"}}};
  const auto* const found = std::ranges::find(endings, unit, &decltype(endings)::value_type::first);
  return found == endings.end() ? std::string() : std::string(found->second);
}

/// Whether a name has an end that Prometheus reserves for histograms, summaries and counters.
bool has_reserved_end(const std::string& name) {
  static constexpr std::array<std::string_view, 5> reserved{"_count", "_sum", "_bucket", "_total", "_info"};
  return std::ranges::any_of(reserved, [&](std::string_view end) { return name.ends_with(end); });
}

std::string label(const char* name, const std::string& value) {
  return std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string labels_of(const Topology& topology, const std::string& number) {
  std::string labels = label("gpu", number);
  if (!topology.uuid().empty()) labels += "," + label("UUID", topology.uuid());
  return labels;
}

}  // namespace

std::string metric_name(const std::string& key, const std::string& unit) {
  std::string name = "tomograph_" + key;
  std::ranges::replace(name, '.', '_');
  const std::string ending = ending_of(unit);
  if (!name.ends_with(ending)) name += ending;
  return has_reserved_end(name) ? name + "_value" : name;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result;
}

namespace {

/// Collects samples by metric, since the text format wants those of one metric together.
class Metrics {
 public:
  void add(const Topology& topology, const std::string& number);
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

void Metrics::add(const Topology& topology, const std::string& number) {
  const std::string labels = labels_of(topology, number);
  add_sample("tomograph_device_info", "The GPU that was measured", labels + "," + label("model", topology.device()),
             "1");
  for (const auto& [key, fact] : topology.facts()) add_fact(fact, labels);
}

void Metrics::add_fact(const KnownFact& fact, const std::string& labels) {
  const auto& content = fact.value.content();
  std::string name = metric_name(fact.key, fact.unit);
  const std::string help = "Fact " + fact.key + (fact.unit.size() > 1 ? " in " + fact.unit : "");
  if (const auto* text = std::get_if<std::string>(&content)) {
    add_sample(name + "_info", help, labels + "," + label("value", *text), "1");
  } else if (const auto* flag = std::get_if<bool>(&content)) {
    add_sample(name, help, labels, *flag ? "1" : "0");
  } else if (std::holds_alternative<std::int64_t>(content) || std::holds_alternative<double>(content)) {
    add_sample(name, help, labels, to_json(fact.value));
  } else {
    return;  // curves and lists over SMs are no metrics
  }
  add_sample("tomograph_fact_confidence_ratio",
             "Probability that a fact is right, or that its interval covers the truth",
             labels + "," + label("key", fact.key), to_json(fact.confidence));
}

void Metrics::add_sample(const std::string& name, const std::string& help, const std::string& labels,
                         const std::string& value) {
  Metric& metric = metrics_[name];
  metric.help = help;
  metric.samples.push_back(name + "{" + labels + "} " + value + "\n");
}

std::string Metrics::text() const {
  std::string text;
  for (const auto& [name, metric] : metrics_) {
    text.append("# HELP ").append(name).append(" ").append(metric.help);
    text.append("\n# TYPE ").append(name).append(" gauge\n");
    for (const std::string& sample : metric.samples) text += sample;
  }
  return text;
}

}  // namespace

std::string metrics_of(std::span<const Topology> topologies) {
  Metrics metrics;
  const std::vector<std::string> numbers = gpu_numbers(topologies);
  for (std::size_t i = 0; i < topologies.size(); ++i) metrics.add(topologies[i], numbers[i]);
  return metrics.text();
}

}  // namespace tomograph::prometheus
