#ifndef TOMOGRAPH_HOST_REPORTING_STYLE_HPP
#define TOMOGRAPH_HOST_REPORTING_STYLE_HPP

#include <string>

namespace tomograph::host {

/// ANSI emphasis for text on a terminal; leaves the text as it is where colour is off.
class Style {
 public:
  explicit Style(bool color) : color_(color) {}
  [[nodiscard]] std::string bold(const std::string& text) const { return with("1", text); }
  [[nodiscard]] std::string dim(const std::string& text) const { return with("2", text); }
  [[nodiscard]] std::string warning(const std::string& text) const { return with("33", text); }

 private:
  [[nodiscard]] std::string with(const char* code, const std::string& text) const {
    return color_ && !text.empty() ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
  }
  bool color_;
};

}  // namespace tomograph::host

#endif
