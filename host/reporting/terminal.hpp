#ifndef TOMOGRAPH_HOST_REPORTING_TERMINAL_HPP
#define TOMOGRAPH_HOST_REPORTING_TERMINAL_HPP

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace tomograph::host {

enum class ColorMode { automatic, always, never };

/// Whether to write ANSI colours to `stream`: automatic means on a terminal, unless NO_COLOR is set.
[[nodiscard]] bool use_color(ColorMode mode, std::FILE* stream);

[[nodiscard]] bool is_terminal(std::FILE* stream);

/// Columns of the terminal behind `stream`, 80 if there is none.
[[nodiscard]] std::size_t terminal_width(std::FILE* stream);

/// Writes a text of one or more lines. Control characters in it, which texts of plugins may have, are escaped
/// (documents/visible_text.hpp).
void print_text(std::FILE* stream, std::string_view text);

/// Writes lines and, on a terminal, a status line below them that is rewritten in place. Elsewhere the status is not
/// shown. Any thread.
class Terminal {
 public:
  explicit Terminal(std::FILE* stream);
  Terminal(std::FILE* stream, bool interactive);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] bool interactive() const { return interactive_; }
  /// Writes a line above the status line. `text` has no newline at its end; those within it are escaped.
  void line(std::string_view text);
  /// Replaces the status line, cut to the width of the terminal. Empty removes it.
  void status(std::string_view text);

 private:
  std::mutex mutex_;
  std::FILE* stream_;
  bool interactive_;
  std::string status_;
};

}  // namespace tomograph::host

#endif
