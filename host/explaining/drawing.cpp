#include "explaining/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <variant>
#include <vector>

namespace tomograph::host {
namespace {

/// A column as real numbers.
struct Column {
  std::string name;
  std::vector<double> values;
};

std::vector<Column> columns_of(const Curve& curve) {
  std::vector<Column> columns;
  for (const NamedArray& array : curve) {
    Column column{array.name, {}};
    std::visit([&](const auto& numbers) { column.values.assign(numbers.begin(), numbers.end()); }, array.numbers);
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Columns may come in sets with a common prefix, "read.threads" beside "write.threads": keeps the set that the last
/// word of the key names, or else the first. The prefix is dropped.
std::vector<Column> one_set(std::vector<Column> columns, const std::string& key) {
  if (columns.empty() || columns.front().name.find('.') == std::string::npos) return columns;
  const auto prefix_of = [](const std::string& name) { return name.substr(0, name.find('.')); };
  const std::string last_word = key.substr(key.rfind('.') + 1);
  const bool is_named = std::ranges::any_of(columns, [&](const auto& one) { return prefix_of(one.name) == last_word; });
  const std::string chosen = is_named ? last_word : prefix_of(columns.front().name);
  std::erase_if(columns, [&](const Column& column) { return prefix_of(column.name) != chosen; });
  for (Column& column : columns) column.name = column.name.substr(column.name.find('.') + 1);
  return columns;
}

bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || name[at - 1] == '_') && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

bool counts_trials(const Column& column) { return column.name == "tested" || column.name == "pairs"; }

std::size_t distinct(const std::vector<double>& values) { return std::set(values.begin(), values.end()).size(); }

/// Values in bins: of whole values if these are few, else of equal width.
PlotData distribution(const std::vector<double>& values, const std::string& name) {
  constexpr double most_bins = 120;
  // A few stragglers, such as interrupted loads, must not squeeze the rest into one bin.
  constexpr double shown_share = 0.995;
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const auto last = static_cast<std::size_t>(std::ceil(shown_share * static_cast<double>(sorted.size() - 1)));
  const double low = sorted.front();
  const double width = std::max((sorted[last] - low) / most_bins, std::abs(low) * 1e-12);
  std::vector<double> counts(static_cast<std::size_t>(most_bins) + 1);
  for (const double value : std::span(sorted).first(last + 1)) {
    ++counts[std::min(static_cast<std::size_t>(width > 0 ? (value - low) / width : 0), counts.size() - 1)];
  }
  PlotData data{.x_name = name, .y_name = "measurements", .x = {}, .y = {}, .has_bars = true};
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] == 0) continue;
    data.x.push_back(low + width * static_cast<double>(bin));
    data.y.push_back(counts[bin]);
  }
  return data;
}

/// The finite values of these columns, under their names, of many under the first ones.
Column joined(const std::vector<Column>& columns) {
  constexpr std::size_t most_names = 3;
  Column all;
  std::size_t count = 0;
  for (const Column& column : columns) {
    if (column.values.empty()) continue;
    std::ranges::copy_if(column.values, std::back_inserter(all.values),
                         [](double value) { return std::isfinite(value); });
    if (++count <= most_names) all.name += (count == 1 ? "" : ", ") + column.name;
  }
  if (count > most_names) all.name += " and " + std::to_string(count - most_names) + " more";
  return all;
}

bool varies(const Column& column) { return distinct(joined({column}).values) > 1; }

/// The single measurements in this unit, which must not be empty.
Column joined_in_unit(std::vector<Column> columns, const std::string& unit) {
  std::erase_if(columns, [&](const Column& column) {
    return unit_of_column(column.name) != unit || column.name.find("_by_") != std::string::npos;
  });
  return joined(columns);
}

/// What is drawn as a distribution: the columns in the fact's unit, or else in the first unit in which any varies, or
/// else the first column that varies. Empty if none does.
Column distributed(const std::vector<Column>& columns, const std::string& unit_of_fact) {
  std::vector<std::string> units{unit_of_fact};
  for (const Column& column : columns) units.push_back(unit_of_column(column.name));
  for (const std::string& unit : units) {
    if (unit.empty()) continue;
    if (Column found = joined_in_unit(columns, unit); varies(found)) return found;
  }
  const auto found = std::ranges::find_if(columns, varies);
  return found == columns.end() ? Column() : joined({*found});
}

