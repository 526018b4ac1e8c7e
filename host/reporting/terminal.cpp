#include "reporting/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "documents/visible_text.hpp"

namespace tomograph::host {
namespace {

constexpr std::string_view clear_line = "\r\x1b[K";

/// As much of a UTF-8 text as fits into `width` columns, counting one column per code point.
std::string_view cut(std::string_view text, std::size_t width) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (begins_character && columns++ == width) return text.substr(0, i);
  }
  return text;
}

/// What cannot be written is lost, as a message must not end the run that it tells about. The stream remembers that it
/// failed.
void put(std::FILE* stream, std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stream));
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

std::size_t terminal_width(std::FILE* stream) {
  constexpr std::size_t usual_width = 80;
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual_width;
  return size.ws_col;
}

bool use_color(ColorMode mode, std::FILE* stream) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  const char* no_color = std::getenv("NO_COLOR");
  return is_terminal(stream) && (no_color == nullptr || *no_color == '\0');
}

void print_text(std::FILE* stream, std::string_view text) { put(stream, visible_lines(text)); }

Terminal::Terminal(std::FILE* stream) : Terminal(stream, is_terminal(stream)) {}
Terminal::Terminal(std::FILE* stream, bool interactive) : stream_(stream), interactive_(interactive) {}
Terminal::~Terminal() { status({}); }

void Terminal::line(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  if (status_.empty()) {
    put(stream_, visible(text) + "\n");
  } else {
    put(stream_, fmt::format("{}{}\n{}", clear_line, visible(text), status_));
  }
  std::fflush(stream_);
}

void Terminal::status(std::string_view text) {
  if (!interactive_) return;
  const std::scoped_lock lock(mutex_);
  const std::string shown = visible(text);
  const std::string_view fitting = cut(shown, terminal_width(stream_) - 1);
  if (fitting == status_) return;
  status_ = fitting;
  put(stream_, fmt::format("{}{}", clear_line, status_));
  std::fflush(stream_);
}

}  // namespace tomograph::host
