#ifndef TOMOGRAPH_HOST_REPORTING_TABLE_HPP
#define TOMOGRAPH_HOST_REPORTING_TABLE_HPP

#include <string>
#include <string_view>
#include <vector>

#include "reporting/style.hpp"

namespace tomograph::host {

/// `text` in lines of at most `width` columns, broken between words; a longer word stands alone.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Rows of equally many texts, one line for each row, columns aligned. Without newlines.
[[nodiscard]] std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& rows);

/// Rows of text in aligned columns under a header. A column that is empty in every row is left out.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  /// `cells` has one text for each column of the header; the first names the row. Control characters are escaped.
  void add(const std::vector<std::string>& cells);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  /// One line for the header and for each row, each with a newline; nothing without rows.
  [[nodiscard]] std::string text(const Style& style) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tomograph::host

#endif
