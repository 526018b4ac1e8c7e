#include "reporting/table.hpp"

#include <algorithm>
#include <sstream>

#include "documents/display_width.hpp"
#include "documents/visible_text.hpp"

namespace tomograph::host {
namespace {

constexpr std::string_view gap = "  ";

/// The cells one below another; `widths` is 0 for a column that is left out.
std::string aligned(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    if (widths[column] == 0) continue;
    if (!line.empty()) line += gap;
    line += cells[column] + std::string(widths[column] - display_width(cells[column]), ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// The widest cell of each of `count` columns.
std::vector<std::size_t> widest(const std::vector<std::vector<std::string>>& rows, std::size_t count) {
  std::vector<std::size_t> widths(count, 0);
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < count; ++column) {
      widths[column] = std::max(widths[column], display_width(row[column]));
    }
  }
  return widths;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    word = visible(word);
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> lines;
  if (rows.empty()) return lines;
  const auto widths = widest(rows, rows.front().size());
  for (const auto& row : rows) lines.push_back(aligned(row, widths));
  return lines;
}

void Table::add(const std::vector<std::string>& cells) {
  std::vector<std::string>& row = rows_.emplace_back();
  for (const std::string& cell : cells) row.push_back(visible(cell));
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths = widest(rows_, header_.size());
  for (std::size_t column = 0; column < header_.size(); ++column) {
    if (widths[column] > 0) widths[column] = std::max(widths[column], display_width(header_[column]));
  }
  return widths;
}

std::string Table::text(const Style& style) const {
  if (rows_.empty()) return {};
  const auto widths = this->widths();
  std::string text = style.bold(aligned(header_, widths)) + "\n";
  for (const auto& row : rows_) text += aligned(row, widths) + "\n";
  return text;
}

}  // namespace tomograph::host
