#include "reporting/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "reporting/finding.hpp"
#include "reporting/quantity.hpp"
#include "topology/merge.hpp"

namespace tomograph::host {
namespace {

/// A part of the hierarchy: what it is called and the beginning of its fact keys.
struct Part {
  std::string prefix;
  std::string title;
  bool in_sm;
  bool by_member = false;  ///< a line for each next part of the keys: instruction.fp32_add, instruction.fp64_fma, ...
};

const std::vector<Part>& known_parts() {
  static const std::vector<Part> parts{
      {"l1_data", "L1 data cache", true},
      {"texture", "Texture cache", true},
      {"read_only", "Read-only cache", true},
      {"constant_l1", "Constant L1 cache", true},
      {"constant_l15", "Constant L1.5 cache", true},
      {"instruction_l0", "Instruction L0 cache", true},
      {"instruction_l1", "Instruction L1 cache", true},
      {"instruction_l15", "Instruction L1.5 cache", true},
      {"shared", "Shared memory", true},
      {"tma", "Tensor memory accelerator", true},
      {"tlb.l1", "L1 TLB", true},
      {"instruction", "Instructions", true, true},
      {"divergence", "Branch divergence", true},
      {"misses", "Outstanding misses", true},
      {"tlb.l2", "L2 TLB", false},
      {"tlb.l3", "L3 TLB", false},
      {"page_window", "Page-table window", false},
      {"memory_spectrum", "Latency spectrum", false},
      {"cluster", "Clusters of CTAs", false},
      {"dsmem", "SM-to-SM network", false},
      {"noc", "Network on chip", false},
      {"l2", "L2 cache", false},
      {"dram", "Global memory", false},
      {"constant_memory", "Constant memory", false},
  };
  return parts;
}

/// How a fact is called within its part.
struct Label {
  std::string_view suffix;
  std::string_view text;
};

/// What stands together on one line, line by line. Facts that are not listed follow under their own names.
const std::vector<std::vector<Label>>& known_lines() {
  static const std::vector<std::vector<Label>> lines{
      {{"line_size", "line"}, {"sector_size", "sector"}, {"fetch_granularity", "fetch"}},
      {{"sets", "sets"},
       {"ways", "ways"},
       {"set_ways", "ways by set"},
       {"index", "index"},
       {"replacement", "replacement"},
       {"way_probability", "way probability"}},
      {{"entries", "entries"}, {"entry_span", "entry span"}, {"page_size", "page"}, {"reach", "reach"}},
      {{"partition.count", "partitions"}, {"partition.size", "partition size"}},
      {{"latency", "latency"},
       {"latency.near", "near"},
       {"latency.far", "far"},
       {"latency_by_sm", "by SM"},
       {"miss_penalty", "miss penalty"}},
      {{"caches_global_loads", "caches global loads"}, {"virtually_tagged", "virtually tagged"}},
      {{"bandwidth.read", "read"}, {"bandwidth.write", "write"}, {"bandwidth.copy", "copy"}},
      {{"size_by_carveout", "size by carve-out"}},
      {{"per_sm", "per SM"},
       {"shared_with", "shared with"},
       {"sm_groups", "SMs in"},
       {"sms_per_instance", "SMs per instance"}},
  };
  return lines;
}

struct Node {
  std::string title;
  std::vector<std::string> lines;
  std::vector<Node> children;
};

class Style {
 public:
  explicit Style(bool color) : color_(color) {}
  [[nodiscard]] std::string bold(const std::string& text) const { return with("1", text); }
  [[nodiscard]] std::string dim(const std::string& text) const { return with("2", text); }
  [[nodiscard]] std::string warning(const std::string& text) const { return with("33", text); }

 private:
  [[nodiscard]] std::string with(const char* code, const std::string& text) const {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool color_;
};

std::string spaced(std::string_view suffix) {
  std::string text(suffix);
  std::ranges::replace(text, '_', ' ');
  std::ranges::replace(text, '.', ' ');
  return text;
}

bool belongs(std::string_view key, std::string_view prefix) {
  return key == prefix || (key.starts_with(prefix) && key.substr(prefix.size()).starts_with('.'));
}

/// Builds the tree from a topology; each fact and each open question is placed once.
class Builder {
 public:
  Builder(const Topology& topology, Style style) : topology_(&topology), style_(style) {
    for (const auto& [key, record] : topology.facts) unplaced_.insert(key);
    for (const auto& [key, outcome] : topology.outcomes) {
      // What this device does not have leaves no question open.
      const bool absent = outcome.status == "skipped" && outcome.category == "device";
      if (outcome.status != "measured" && !absent && !topology.facts.contains(key)) open_.insert(key);
    }
  }

