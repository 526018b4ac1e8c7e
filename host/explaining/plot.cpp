#include "explaining/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "documents/display_width.hpp"

namespace tomograph::host {
namespace {

constexpr std::size_t dots_across = 2;  // of one Braille character
constexpr std::size_t dots_down = 4;
constexpr double decade = 10;

std::string padded_left(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, display_width(text)), ' ') + text;
}

/// Maps values to positions 0 ... steps - 1.
class Axis {
 public:
  Axis(double low, double high, bool is_logarithmic, std::size_t steps)
      : low_(low), high_(high), is_logarithmic_(is_logarithmic), steps_(static_cast<double>(steps)) {}

  [[nodiscard]] std::size_t position(double value) const {
    const double share = high_ > low_ ? (scaled(value) - scaled(low_)) / (scaled(high_) - scaled(low_)) : 0.5;
    return static_cast<std::size_t>(std::clamp(std::round(share * (steps_ - 1)), 0.0, steps_ - 1));
  }
  [[nodiscard]] bool covers(double value) const { return low_ <= value && value <= high_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  [[nodiscard]] double scaled(double value) const { return is_logarithmic_ ? std::log(value) : value; }

  double low_;
  double high_;
  bool is_logarithmic_;
  double steps_;
};

/// A raster of Braille dots.
class Dots {
 public:
  Dots(std::size_t columns, std::size_t lines) : columns_(columns), cells_(columns * lines) {}

  /// `down` counts from the top.
  void set(std::size_t across, std::size_t down) {
    // Unicode numbers the dots of a Braille character by column, but the lowest row came later (U+2800).
    constexpr std::array<std::array<unsigned, dots_across>, dots_down> bits{
        {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};
    cells_[down / dots_down * columns_ + across / dots_across] |= bits[down % dots_down][across % dots_across];
  }
  /// The character as UTF-8, or nothing if no dot is set.
  [[nodiscard]] std::string character(std::size_t column, std::size_t line) const {
    const unsigned cell = cells_[line * columns_ + column];
    if (cell == 0) return {};
    return {'\xE2', static_cast<char>(0xA0 | (cell >> 6)), static_cast<char>(0x80 | (cell & 0x3F))};
  }

 private:
  std::size_t columns_;
  std::vector<unsigned> cells_;
};

std::vector<std::pair<double, double>> finite_points(const PlotData& data) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    if (std::isfinite(data.x[i]) && std::isfinite(data.y[i])) points.emplace_back(data.x[i], data.y[i]);
  }
  return points;
}

/// The axes of a curve: they hold all points, and the mark where it lies near.
struct Axes {
  Axis x;
  Axis y;
};

Axes axes_of(const PlotData& data, const std::vector<std::pair<double, double>>& points, std::size_t columns,
             std::size_t lines) {
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& [across, up] : points) {
    x.push_back(across);
    y.push_back(up);
  }
  const auto [x_low, x_high] = std::ranges::minmax(x);
  auto [y_low, y_high] = std::ranges::minmax(y);
  if (data.has_bars || (y_low > 0 && y_low < y_high / 2)) y_low = 0;
  if (data.mark_y) y_high = std::max(y_high, std::min(*data.mark_y, 2 * y_high));
  return {Axis(x_low, x_high, is_geometric(x), columns * dots_across), Axis(y_low, y_high, false, lines * dots_down)};
}

Dots dots_of(const PlotData& data, const std::vector<std::pair<double, double>>& points, const Axes& axes,
             std::size_t columns, std::size_t lines) {
  Dots dots(columns, lines);
  const std::size_t bottom = lines * dots_down - 1;
  for (const auto& [x, y] : points) {
    const std::size_t top = bottom - axes.y.position(y);
    dots.set(axes.x.position(x), top);
    for (std::size_t down = top; data.has_bars && y > 0 && down <= bottom; ++down) dots.set(axes.x.position(x), down);
  }
  return dots;
}

std::string y_label(const Axis& y, const PlotLabels& labels, std::size_t line, std::size_t lines) {
  if (line == 0) return labels.y(y.high());
  return line + 1 == lines ? labels.y(y.low()) : std::string();
}

