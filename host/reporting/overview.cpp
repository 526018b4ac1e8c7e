#include "reporting/overview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "documents/visible_text.hpp"
#include "reporting/finding.hpp"
#include "reporting/parts.hpp"
#include "reporting/quantity.hpp"
#include "reporting/table.hpp"
#include "topology/typed_value.hpp"

namespace tomograph::host {
namespace {

/// Facts below this confidence are marked: one in a hundred of those above is expected to be wrong.
constexpr double certain = 0.99;
/// Columns of text that is wrapped, lines of a screen, and how many the less important sections may take of them.
constexpr std::size_t line_width = 110;
constexpr std::size_t screen_lines = 60;
constexpr std::size_t most_other_facts = 8;
constexpr std::size_t most_entries = 3;
constexpr std::size_t most_keys = 4;

/// Writes the sections one after another.
class Overview {
 public:
  Overview(const Topology& topology, Style style) : topology_(&topology), style_(style) {}

  [[nodiscard]] std::string text() const {
    std::string text = head();
    const auto add = [&text](const std::string& section) {
      if (!section.empty()) text += "\n" + section;
    };
    add(caches());
    add(tlbs());
    add(memories());
    add(instructions() + tensor_cores() + atomics() + memory_channels());
    add(other_facts());
    const std::string end = findings() + rest();
    constexpr std::size_t empty_lines = 2;
    const std::size_t taken = lines_of(text) + lines_of(end) + empty_lines;
    add(uncertain(taken < screen_lines ? screen_lines - taken : 0));
    add(end);
    return text;
  }

 private:
  static std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

  [[nodiscard]] const FactRecord* find(const std::string& key) const {
    const auto found = topology_->facts.find(key);
    return found == topology_->facts.end() ? nullptr : &found->second;
  }

  /// The value for people, with ~ where it is uncertain; empty without such a fact.
  [[nodiscard]] std::string show(const std::string& key) const {
    const FactRecord* record = find(key);
    if (record == nullptr) return {};
    return (record->confidence < certain ? "~" : "") + quantity(record->value, record->unit);
  }

  [[nodiscard]] std::string head() const {
    const std::string target = text_of(topology_->provenance.value("/device/name"_json_pointer, Json())).value_or("");
    std::string name = show("device.name");
    if (name.empty()) name = target.empty() ? "Device" : target;
    std::string details;
    const auto add = [&details](const std::string& text) { details += (details.empty() ? "" : ", ") + text; };
    if (const auto sms = show("device.sm_count"); !sms.empty()) {
      add(sms + (find("device.sm_count")->value == 1 ? " SM" : " SMs") + levels_of_sms());
    }
    if (const auto clock = show("device.sm_clock"); !clock.empty()) add(clock);
    if (const auto size = show("dram.size"); !size.empty()) add(size + " of memory");
    if (const auto capability = show("device.compute_capability"); !capability.empty()) {
      add("compute capability " + capability);
    }
    return style_.bold(name) + (details.empty() ? "" : "  " + details) + "\n" +
           (target.empty() ? "" : "measured on " + target + "\n") + conditions();
  }

  /// How many groups of SMs the map of SMs has: " in 8 GPCs, 24 CPCs, 66 TPCs", or nothing.
  [[nodiscard]] std::string levels_of_sms() const {
    const FactRecord* map = find("sm.map");
    if (map == nullptr || !map->value.is_array() || map->value.empty()) return {};
    std::array<std::size_t, 3> last{};
    for (const Json& row : map->value) {
      if (!row.is_array() || row.size() < last.size()) return {};
      for (std::size_t level = 0; level < last.size(); ++level) {
        const auto group = number_of(row[level]);
        if (!group || *group < 0) return {};
        last[level] = std::max(last[level], static_cast<std::size_t>(*group));
      }
    }
    return fmt::format(" in {}, {}, {}", counted(last[2] + 1, "GPC", "GPCs"), counted(last[1] + 1, "CPC", "CPCs"),
                       counted(last[0] + 1, "TPC", "TPCs"));
  }

  [[nodiscard]] std::string conditions() const {
    const std::string line = conditions_line(*topology_);
    return line.empty() ? "" : "conditions: " + line + "\n";
  }

