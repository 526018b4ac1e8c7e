#include "explaining/plot.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "catch.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

const PlotLabels plain{[](double value) { return fmt::format("{:g}", value); },
                       [](double value) { return fmt::format("{:g}", value); }};

PlotData step() {
  return {.x_name = "footprint",
          .y_name = "hits",
          .x = {1, 2, 4, 8, 16, 32, 64, 128},
          .y = {1, 1, 1, 1, 0, 0, 0, 0},
          .mark_x = 8};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a curve is drawn with a logarithmic axis where its steps grow, and its mark at the right place") {
  CHECK(drawn(step(), plain, 20, 3) ==
        "hits\n"
        "1 │⠁ ⠈ ⠈  ⠁\n"
        "  │       ┊\n"
        "0 │       ┊ ⢀  ⡀ ⡀ ⢀\n"
        "   1      8      128\n"
        "   footprint\n");
}

TEST_CASE("no line of a drawing is wider than asked for") {
  for (const std::size_t width : {20, 40, 80, 200}) {
    for (const std::string& line : lines_of(drawn(step(), plain, width, 8))) {
      const auto columns = std::ranges::count_if(line, [](char byte) { return (byte & 0xC0) != 0x80; });
      CHECK(static_cast<std::size_t>(columns) <= width);
    }
  }
}

TEST_CASE("a value on the axis of y is marked by a line with its label") {
  PlotData data = step();
  data.mark_x.reset();
  data.mark_y = 0.5;
  const auto lines = lines_of(drawn(data, plain, 30, 5));
  CHECK_THAT(lines.at(3), ContainsSubstring("0.5 ┤┄"));
}

TEST_CASE("bars of a distribution reach down to zero") {
  const PlotData data{.x_name = "cycles", .y_name = "loads", .x = {10, 20}, .y = {4, 8}, .has_bars = true};
  const auto lines = lines_of(drawn(data, plain, 14, 2));
  CHECK_THAT(lines.at(2), ContainsSubstring("⡇") && ContainsSubstring("⢸"));
}

TEST_CASE("points that are no numbers are left out, and without points nothing is drawn") {
  PlotData data = step();
  data.y.front() = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(drawn(data, plain, 40, 5).empty());
  for (double& y : data.y) y = std::nan("");
  CHECK(drawn(data, plain, 40, 5).empty());
  CHECK(tabulated(data, 10).empty());
  CHECK(drawn({}, plain, 40, 5).empty());
}

TEST_CASE("axes are logarithmic for geometric steps only") {
  CHECK(is_geometric({1, 2, 4, 8, 16, 32}));
  CHECK_FALSE(is_geometric({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  CHECK_FALSE(is_geometric({0, 1, 10, 100}));
  CHECK_FALSE(is_geometric({5, 6, 7}));
}

TEST_CASE("a table has plain numbers alone, the median for each x, and the marked point however many are left out") {
  CHECK(tabulated({.x_name = "x", .y_name = "y", .x = {1, 1, 1, 2}, .y = {3, 9, 5, 7}}, 10) == "x  y\n1  5\n2  7\n");
  PlotData data{.x_name = "x", .y_name = "y"};
  for (int i = 0; i < 100; ++i) {
    data.x.push_back(i);
    data.y.push_back(i * i);
  }
  data.mark_x = 37.2;
  const std::string text = tabulated(data, 10);
  CHECK_THAT(text, ContainsSubstring("\n37  1369\n") && ContainsSubstring("\n99  9801\n") &&
                       ContainsSubstring("(100 points, about one in 10 shown)"));
  CHECK(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}
