#include "reporting/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "explaining/confidence_entries.hpp"
#include "explaining/drawing.hpp"
#include "reporting/finding.hpp"
#include "reporting/quantity.hpp"
#include "reporting/style.hpp"
#include "reporting/table.hpp"
#include "topology/merge.hpp"

namespace tomograph::host {
namespace {

constexpr std::size_t label_width = 12;
constexpr std::size_t lines_of_curve = 12;
constexpr std::size_t rows_of_curve = 24;
constexpr std::size_t most_names = 8;

/// A probe that provides the fact, with its plugin and what it declares of the fact.
struct Provider {
  const PluginDescription* plugin = nullptr;
  const ProbeDescription* probe = nullptr;
  const FactDeclaration* fact = nullptr;
};

std::vector<Provider> providers_of(const std::string& key, std::span<const PluginDescription> plugins) {
  std::vector<Provider> found;
  for (const PluginDescription& plugin : plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      const auto fact = std::ranges::find(probe.provides, key, &FactDeclaration::key);
      if (fact != probe.provides.end()) found.push_back({&plugin, &probe, &*fact});
    }
  }
  return found;
}

/// The first, but those of published methods only if there is no other.
Provider preferred(const std::vector<Provider>& providers) {
  const auto own =
      std::ranges::find_if(providers, [](const Provider& provider) { return provider.probe->method.empty(); });
  if (own != providers.end()) return *own;
  return providers.empty() ? Provider() : providers.front();
}

/// The one whose probe has this id.
Provider named(const std::vector<Provider>& providers, const std::string& id) {
  const auto found =
      std::ranges::find_if(providers, [&](const Provider& provider) { return provider.probe->id == id; });
  return found == providers.end() ? Provider() : *found;
}

std::string listed_names(std::vector<std::string> names) {
  const std::size_t more = names.size() - std::min(names.size(), most_names);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

/// Puts an explanation together, paragraph by paragraph.
class Explanation {
 public:
  Explanation(std::string key, std::span<const PluginDescription> plugins, const ExplanationStyle& style)
      : key_(std::move(key)),
        plugins_(plugins),
        style_(style),
        ink_(style.color),
        providers_(providers_of(key_, plugins)),
        provider_(preferred(providers_)) {}

  std::string of_plugins() {
    text_ = ink_.bold(key_) + "\n\n";
    meaning();
    question();
    needs(nullptr);
    dependents();
    return text_;
  }

  std::string of(const Topology& topology, const Evidence* evidence) {
    const auto fact = topology.facts.find(key_);
    const auto outcome = topology.outcomes.find(key_);
    const bool is_known = fact != topology.facts.end();
    // What another probe would ask, and how sure it would be, says nothing of this topology.
    if (is_known) {
      provider_ = named(providers_, fact->second.probe);
    } else if (outcome != topology.outcomes.end()) {
      provider_ = named(providers_, outcome->second.probe);
    }
    text_ = ink_.bold(key_) + " " + (is_known ? headline(fact->second) : "was not measured") + "\n\n";
    if (!is_known) missing(outcome == topology.outcomes.end() ? nullptr : &outcome->second);
    meaning();
    question();
    if (is_known) {
      method(fact->second);
      curve(fact->second, evidence);
      confidence(fact->second);
      disagreement(topology);
    }
    needs(&topology);
    dependents();
    return text_;
  }

 private:
  /// Adds "label   text", wrapped and indented.
  void paragraph(const std::string& label, const std::string& text) {
    if (text.empty()) return;
    const std::size_t width = style_.width > 2 * label_width ? style_.width - label_width : label_width;
    std::string left = ink_.bold(label) + std::string(label_width - label.size(), ' ');
    for (const std::string& line : wrapped(text, width)) {
      text_ += std::exchange(left, std::string(label_width, ' ')) + line + "\n";
    }
  }

  [[nodiscard]] std::string headline(const FactRecord& record) const {
    std::string text = "is " + ink_.bold(short_value(key_, record.value, record.unit));
    if (record.interval) {
      text += fmt::format(", between {} and {}", quantity(record.interval->first, record.unit),
                          quantity(record.interval->second, record.unit));
    }
    return text + fmt::format(" (confidence {})", percent_of(record.confidence));
  }

  void missing(const Outcome* outcome) {
    if (outcome == nullptr) return paragraph("Why", "this run did not ask for it");
    paragraph("Why", fmt::format("{}{}{}", to_string(outcome->status),
                                 outcome->category ? fmt::format(" ({})", to_string(*outcome->category)) : "",
                                 outcome->reason.empty() ? "" : ": " + outcome->reason));
  }

  void meaning() {
    // A key means the same whoever provides it.
    const FactDeclaration* fact = provider_.fact != nullptr ? provider_.fact : preferred(providers_).fact;
    if (fact == nullptr) return;
    const std::string& unit = fact->unit;
    paragraph("Meaning", fact->help + (unit.empty() || unit == "1" ? "" : " [" + unit + "]"));
  }

  void question() {
    if (provider_.probe == nullptr) return;
    paragraph("Question", provider_.probe->question);
    paragraph(provider_.probe->is_model ? "Model" : "Probe",
              fmt::format("{} of the plugin {} {}: {}", provider_.probe->id, provider_.plugin->id,
                          provider_.plugin->version, provider_.plugin->description));
  }

  void method(const FactRecord& record) {
    if (record.source == "api") return paragraph("Method", "reported by the driver: " + record.method);
    std::string text = record.method;
    if (is_derived(record)) {
      text += ", computed from other facts";
    } else if (record.samples != 0) {
      text += ", from " + counted(record.samples, "sample", "samples");
    }
    for (const auto& [name, value] : record.conditions.items()) {
      if (value.is_primitive()) text += fmt::format("; {}: {}", name, quantity(value, ""));
    }
    if (provider_.probe == nullptr && !record.probe.empty()) {
      text += fmt::format("; {} is not among the plugins here, which could say more", record.probe);
    }
    paragraph("Method", text);
  }

  void curve(const FactRecord& record, const Evidence* evidence) {
    if (record.evidence.empty()) return;
    if (evidence == nullptr) {
      return paragraph("Curve", record.evidence + ", but no evidence file lies beside the topology");
    }
    const auto probe = evidence->find(record.probe);
    if (probe == evidence->end() || !probe->second.contains(record.evidence)) {
      return paragraph("Curve", record.evidence +
                                    ", but the evidence file lacks it. A fact that was taken with --given has a curve "
                                    "only if an evidence file lay beside its topology");
    }
    const auto drawing = drawing_of(key_, record, probe->second.at(record.evidence));
    if (!drawing) return paragraph("Curve", record.evidence + ": none of its columns varies, so nothing is drawn");
    const PlotLabels labels{[&](double value) { return quantity(value, drawing->x_unit); },
                            [&](double value) { return quantity(value, drawing->y_unit); }};
    paragraph("Curve", record.evidence);
    text_ += style_.draws ? drawn(drawing->plot, labels, style_.width, lines_of_curve)
                          : tabulated(drawing->plot, rows_of_curve);
  }

  void confidence(const FactRecord& record) {
    if (record.source == "api") return paragraph("Confidence", "100 %: what the driver reports is not judged");
    const auto entries =
        provider_.probe == nullptr ? std::vector<ConfidenceEntry>() : confidence_entries(key_, record.confidence);
    std::string text = percent_of(record.confidence) + ": ";
    for (const ConfidenceEntry& entry : entries) {
      text += fmt::format("{}{} ({})", &entry == &entries.front() ? "" : ". Or: ", reason_of(entry), entry.name);
    }
    if (entries.empty()) text += computed_by(record);
    if (record.interval) text += ". The interval is meant to cover the truth that often";
    paragraph("Confidence", text);
  }

  [[nodiscard]] static bool is_derived(const FactRecord& record) { return record.source == "derived"; }

  [[nodiscard]] std::string computed_by(const FactRecord& record) const {
    if (is_derived(record)) return "computed from those of other facts";
    if (provider_.probe == nullptr) {
      return record.probe.empty() ? "claimed without a reason" : "claimed by " + record.probe;
    }
    // Curves are published without a number of samples: their points have different ones.
    if (record.samples == 0) return "computed by the probe";
    return "computed by the probe from its " + counted(record.samples, "sample", "samples");
  }

  void disagreement(const Topology& topology) {
    for (const Finding& finding : disagreements(topology)) {
      if (finding.key == key_ || finding.against == key_) paragraph("Finding", finding_text(finding, topology));
    }
    const std::size_t name = key_.rfind('.') + 1;
    const std::string nominal = key_.substr(0, name) + "nominal_" + key_.substr(name);
    if (const auto other = topology.facts.find(nominal); other != topology.facts.end()) {
      paragraph("Driver", fmt::format("{} is {}", nominal, quantity(other->second.value, other->second.unit)));
    }
  }

  void needs(const Topology* topology) {
    if (provider_.probe == nullptr) return;
    std::vector<std::string> names;
    for (const NeedDeclaration& need : provider_.probe->needs) {
      const bool is_missing = topology != nullptr && !topology->facts.contains(need.key);
      names.push_back(need.key + (need.optional ? " (if there)" : "") + (is_missing ? " (missing)" : ""));
    }
    paragraph("Needs", listed_names(names));
  }

  /// The probes that ask for the fact.
  void dependents() {
    std::vector<std::string> names;
    for (const PluginDescription& plugin : plugins_) {
      for (const ProbeDescription& probe : plugin.probes) {
        const bool asks = std::ranges::find(probe.needs, key_, &NeedDeclaration::key) != probe.needs.end();
        if (asks && probe.method.empty()) names.push_back(probe.id);
      }
    }
    paragraph("Needed by", listed_names(names));
  }

  std::string key_;
  std::span<const PluginDescription> plugins_;
  ExplanationStyle style_;
  Style ink_;
  std::vector<Provider> providers_;  ///< of the key
  Provider provider_;                ///< the one whose answer is explained, if it is here
  std::string text_;
};

}  // namespace

std::string explained(const std::string& key, const Topology& topology, const Evidence* evidence,
                      std::span<const PluginDescription> plugins, const ExplanationStyle& style) {
  return Explanation(key, plugins, style).of(topology, evidence);
}

std::string explained(const std::string& key, std::span<const PluginDescription> plugins,
                      const ExplanationStyle& style) {
  return Explanation(key, plugins, style).of_plugins();
}

}  // namespace tomograph::host
