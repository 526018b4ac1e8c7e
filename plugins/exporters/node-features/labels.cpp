#include "labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <regex>
#include <set>

namespace tomograph::node_features {
namespace {

constexpr std::size_t longest_value = 63;

constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// A fact and its label, whose value counts units of `divisor`.
struct Label {
  const char* key;
  const char* name;
  double divisor = 1;
};

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;
constexpr double gib = 1024 * mib;
constexpr double giga = 1e9;

constexpr std::array labels{
    Label{"device.name", "device.name"},
    Label{"device.compute_capability", "device.compute-capability"},
    Label{"device.sm_count", "device.sms"},
    Label{"device.sm_clock", "device.sm-clock.mhz", 1e6},
    Label{"l1_data.size", "l1-data.kib", kib},
    Label{"l1_data.line_size", "l1-data.line.bytes"},
    Label{"l1_data.latency", "l1-data.latency.cycles"},
    Label{"shared.size_per_sm", "shared.kib", kib},
    Label{"shared.latency", "shared.latency.cycles"},
    Label{"l2.size", "l2.mib", mib},
    Label{"l2.partition.count", "l2.partitions"},
    Label{"l2.latency", "l2.latency.cycles"},
    Label{"l2.bandwidth.read", "l2.read.gb-per-second", giga},
    Label{"tlb.l1.reach", "tlb.l1.reach.mib", mib},
    Label{"tlb.l2.reach", "tlb.l2.reach.mib", mib},
    Label{"dram.size", "dram.gib", gib},
    Label{"dram.latency", "dram.latency.cycles"},
    Label{"dram.bandwidth.read", "dram.read.gb-per-second", giga},
    Label{"dram.bandwidth.write", "dram.write.gb-per-second", giga},
    Label{"cluster.max_size", "cluster.ctas"},
    Label{"dsmem.latency", "dsmem.latency.cycles"},
};

/// What the GPUs of a node say of one label, in words or in whole numbers.
struct Values {
  std::set<std::string> texts;
  std::set<std::int64_t> numbers;

  void add(const KnownFact& fact, double divisor) {
    const auto& content = fact.value.content();
    if (const auto* text = std::get_if<std::string>(&content)) {
      texts.insert(label_value(*text));
    } else {
      numbers.insert(std::llround(fact.value.get<double>() / divisor));
    }
  }
};

std::string line(const std::string& name, const std::string& value) {
  return "tomograph.dev/" + name + "=" + value + "\n";
}

/// A label where the GPUs agree. Of numbers that differ the least and the greatest, of texts that differ nothing.
std::string lines_of(const std::string& name, const Values& values) {
  const auto& [texts, numbers] = values;
  if (texts.size() + numbers.size() == 1) {
    return line(name, texts.empty() ? std::to_string(*numbers.begin()) : *texts.begin());
  }
  if (!texts.empty() || numbers.empty()) return {};
  return line(name + ".least", std::to_string(*numbers.begin())) +
         line(name + ".greatest", std::to_string(*numbers.rbegin()));
}

}  // namespace

std::string label_value(const std::string& text) {
  std::string value = text.substr(0, longest_value);
  std::ranges::replace_if(
      value, [](char c) { return !is_letter_or_digit(c) && c != '.' && c != '_' && c != '-'; }, '-');
  while (!value.empty() && !is_letter_or_digit(value.back())) value.pop_back();
  value.erase(value.begin(), std::ranges::find_if(value, is_letter_or_digit));
  return value;
}

bool is_time(const std::string& text) {
  static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))");
  return std::regex_match(text, time);
}

std::string lines(std::span<const Topology> topologies) {
  std::string text;
  for (const Label& label : labels) {
    const auto has_fact = [&](const Topology& topology) { return topology.fact(label.key) != nullptr; };
    if (!std::ranges::all_of(topologies, has_fact)) continue;
    Values values;
    for (const Topology& topology : topologies) values.add(*topology.fact(label.key), label.divisor);
    text += lines_of(label.name, values);
  }
  return text.empty() ? text : line("gpus", std::to_string(topologies.size())) + text;
}

}  // namespace tomograph::node_features