std::optional<Drawing> drawn_distribution(const std::vector<Column>& columns, const FactRecord& fact) {
  const Column values = distributed(columns, fact.unit);
  if (values.values.empty()) return std::nullopt;
  const std::string first_name = values.name.substr(0, values.name.find(','));
  return Drawing{distribution(values.values, values.name), unit_of_column(first_name), ""};
}

/// The column that is drawn over another, with its place among the columns.
struct ChosenY {
  std::size_t place = 0;
  Column column;
};

ChosenY chosen_y(const std::vector<Column>& columns, const FactRecord& fact) {
  const auto trials = std::ranges::find_if(columns, counts_trials);
  if (trials != columns.end() && trials + 1 != columns.end()) {
    Column share{"share " + (trials + 1)->name + " of " + trials->name, (trials + 1)->values};
    for (std::size_t i = 0; i < share.values.size(); ++i) share.values[i] /= trials->values[i];
    return {static_cast<std::size_t>(trials - columns.begin()), share};
  }
  const auto in_unit = std::find_if(columns.begin() + 1, columns.end(), [&](const Column& column) {
    return !fact.unit.empty() && unit_of_column(column.name) == fact.unit;
  });
  const auto result = std::find_if(columns.begin() + 1, columns.end(), [](const Column& column) {
    return has_word(column.name, "cycles") || has_word(column.name, "bandwidth");
  });
  const auto y = in_unit != columns.end() ? in_unit : result != columns.end() ? result : columns.end() - 1;
  return {static_cast<std::size_t>(y - columns.begin()), *y};
}

std::optional<Drawing> drawn_over(const std::vector<Column>& columns, const FactRecord& fact) {
  const ChosenY y = chosen_y(columns, fact);
  if (y.place == 0) return std::nullopt;
  const auto x = std::ranges::max_element(std::span(columns).first(y.place), {},
                                          [](const Column& column) { return distinct(column.values); });
  if (distinct(x->values) < 2) return std::nullopt;
  Drawing drawing{{.x_name = x->name, .y_name = y.column.name, .x = x->values, .y = y.column.values},
                  unit_of_column(x->name),
                  unit_of_column(y.column.name)};
  if (drawing.y_unit.empty() && has_word(y.column.name, "bandwidth")) drawing.y_unit = fact.unit;
  return drawing;
}

void mark(Drawing& drawing, const FactRecord& fact) {
  if (!fact.value.is_number() || fact.unit.empty() || fact.unit == "1") return;
  if (fact.unit == drawing.x_unit) {
    drawing.plot.mark_x = fact.value.get<double>();
  } else if (fact.unit == drawing.y_unit) {
    drawing.plot.mark_y = fact.value.get<double>();
  }
}

}  // namespace

std::string unit_of_column(std::string_view name) {
  if (name.find("bytes_per_cycle") != std::string_view::npos) return "B/cycle";
  if (name.find("bytes_per_second") != std::string_view::npos) return "B/s";
  if (has_word(name, "cycles")) return "cycle";
  if (name.ends_with("_B") || has_word(name, "bytes")) return "B";
  return {};
}

std::optional<Drawing> drawing_of(const std::string& key, const FactRecord& fact, const Curve& curve) {
  const std::vector<Column> all = one_set(columns_of(curve), key);
  if (all.empty()) return std::nullopt;
  std::vector<Column> alike;
  for (const Column& column : all) {
    if (column.values.size() != all.front().values.size()) break;
    alike.push_back(column);
  }
  const bool is_list = alike.size() == 1 || unit_of_column(all.front().name) == "cycle";
  std::optional<Drawing> drawing = is_list ? std::nullopt : drawn_over(alike, fact);
  if (!drawing) drawing = drawn_distribution(all, fact);
  if (drawing) mark(*drawing, fact);
  return drawing;
}

}  // namespace tomograph::host