  Node build() {
    Node root{.title = device_title(), .lines = {}, .children = {}};
    Node sm{.title = sm_title(), .lines = {}, .children = {}};
    root.lines = device_lines();
    for (const Part& part : known_parts()) {
      if (is_there(part.prefix)) (part.in_sm ? sm : root).children.push_back(part_node(part));
    }
    for (const std::string& prefix : remaining_prefixes()) {
      const bool is_domain = prefix.find('.') != std::string::npos;
      root.children.push_back(part_node({prefix, is_domain ? prefix : spaced(prefix), false}));
    }
    if (!sm.children.empty()) root.children.insert(root.children.begin(), std::move(sm));
    return root;
  }

 private:
  [[nodiscard]] const FactRecord* find(const std::string& key) const {
    const auto found = topology_->facts.find(key);
    return found == topology_->facts.end() ? nullptr : &found->second;
  }

  /// The fact's value, marked where it is less than practically certain; the fact counts as placed.
  std::optional<std::string> take(const std::string& key) {
    const FactRecord* record = find(key);
    if (record == nullptr || unplaced_.erase(key) == 0) return std::nullopt;
    constexpr double practically_certain = 0.99;
    const bool grouped = key.ends_with("_groups") && record->value.is_array();
    std::string text = grouped ? group_sizes(record->value) : quantity(record->value, record->unit);
    if (record->confidence < practically_certain) {
      text += " " + style_.warning(fmt::format("({:.0f} % sure)", 100 * record->confidence));
    }
    return text;
  }

  std::string device_title() {
    const std::string asked_for = topology_->provenance.value("/device/name"_json_pointer, "");
    std::string title = style_.bold(take("device.name").value_or(asked_for.empty() ? "Device" : asked_for));
    if (!asked_for.empty()) title += "  " + asked_for;
    if (const auto capability = take("device.compute_capability")) title += ", compute capability " + *capability;
    return title;
  }

  std::string sm_title() {
    std::string title = style_.bold("SM");
    if (const auto count = take("device.sm_count")) title += " × " + *count;
    if (const auto clock = take("device.sm_clock")) title += " at " + *clock;
    return title;
  }

  std::vector<std::string> device_lines() {
    std::vector<std::string> lines;
    for (const std::string& line : rest_lines("device")) lines.push_back(style_.dim(line));
    for (auto& line : open_lines("device")) lines.push_back(std::move(line));
    return lines;
  }

  [[nodiscard]] bool is_there(const std::string& prefix) const {
    const auto in_part = [&](const std::string& key) { return belongs(key, prefix); };
    return std::ranges::any_of(unplaced_, in_part) || std::ranges::any_of(open_, in_part);
  }

  /// How the keys begin that no known part has claimed: with the id of a third party's plugin, or else first parts.
  [[nodiscard]] std::set<std::string> remaining_prefixes() const {
    std::set<std::string> prefixes;
    for (const auto* keys : {&unplaced_, &open_}) {
      for (const std::string& key : *keys) {
        const std::string plugin = plugin_key(key);
        prefixes.insert(belongs(key, plugin) ? plugin : key.substr(0, key.find('.')));
      }
    }
    return prefixes;
  }

  /// The id of the plugin that answers for a fact, as keys spell it.
  [[nodiscard]] std::string plugin_key(const std::string& key) const {
    const FactRecord* record = find(key);
    std::string probe = record != nullptr ? record->probe : topology_->outcomes.at(key).probe;
    std::ranges::replace(probe, '-', '_');
    return probe.substr(0, probe.find('/'));
  }

