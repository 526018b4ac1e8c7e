#include "labels.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
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

/// Numbers of GPUs that agree differ by noise at most: latencies of one model do by up to 5 %.
constexpr double agreement = 1.05;

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
  std::set<double> numbers;

  void add(const KnownFact& fact, double divisor) {
    const auto& content = fact.value.content();
    if (const auto* text = std::get_if<std::string>(&content)) {
      texts.insert(label_value(*text));
    } else {
      numbers.insert(fact.value.get<double>() / divisor);
    }
  }
};

std::string line(const std::string& name, const std::string& value) {
  return "tomograph.dev/" + name + "=" + value + "\n";
}

/// A label where the GPUs agree. Of numbers that differ the least and the greatest. Nothing where a number rounds to 0,
/// which would tell nothing.
std::string lines_of_numbers(const std::string& name, double least, double greatest) {
  const auto rounded = [](double number) { return std::to_string(std::llround(number)); };
  if (std::llround(least) == 0) return {};
  if (rounded(least) == rounded(greatest) && greatest <= agreement * least) return line(name, rounded(least));
  return line(name + ".least", rounded(least)) + line(name + ".greatest", rounded(greatest));
}

/// The same, and of texts that differ nothing.
std::string lines_of(const std::string& name, const Values& values) {
  const auto& texts = values.texts;
  const auto& numbers = values.numbers;
  if (texts.empty()) return lines_of_numbers(name, *numbers.begin(), *numbers.rbegin());
  return texts.size() == 1 && numbers.empty() ? line(name, *texts.begin()) : "";
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
  static const std::regex time(R"((\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?)"
                               R"((Z|[+-]([01]\d|2[0-3]):[0-5]\d))");
  std::smatch parts;
  if (!std::regex_match(text, parts, time)) return false;
  const auto number = [&](std::size_t part) { return std::stoi(parts[part].str()); };
  return std::chrono::year_month_day(std::chrono::year(number(1)), std::chrono::month(static_cast<unsigned>(number(2))),
                                     std::chrono::day(static_cast<unsigned>(number(3))))
      .ok();
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
