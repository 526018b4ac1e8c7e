#include "page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

namespace tomograph::markdown {
namespace {

/// Confidence from which a fact counts as certain, as `tomograph show` has it.
constexpr double certain = 0.99;

/// Four digits, or all of a whole number.
std::string digits(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e9) return std::to_string(std::llround(value));
  std::ostringstream text;
  text.precision(std::abs(value) >= 1000 && std::abs(value) < 1e5 ? 5 : 4);
  text << value;
  return text.str();
}

std::string scaled(double value, double step, const std::array<const char*, 5>& units) {
  std::size_t scale = 0;
  for (; std::abs(value) >= step && scale + 1 < units.size(); ++scale) value /= step;
  return digits(value) + " " + units.at(scale);
}

/// Of latencies, in the largest unit that they reach.
std::string seconds(double value) {
  static constexpr std::array<std::pair<double, const char*>, 3> units{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}};
  for (const auto& [unit, name] : units) {
    if (std::abs(value) >= unit) return digits(value / unit) + " " + name;
  }
  return digits(value * 1e9) + " ns";
}

std::string value_text(const KnownFact& fact) {
  const auto& content = fact.value.content();
  if (const auto* text = std::get_if<std::string>(&content)) return escaped(*text);
  if (const auto* flag = std::get_if<bool>(&content)) return *flag ? "yes" : "no";
  return quantity(fact.value.get<double>(), fact.unit);
}

std::string interval_text(const KnownFact& fact) {
  if (!fact.interval) return "";
  std::string low = quantity(fact.interval->low, fact.unit);
  const std::string high = quantity(fact.interval->high, fact.unit);
  const auto unit_of = [](const std::string& text) { return text.substr(std::min(text.find(' '), text.size())); };
  if (unit_of(low) == unit_of(high)) low.resize(low.size() - unit_of(low).size());
  return low + " to " + high;
}

std::string percent(double confidence) {
  std::ostringstream text;
  text.precision(4);
  text << 100 * confidence << " %";
  return text.str();
}

std::string main_facts(const Topology& topology) {
  std::string text = "| fact | value | interval | confidence |\n| --- | --- | --- | --- |\n";
  for (const auto& [key, fact] : topology.facts()) {
    if (!is_main(fact)) continue;
    text += "| `" + key + "` | " + value_text(fact) + " | " + interval_text(fact) + " | " + percent(fact.confidence) +
            " |\n";
  }
  return text;
}

std::string uncertain(const Topology& topology) {
  std::string text;
  for (const auto& [key, fact] : topology.facts()) {
    if (fact.confidence < certain) text += "- `" + key + "`: confidence " + percent(fact.confidence) + "\n";
  }
  for (const auto& [key, outcome] : topology.outcomes()) {
    if (outcome.status == "measured" || outcome.status == "skipped") continue;
    text += "- `" + key + "`: " + outcome.status + ", " + escaped(outcome.reason) + "\n";
  }
  for (const KnownFinding& finding : topology.findings()) text += "- " + escaped(finding.message) + "\n";
  return text.empty() ? "Nothing.\n" : text;
}

/// What a member of the provenance says, or nothing.
std::string stated(const Value& provenance, const char* table, const char* name) {
  if (provenance.is_null() || !provenance.contains(table)) return "";
  return provenance.at(table).value(name, std::string());
}

std::string provenance(const Topology& topology) {
  const Value& known = topology.provenance();
  std::string text = "Measured on `" + stated(known, "device", "name") + "` with Tomograph " +
                     stated(known, "tool", "version") + " " + stated(known, "tool", "revision");
  if (!known.is_null() && known.contains("started")) text += ", started " + known.at("started").get<std::string>();
  if (!topology.uuid().empty()) text += ". GPU `" + topology.uuid() + "`";
  return text + ". File `" + topology.name() + "`, " + std::to_string(topology.facts().size()) + " facts.\n";
}

}  // namespace

std::string quantity(double value, std::string_view unit) {
  if (unit == "B") return scaled(value, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
  if (unit == "B/s") return scaled(value, 1000, {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"});
  if (unit == "Hz") return scaled(value, 1000, {"Hz", "kHz", "MHz", "GHz", "THz"});
  if (unit == "s") return seconds(value);
  if (unit.empty() || unit == "1") return digits(value);
  const std::string number = digits(value);
  if (unit == "cycle") return number + (number == "1" ? " cycle" : " cycles");
  return number + " " + std::string(unit);
}

bool is_main(const KnownFact& fact) {
  static constexpr std::array<std::string_view, 16> names{
      "size",    "line_size", "sets", "ways",  "replacement", "latency",   "near",       "far",
      "entries", "reach",     "read", "write", "copy",        "bandwidth", "throughput", "size_per_sm"};
  const auto& content = fact.value.content();
  if (std::holds_alternative<Value::List>(content) || std::holds_alternative<Value::Table>(content)) return false;
  const std::string_view last = std::string_view(fact.key).substr(fact.key.rfind('.') + 1);
  const bool is_of_memory = !fact.key.starts_with("device.") && !fact.key.starts_with("instruction.");
  return is_of_memory && std::ranges::count(fact.key, '.') <= 2 && std::ranges::find(names, last) != names.end();
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string page(const Topology& topology) {
  return "# " + escaped(topology.device()) + "\n\n" + main_facts(topology) + "\n## Uncertain\n\n" +
         uncertain(topology) + "\n## Provenance\n\n" + provenance(topology);
}

}  // namespace tomograph::markdown