  /// What one instance of a part serves.
  [[nodiscard]] std::string instance(const Part& part) const {
    const std::string prefix(part.prefix);
    if (const FactRecord* groups = find(prefix + ".sm_groups"); groups != nullptr && groups->value.is_array()) {
      std::vector<std::size_t> sizes;
      for (const auto& group : groups->value) sizes.push_back(group.size());
      const auto [least, most] = std::ranges::minmax(sizes.empty() ? std::vector<std::size_t>{1} : sizes);
      if (most == 1) return "SM";
      return least == most ? fmt::format("{} SMs", least) : fmt::format("{}-{} SMs", least, most);
    }
    if (part.in_sm) return "SM";
    const std::string partitions = show(prefix + ".partition.count");
    return partitions.empty() || partitions == "1" ? "GPU" : "GPU, " + partitions + " partitions";
  }

  [[nodiscard]] std::string size(const std::string& prefix) const {
    const std::string measured = show(prefix + ".size");
    return measured.empty() ? show(prefix + ".nominal_size") : measured;
  }

  [[nodiscard]] std::string sets_and_ways(const std::string& prefix) const {
    const std::string sets = show(prefix + ".sets");
    std::string ways = show(prefix + ".ways");
    if (ways.empty()) ways = ways_of_unequal_sets(prefix);
    if (sets.empty()) return ways.empty() ? ways : ways + " ways";
    return ways.empty() ? sets + " sets" : sets + " × " + ways;
  }

  [[nodiscard]] std::string ways_of_unequal_sets(const std::string& prefix) const {
    const FactRecord* record = find(prefix + ".set_ways");
    if (record == nullptr || !record->value.is_array() || record->value.empty()) return {};
    const auto [least, most] = std::minmax_element(record->value.begin(), record->value.end());
    const std::string mark = record->confidence < certain ? "~" : "";
    return mark + (*least == *most ? quantity(*least, "") : quantity(*least, "") + "-" + quantity(*most, ""));
  }

  [[nodiscard]] std::string same_cache_as(const std::string& prefix) const {
    const FactRecord* record = find(prefix + ".shared_with");
    if (record == nullptr || !record->value.is_array() || record->value.empty()) return {};
    std::vector<std::string> names;
    for (const Json& name : record->value) names.push_back(text_of(name).value_or(""));
    std::erase(names, "");
    return fmt::format("{}", fmt::join(names, ", "));
  }

  /// Adds the row of a part, unless it would only say that there is such a part.
  void add_row(Table& table, const Part& part, const std::vector<std::string>& known) const {
    const std::string prefix(part.prefix);
    const bool has_instance = find(prefix + ".sm_groups") != nullptr || find(prefix + ".partition.count") != nullptr;
    if (!has_instance && std::ranges::all_of(known, &std::string::empty)) return;
    std::vector<std::string> cells{std::string(part.title), instance(part)};
    cells.insert(cells.end(), known.begin(), known.end());
    table.add(cells);
  }

  [[nodiscard]] std::string caches() const {
    Table table({"Cache", "one per", "size", "line", "sets × ways", "replacement", "latency", "miss adds", "same as"});
    for (const Part& part : known_parts()) {
      const std::string prefix(part.prefix);
      if (part.kind != PartKind::cache) continue;
      add_row(table, part,
              {size(prefix), show(prefix + ".line_size"), sets_and_ways(prefix), show(prefix + ".replacement"),
               show(prefix + ".latency"), show(prefix + ".miss_penalty"), same_cache_as(prefix)});
    }
    return table.text(style_);
  }

  [[nodiscard]] std::string tlbs() const {
    Table table({"TLB", "one per", "reach", "entries", "entry span", "ways", "replacement", "miss adds"});
    for (const Part& part : known_parts()) {
      const std::string prefix(part.prefix);
      if (part.kind != PartKind::tlb) continue;
      add_row(table, part,
              {show(prefix + ".reach"), show(prefix + ".entries"), show(prefix + ".entry_span"),
               ways_of_unequal_sets(prefix), show(prefix + ".replacement"), show(prefix + ".miss_penalty")});
    }
    return table.text(style_);
  }

