#ifndef TOMOGRAPH_SIM_GPU_SECTION_HPP
#define TOMOGRAPH_SIM_GPU_SECTION_HPP

#include <cstdint>
#include <nlohmann/json_fwd.hpp>  // the whole header takes seconds to compile, and only section.cpp needs it
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tomograph {
struct TomlDocument;
}

namespace tomograph::sim {

/// One table of a description that its schema has accepted: every value has the type and range that the schema gives
/// its key, required keys are there, and no key is unknown.
class Section {
 public:
  /// The table of `document` at a JSON pointer, the whole description by default. `document` must outlive the object.
  explicit Section(const TomlDocument& document, std::string pointer = {});

  /// The keys of the table.
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] bool has(const char* key) const { return find(key) != nullptr; }
  [[nodiscard]] bool is_text(const char* key) const;
  [[nodiscard]] bool is_array(const char* key) const;

  /// The value of a key that is there, or `fallback` if it is not.
  [[nodiscard]] std::int64_t integer(const char* key) const;
  [[nodiscard]] std::int64_t integer(const char* key, std::int64_t fallback) const;
  [[nodiscard]] double number(const char* key) const;
  [[nodiscard]] double number(const char* key, double fallback) const;
  [[nodiscard]] bool boolean(const char* key, bool fallback) const;
  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const char* key) const;
  [[nodiscard]] std::vector<double> numbers(const char* key) const;
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  /// An array of arrays.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> integer_lists(const char* key) const;

  /// The table under `key`; the optional form gives nothing if it is absent.
  [[nodiscard]] Section section(const char* key) const;
  [[nodiscard]] std::optional<Section> optional_section(const char* key) const;
  /// The tables in the table under `key` and their names, by name; none if it is absent.
  [[nodiscard]] std::vector<std::pair<std::string, Section>> named_sections(const char* key) const;
  /// The tables of an array of tables, none if it is absent.
  [[nodiscard]] std::vector<Section> sections(const char* key) const;

  /// @throws DescriptionError with the place of `key`, or of the table if the key is absent.
  [[noreturn]] void refuse(const char* key, const std::string& problem) const;

 private:
  [[nodiscard]] const nlohmann::json* find(const char* key) const;
  [[nodiscard]] std::string pointer_of(const std::string& key) const;

  const TomlDocument* document_;
  std::string pointer_;
  const nlohmann::json* table_;
};

/// What `word`, which the schema enumerates, stands for in `vocabulary`.
template <typename Value>
[[nodiscard]] Value meaning(const std::string& word, const std::vector<std::pair<std::string, Value>>& vocabulary) {
  for (const auto& [name, value] : vocabulary) {
    if (name == word) return value;
  }
  throw std::logic_error("the schema allows " + word + ", which has no meaning");
}

}  // namespace tomograph::sim

#endif
