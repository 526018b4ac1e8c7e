#ifndef TOMOGRAPH_HOST_EXPLAINING_PLOT_HPP
#define TOMOGRAPH_HOST_EXPLAINING_PLOT_HPP

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Curves as text. Pure functions.
namespace tomograph::host {

/// The points of one curve, and the value that was read off it.
struct PlotData {
  std::string x_name = {};
  std::string y_name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};  ///< as many as x
  bool has_bars = false;       ///< a distribution: each point stands for a bin and reaches down to zero
  std::optional<double> mark_x = {};
  std::optional<double> mark_y = {};
};

/// Writes numbers of an axis for people, e.g. "236.5 KiB".
struct PlotLabels {
  std::function<std::string(double)> x;
  std::function<std::string(double)> y;
};

/// Whether an axis is better logarithmic: all values are positive, span more than a decade, and half of their range
/// holds nearly all of them.
[[nodiscard]] bool is_geometric(const std::vector<double>& values);

/// The curve in Braille dots with its axes, `width` columns wide and `height` lines high besides the labels of x. The
/// mark is a line of '┊' or '┄' with its label. Points that are not finite are left out. Ends with a newline; empty
/// without points.
[[nodiscard]] std::string drawn(const PlotData& data, const PlotLabels& labels, std::size_t width, std::size_t height);

/// The curve as rows "x y" of plain numbers under the names of the axes: for each x the median of y. Of more than
/// `most_rows` rows, rows at even distances and the one nearest to the mark, with a line that says so.
[[nodiscard]] std::string tabulated(const PlotData& data, std::size_t most_rows);

}  // namespace tomograph::host

#endif
