#ifndef TOMOGRAPH_SIM_GPU_SECTION_HPP
#define TOMOGRAPH_SIM_GPU_SECTION_HPP

#include <toml++/impl/forward_declarations.h>  // toml.h takes seconds to compile, and only section.cpp needs it

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tomograph::sim {

/// "file:line:column: key: problem", thrown as DescriptionError.
[[noreturn]] void refuse(std::string_view file, const toml::node& where, const std::string& key,
                         const std::string& problem);

/// One table of a description. A value that is missing or of the wrong type is refused at its place.
class Section {
 public:
  Section(const toml::table& table, std::string path, std::string_view file)
      : table_(&table), path_(std::move(path)), file_(file) {}

  /// The keys of the table.
  [[nodiscard]] std::vector<std::string> keys() const;

  /// @throws DescriptionError if the table holds a key that is not among `known`. To be called first: a
  /// misspelt key looks like a missing one to all other rules.
  void expect_only(const std::vector<std::string>& known) const;

  [[nodiscard]] bool has(const char* key) const { return find(key) != nullptr; }

  [[nodiscard]] std::int64_t integer(const char* key) const;
  [[nodiscard]] std::int64_t integer(const char* key, std::int64_t fallback) const;
  /// At least 1: for what others are divided by.
  [[nodiscard]] std::int64_t positive(const char* key) const;
  [[nodiscard]] double number(const char* key) const;
  [[nodiscard]] double number(const char* key, double fallback) const;
  [[nodiscard]] bool boolean(const char* key, bool fallback) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const char* key) const;
  [[nodiscard]] std::vector<double> numbers(const char* key) const;
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  /// An array of arrays.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> integer_lists(const char* key) const;
  [[nodiscard]] bool is_text(const char* key) const;
  [[nodiscard]] bool is_array(const char* key) const;

  /// What `text`, found under `key`, stands for. @throws DescriptionError naming the nearest word if it is none.
  template <typename Value>
  [[nodiscard]] Value word(const char* key, const std::string& text,
                           const std::vector<std::pair<std::string, Value>>& vocabulary) const {
    std::vector<std::string> known;
    for (const auto& [name, value] : vocabulary) {
      if (name == text) return value;
      known.push_back(name);
    }
    refuse_word(key, text, known);
  }

  /// The table under `key`; the optional form gives nothing if it is absent.
  [[nodiscard]] Section section(const char* key) const;
  [[nodiscard]] std::optional<Section> optional_section(const char* key) const;
  /// The tables in the table under `key` and their names, by name; none if it is absent.
  [[nodiscard]] std::vector<std::pair<std::string, Section>> named_sections(const char* key) const;
  /// The tables of an array of tables, none if it is absent.
  [[nodiscard]] std::vector<Section> sections(const char* key) const;

  [[nodiscard]] std::string path_of(const char* key) const { return path_.empty() ? key : path_ + "." + key; }
  [[noreturn]] void refuse(const char* key, const std::string& problem) const;

 private:
  [[noreturn]] void refuse_word(const char* key, const std::string& text, const std::vector<std::string>& known) const;
  [[nodiscard]] const toml::node* find(const char* key) const;
  [[nodiscard]] const toml::node& required(const char* key) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const toml::array& array, const char* key) const;
  [[nodiscard]] const toml::array& array(const char* key, const char* of) const;

  const toml::table* table_;
  std::string path_;
  std::string_view file_;
};

}  // namespace tomograph::sim

#endif