  [[nodiscard]] std::string memories() const {
    Table table({"Access to", "latency", "near", "far", "read", "write", "copy"});
    for (const Part& part : known_parts()) {
      const std::string prefix(part.prefix);
      if (part.kind != PartKind::memory && part.kind != PartKind::cache) continue;
      std::vector<std::string> cells{std::string(part.title)};
      for (const char* fact :
           {".latency", ".latency.near", ".latency.far", ".bandwidth.read", ".bandwidth.write", ".bandwidth.copy"}) {
        cells.push_back(show(prefix + fact));
      }
      if (const auto only = show(prefix + ".bandwidth"); cells[4].empty()) cells[4] = only;
      // The latency of a cache stands in its own table already.
      const auto first = cells.begin() + (part.kind == PartKind::cache ? 2 : 1);
      if (std::any_of(first, cells.end(), [](const std::string& cell) { return !cell.empty(); })) table.add(cells);
    }
    return table.text(style_);
  }

  [[nodiscard]] std::string instructions() const {
    std::set<std::string> types;
    for (const auto& [key, record] : topology_->facts) {
      if (!belongs(key, "instruction")) continue;
      const auto end = key.find('.', sizeof("instruction"));
      types.insert(key.substr(0, end));
    }
    Table table({"Instruction", "latency", "per cycle and SM", "warps that saturate"});
    for (const std::string& type : types) {
      if (type == "instruction") continue;
      table.add({type.substr(sizeof("instruction")), show(type + ".completion_latency"), show(type + ".throughput"),
                 show(type + ".ridge_warps")});
    }
    return table.text(style_);
  }

  /// The highest rates of all types in one line, whichever instruction reaches them.
  [[nodiscard]] std::string tensor_cores() const {
    std::map<std::string, double> rates;
    for (const auto& [key, record] : topology_->facts) {
      if (!belongs(key, "tensor") || !key.ends_with(".throughput") || key.ends_with(".sparse.throughput")) continue;
      const std::string type = key.substr(sizeof("tensor"), key.find('.', sizeof("tensor")) - sizeof("tensor"));
      if (const auto rate = number_of(record.value)) rates[type] = std::max(rates[type], *rate);
    }
    std::string text;
    for (const auto& [type, rate] : rates) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", type, rate);
    return text.empty() ? text : "Tensor cores, FLOP/cycle and SM: " + text + "\n";
  }

  /// Additions of integers in one line: what others are compared with.
  [[nodiscard]] std::string atomics() const {
    std::string text;
    for (const std::string space : {"global", "shared"}) {
      const std::string prefix = "atomics." + space + ".add_u32";
      const std::string latency = show(prefix + ".latency");
      const FactRecord* throughput = find(prefix + ".throughput");
      const auto rate = throughput == nullptr ? std::nullopt : number_of(throughput->value);
      if (latency.empty() || !rate) continue;
      text += fmt::format("{}{} memory {}, {:.3g} per cycle and SM", text.empty() ? "" : "; ", space, latency, *rate);
    }
    return text.empty() ? text : "Atomic additions: " + text + "\n";
  }

  /// The banks behind a set of L2, and when they cannot serve a load.
  [[nodiscard]] std::string memory_channels() const {
    const std::string banks = show("dram.channel.banks");
    const std::string conflict = show("dram.bank_conflict_penalty");
    const std::string period = show("dram.refresh.period");
    const std::string duration = show("dram.refresh.duration");
    std::vector<std::string> parts;
    if (!banks.empty()) parts.push_back(banks + " banks a channel");
    if (!conflict.empty()) parts.push_back("two rows of a bank at once cost " + conflict);
    const FactRecord* open = find("dram.row.stays_open");
    if (open != nullptr && truth_of(open->value) == false) parts.emplace_back("a load closes its row");
    if (!period.empty() && !duration.empty()) {
      parts.push_back("a bank refreshes every " + period + " for " + duration);
    }
    return parts.empty() ? "" : fmt::format("Global memory: {}\n", fmt::join(parts, "; "));
  }