  Node part_node(const Part& part) {
    Node node{.title = style_.bold(part.title) + size_text(part.prefix), .lines = {}, .children = {}};
    for (const auto& labels : known_lines()) {
      if (auto line = labelled_line(part.prefix, labels); !line.empty()) node.lines.push_back(std::move(line));
    }
    if (part.by_member) {
      for (const std::string& member : members(part.prefix)) {
        std::string beside = spaced(member) + ": ";
        for (const std::string& line : rest_lines(part.prefix + "." + member)) {
          node.lines.push_back(std::exchange(beside, "  ") + line);
        }
      }
    }
    for (auto& line : rest_lines(part.prefix)) node.lines.push_back(std::move(line));
    for (auto& line : open_lines(part.prefix)) node.lines.push_back(std::move(line));
    return node;
  }

  /// What follows `prefix` in the keys of facts that have yet more parts.
  [[nodiscard]] std::set<std::string> members(const std::string& prefix) const {
    std::set<std::string> found;
    for (const std::string& key : unplaced_) {
      if (!key.starts_with(prefix + ".")) continue;
      const std::string rest = key.substr(prefix.size() + 1);
      if (const auto dot = rest.find('.'); dot != std::string::npos) found.insert(rest.substr(0, dot));
    }
    return found;
  }

  std::string size_text(const std::string& prefix) {
    const auto size = take(prefix + ".size");
    const auto nominal = take(prefix + ".nominal_size");
    if (size && nominal && *size != *nominal) return fmt::format("  {} usable of {} nominal", *size, *nominal);
    if (size) return "  " + *size;
    return nominal ? fmt::format("  {} nominal", *nominal) : std::string();
  }

  std::string labelled_line(const std::string& prefix, const std::vector<Label>& labels) {
    std::string line;
    for (const Label& label : labels) {
      const auto value = take(prefix + "." + std::string(label.suffix));
      if (value) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", label.text, *value);
    }
    return line;
  }

  /// All that is left of a part, as many facts on a line as go well with a terminal.
  std::vector<std::string> rest_lines(const std::string& prefix) {
    constexpr std::size_t width = 100;
    std::vector<std::string> lines;
    const std::set<std::string> keys = unplaced_;
    for (const std::string& key : keys) {
      if (!belongs(key, prefix)) continue;
      const std::string name = key == prefix ? prefix : key.substr(prefix.size() + 1);
      const std::string text = fmt::format("{} {}", spaced(name), take(key).value_or(""));
      if (lines.empty() || lines.back().size() + text.size() > width) {
        lines.push_back(text);
      } else {
        lines.back() += ", " + text;
      }
    }
    return lines;
  }

  /// One line for all open questions of the part that ended alike.
  std::vector<std::string> open_lines(const std::string& prefix) {
    std::map<std::pair<std::string, std::string>, std::string> names;
    std::erase_if(open_, [&](const std::string& key) {
      if (!belongs(key, prefix)) return false;
      const Outcome& outcome = topology_->outcomes.at(key);
      std::string& list = names[{outcome.status, outcome.reason}];
      list += (list.empty() ? "" : ", ") + spaced(key == prefix ? prefix : key.substr(prefix.size() + 1));
      return true;
    });
    std::vector<std::string> lines;
    for (const auto& [ending, list] : names) {
      const auto& [status, reason] = ending;
      lines.push_back(style_.dim(fmt::format("{}: {}{}{}", list, status, reason.empty() ? "" : ", ", reason)));
    }
    return lines;
  }

  const Topology* topology_;
  Style style_;
  std::set<std::string> unplaced_;
  std::set<std::string> open_;
};

void print(const Node& node, const std::string& indent, std::string& text) {
  const std::string beside = node.children.empty() ? "     " : "│    ";
  for (const std::string& line : node.lines) text += fmt::format("{}{}{}\n", indent, beside, line);
  for (const Node& child : node.children) {
    const bool last = &child == &node.children.back();
    text += indent + (last ? "└─ " : "├─ ") + child.title + "\n";
    print(child, indent + (last ? "   " : "│  "), text);
  }
}

}  // namespace

std::string tree(const Topology& topology, bool color) {
  const Style style(color);
  const Node root = Builder(topology, style).build();
  std::string text = root.title + "\n";
  print(root, "", text);
  for (const Finding& finding : disagreements(topology))
    text += style.warning("finding: ") + finding_text(finding, topology) + "\n";
  return text;
}

}  // namespace tomograph::host
