#include "sim/gpu/section.hpp"

#include "sim/gpu/reader.hpp"
#include "tomograph/documents/toml_document.hpp"

namespace tomograph::sim {

Section::Section(const TomlDocument& document, std::string pointer)
    : document_(&document),
      pointer_(std::move(pointer)),
      table_(&document.value.at(nlohmann::json::json_pointer(pointer_))) {}

std::string Section::pointer_of(const std::string& key) const { return pointer_to(pointer_, key); }

void Section::refuse(const char* key, const std::string& problem) const {
  throw DescriptionError(to_string(document_->at(pointer_of(key), problem)));
}

const nlohmann::json* Section::find(const char* key) const {
  const auto found = table_->find(key);
  return found == table_->end() ? nullptr : &*found;
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : table_->items()) keys.push_back(key);
  return keys;
}

bool Section::is_text(const char* key) const { return has(key) && find(key)->is_string(); }
bool Section::is_array(const char* key) const { return has(key) && find(key)->is_array(); }

std::int64_t Section::integer(const char* key) const { return table_->at(key); }
std::int64_t Section::integer(const char* key, std::int64_t fallback) const {
  return has(key) ? integer(key) : fallback;
}
double Section::number(const char* key) const { return table_->at(key); }
double Section::number(const char* key, double fallback) const { return has(key) ? number(key) : fallback; }
bool Section::boolean(const char* key, bool fallback) const { return table_->value(key, fallback); }
std::string Section::text(const char* key) const { return table_->at(key); }
std::vector<std::int64_t> Section::integers(const char* key) const { return table_->at(key); }
std::vector<double> Section::numbers(const char* key) const { return table_->at(key); }
std::vector<std::string> Section::texts(const char* key) const { return table_->at(key); }
std::vector<std::vector<std::int64_t>> Section::integer_lists(const char* key) const { return table_->at(key); }

Section Section::section(const char* key) const { return Section(*document_, pointer_of(key)); }

std::optional<Section> Section::optional_section(const char* key) const {
  return has(key) ? std::optional(section(key)) : std::nullopt;
}

std::vector<std::pair<std::string, Section>> Section::named_sections(const char* key) const {
  std::vector<std::pair<std::string, Section>> named;
  if (!has(key)) return named;
  const Section all = section(key);
  for (const std::string& name : all.keys()) named.emplace_back(name, all.section(name.c_str()));
  return named;
}

std::vector<Section> Section::sections(const char* key) const {
  std::vector<Section> sections;
  if (!has(key)) return sections;
  const std::string array = pointer_of(key);
  for (std::size_t i = 0; i < find(key)->size(); ++i) {
    sections.emplace_back(*document_, pointer_to(array, std::to_string(i)));
  }
  return sections;
}

}  // namespace tomograph::sim