/// The line below the curve: both ends of x, and the mark between them if it does not touch these.
std::string x_line(const Axis& x, const PlotData& data, const PlotLabels& labels, std::size_t columns) {
  const std::string low = labels.x(x.low());
  const std::string high = labels.x(x.high());
  std::string line = low;
  if (data.mark_x && x.covers(*data.mark_x)) {
    const std::string mark = labels.x(*data.mark_x);
    const std::size_t at = x.position(*data.mark_x) / dots_across;
    const std::size_t begin = at - std::min(at, display_width(mark) / 2);
    const bool fits =
        begin > display_width(line) + 1 && begin + display_width(mark) + 1 + display_width(high) < columns;
    if (fits) line += std::string(begin - display_width(line), ' ') + mark;
  }
  const std::size_t used = display_width(line) + display_width(high);
  return line + std::string(columns > used ? columns - used : 1, ' ') + high;
}

}  // namespace

bool is_geometric(const std::vector<double>& values) {
  if (values.size() < 3) return false;
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  if (sorted.front() <= 0 || sorted.back() / sorted.front() < decade) return false;
  // Where steps grow with the values, the median lies near the geometric mean of the ends, far below their middle.
  return sorted[sorted.size() / 2] < (sorted.front() + sorted.back()) / 4;
}

std::string drawn(const PlotData& data, const PlotLabels& labels, std::size_t width, std::size_t height) {
  const auto points = finite_points(data);
  if (points.empty()) return {};
  const Axes limits = axes_of(data, points, 1, height);
  const std::size_t margin =
      std::max({display_width(labels.y(limits.y.high())), display_width(labels.y(limits.y.low())),
                data.mark_y ? display_width(labels.y(*data.mark_y)) : 0}) +
      2;
  constexpr std::size_t least_columns = 10;
  const std::size_t columns = std::max(width - std::min(width, margin), least_columns);
  const Axes axes = axes_of(data, points, columns, height);
  const Dots dots = dots_of(data, points, axes, columns, height);
  const bool has_column = data.mark_x && axes.x.covers(*data.mark_x);
  const bool has_line = data.mark_y && axes.y.covers(*data.mark_y);
  const std::size_t column_of_mark = has_column ? axes.x.position(*data.mark_x) / dots_across : 0;
  const std::size_t line_of_mark = has_line ? height - 1 - axes.y.position(*data.mark_y) / dots_down : 0;
  std::string text = padded_left(data.y_name, std::max(margin - 1, display_width(data.y_name))) + "\n";
  for (std::size_t line = 0; line < height; ++line) {
    const bool is_marked = has_line && line == line_of_mark;
    std::string row =
        padded_left(is_marked ? labels.y(*data.mark_y) : y_label(axes.y, labels, line, height), margin - 2) +
        (is_marked ? " ┤" : " │");
    for (std::size_t column = 0; column < columns; ++column) {
      const std::string character = dots.character(column, line);
      const bool is_mark = has_column && column == column_of_mark;
      row += !character.empty() ? character : is_mark ? "┊" : is_marked ? "┄" : " ";
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  const std::string indent(margin, ' ');
  return text + indent + x_line(axes.x, data, labels, columns) + "\n" + indent + data.x_name + "\n";
}

std::string tabulated(const PlotData& data, std::size_t most_rows) {
  std::map<double, std::vector<double>> by_x;
  for (const auto& [x, y] : finite_points(data)) by_x[x].push_back(y);
  if (by_x.empty()) return {};
  std::vector<std::pair<double, double>> rows;
  for (auto& [x, all] : by_x) {
    std::ranges::sort(all);
    rows.emplace_back(x, all[all.size() / 2]);
  }
  std::string text = data.x_name + "  " + data.y_name + "\n";
  const std::size_t step = (rows.size() + most_rows - 1) / most_rows;
  const double mark = data.mark_x.value_or(rows.front().first);
  const auto nearest = std::ranges::min_element(
      rows, {}, [mark](const std::pair<double, double>& row) { return std::abs(row.first - mark); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_marked = data.mark_x && i == static_cast<std::size_t>(nearest - rows.begin());
    if (i % step != 0 && i + 1 != rows.size() && !is_marked) continue;
    text += fmt::format("{:.9g}  {:.6g}\n", rows[i].first, rows[i].second);
  }
  if (step > 1) text += fmt::format("({} points, about one in {} shown)\n", rows.size(), step);
  return text;
}

}  // namespace tomograph::host