  /// Facts of parts that this program does not know: a third party's.
  [[nodiscard]] std::string other_facts() const {
    std::vector<std::string> keys;
    for (const auto& [key, record] : topology_->facts) {
      const std::string part = part_of(*topology_, key);
      if (std::ranges::find(known_parts(), part, &Part::prefix) == known_parts().end()) keys.push_back(key);
    }
    Table table({"Other facts", "value"});
    for (const std::string& key : keys) {
      if (table.size() == most_other_facts) break;
      table.add({key, show(key)});
    }
    return table.text(style_);
  }

  [[nodiscard]] std::string findings() const {
    std::string text;
    for (const std::string& finding : run_findings(*topology_)) text += style_.warning("finding: ") + finding + "\n";
    for (const Finding& finding : disagreements(*topology_)) {
      text += style_.warning("finding: ") + finding_text(finding, *topology_) + "\n";
    }
    return text;
  }

  /// Uncertain facts by their confidence and open questions by their reason: some of each, fewer where they would take
  /// more than `room` lines.
  [[nodiscard]] std::string uncertain(std::size_t room) const {
    std::size_t most = most_entries;
    while (most > 1 && lines_of(uncertain_with(most)) > room) --most;
    return uncertain_with(most);
  }

  [[nodiscard]] std::string uncertain_with(std::size_t most) const {
    std::vector<std::string> entries = cut(doubted_facts(), most);
    for (std::string& entry : cut(open_questions(), most)) entries.push_back(std::move(entry));
    std::string text;
    for (const std::string& entry : entries) {
      std::string indent;
      for (const std::string& line : wrapped(entry, line_width)) text += std::exchange(indent, "    ") + line + "\n";
    }
    return text.empty() ? text : style_.bold("Uncertain") + " (~ marks facts below 99 %)\n" + text;
  }

  [[nodiscard]] std::vector<std::string> doubted_facts() const {
    std::map<std::string, std::vector<std::string>> keys;
    for (const auto& [key, record] : topology_->facts) {
      if (record.confidence < certain) keys[fmt::format("{:.0f} %", 100 * record.confidence)].push_back(key);
    }
    std::vector<std::string> entries;
    for (const auto& [percent, doubted] : keys) entries.push_back(percent + ": " + listed(doubted));
    return entries;
  }

  [[nodiscard]] std::vector<std::string> open_questions() const {
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> keys;
    for (const auto& [key, outcome] : topology_->outcomes) {
      if (is_open(*topology_, key)) keys[{std::string(to_string(outcome.status)), outcome.reason}].push_back(key);
    }
    std::vector<std::string> entries;
    for (const auto& [why, open] : keys) {
      const auto& [status, reason] = why;
      entries.push_back(listed(open) + ": " + status + (reason.empty() ? "" : ", " + visible(reason)));
    }
    return entries;
  }

  static std::string listed(const std::vector<std::string>& keys) {
    const std::size_t count = std::min(keys.size(), most_keys);
    const std::string more = keys.size() > count ? fmt::format(" and {} more", keys.size() - count) : "";
    return fmt::format("{}{}", fmt::join(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count), ", "), more);
  }

  static std::vector<std::string> cut(std::vector<std::string> entries, std::size_t most) {
    if (entries.size() <= most) return entries;
    const std::size_t more = entries.size() - most;
    entries.resize(most);
    entries.push_back("and " + counted(more, "more reason", "more reasons"));
    return entries;
  }

  /// How many facts there are, and where the others are.
  [[nodiscard]] std::string rest() const {
    const std::size_t facts = topology_->facts.size();
    const auto open = static_cast<std::size_t>(std::ranges::count_if(
        topology_->outcomes, [&](const auto& outcome) { return is_open(*topology_, outcome.first); }));
    if (facts == 0 && open == 0) return {};
    return style_.dim(fmt::format("{}, {}; `tomograph show --all` lists them all", counted(facts, "fact", "facts"),
                                  counted(open, "open question", "open questions"))) +
           "\n";
  }

  const Topology* topology_;
  Style style_;
};

}  // namespace

std::string overview(const Topology& topology, bool color) { return Overview(topology, Style(color)).text(); }

}  // namespace tomograph::host
