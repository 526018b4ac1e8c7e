#include "loading/names.hpp"

#include <algorithm>
#include <array>

namespace tomograph::host {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view letters_digits = "abcdefghijklmnopqrstuvwxyz0123456789";

bool made_of(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letters_digits.find(c) != std::string_view::npos || extra.find(c) != std::string_view::npos;
  });
}

template <typename IsWord>
bool all_words(std::string_view text, char separator, IsWord is_word) {
  while (true) {
    const std::size_t end = text.find(separator);
    const std::string_view word = text.substr(0, end);
    if (word.empty() || !is_word(word)) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool starts_with_letter(std::string_view text) {
  return !text.empty() && letters.find(text.front()) != std::string_view::npos;
}

}  // namespace

bool is_plugin_id(std::string_view text) {
  return all_words(text, '.', [](std::string_view word) { return made_of(word, "-"); });
}
bool is_probe_name(std::string_view text) { return !text.empty() && made_of(text, "._-"); }
bool is_device_id(std::string_view text) { return starts_with_letter(text) && made_of(text, "_-"); }
bool is_file_suffix(std::string_view text) {
  return text.size() > 1 && text.front() == '.' && made_of(text.substr(1), "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-");
}
bool is_parameter_name(std::string_view text) { return starts_with_letter(text) && made_of(text, "_"); }
bool is_fact_key(std::string_view text) {
  return all_words(text, '.', [](std::string_view word) { return made_of(word, "_"); });
}
bool is_method_name(std::string_view text) { return starts_with_letter(text) && made_of(text, ""); }
bool is_experiment_id(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view number = text.substr(slash + 1);
  return all_words(text.substr(0, slash), '.', [](std::string_view word) { return made_of(word, "_-"); }) &&
         !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
}
bool is_version(std::string_view text) {
  const auto is_number = [](std::string_view word) {
    return word.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return std::count(text.begin(), text.end(), '.') == 2 && all_words(text, '.', is_number);
}

std::span<const std::string_view> units() {
  static constexpr std::array<std::string_view, 9> known{"B", "cycle", "B/cycle", "FLOP/cycle", "B/s", "Hz",
                                                         "s", "1",     ""};
  return known;
}
bool is_unit(std::string_view text) { return std::ranges::find(units(), text) != units().end(); }

}  // namespace tomograph::host
