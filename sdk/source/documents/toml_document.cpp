#include "tomograph/documents/toml_document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "tomograph/documents/file_content.hpp"
#include "tomograph/documents/toml_nesting.hpp"
#include "tomograph/documents/toml_text.hpp"

namespace tomograph {
namespace {

using Json = nlohmann::json;

/// Limit of nesting. Documents are processed by recursion; real files have less than 10 levels.
constexpr std::size_t most_levels = 200;
/// Limit of a name in bytes. std::regex needs stack for each character that a schema's pattern matches.
constexpr std::size_t longest_name = 1000;

TomlPosition position_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

std::string escaped(std::string_view token) {
  std::string result;
  for (const char c : token) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

/// Copies a TOML tree and records the position of each key.
class Converter {
 public:
  explicit Converter(TomlDocument& document) : document_(&document) {}

  Json convert(const toml::node& node, const std::string& pointer) {
    if (const auto* table = node.as_table()) return convert_table(*table, pointer);
    if (const auto* array = node.as_array()) return convert_array(*array, pointer);
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* boolean = node.as_boolean()) return boolean->get();
    if (const auto* real = node.as_floating_point()) return finite(real->get(), pointer);
    std::ostringstream date_or_time;
    date_or_time << toml::node_view(node);
    return date_or_time.str();
  }

 private:
  /// Counts one level of nesting for as long as it lives.
  class Level {
   public:
    Level(Converter& converter, const std::string& pointer) : converter_(&converter) {
      if (++converter.levels_ <= most_levels) return;
      Problem problem = converter.document_->at(pointer, fmt::format("lies more than {} levels deep", most_levels));
      problem.key.clear();  // which would be as long as it is deep
      throw InputError(std::move(problem));
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --converter_->levels_; }

   private:
    Converter* converter_;
  };

  [[nodiscard]] Problem too_long(std::string_view name, TomlPosition position) const {
    return {.file = document_->file.string(),
            .line = position.line,
            .column = position.column,
            .message = fmt::format("expected a name of at most {} bytes, found one of {}", longest_name, name.size())};
  }

  Json convert_table(const toml::table& table, const std::string& pointer) {
    const Level level(*this, pointer);
    Json object = Json::object();
    for (const auto& [key, value] : table) {
      const TomlPosition position = position_of(key.source());
      if (key.str().size() > longest_name) throw InputError(too_long(key.str(), position));
      const std::string child = pointer + '/' + escaped(key.str());
      document_->positions[child] = position;
      object[std::string(key.str())] = convert(value, child);
    }
    return object;
  }

  Json convert_array(const toml::array& array, const std::string& pointer) {
    const Level level(*this, pointer);
    Json list = Json::array();
    for (const toml::node& value : array) {
      const std::string child = fmt::format("{}/{}", pointer, list.size());
      document_->positions[child] = position_of(value.source());
      list.push_back(convert(value, child));
    }
    return list;
  }

  Json finite(double value, const std::string& pointer) {
    if (!std::isfinite(value)) throw InputError(document_->at(pointer, "expected a finite number"));
    return value;
  }

  TomlDocument* document_;
  std::size_t levels_ = 0;
};

/// The reference after "#:schema" in the comment lines at the top.
std::string schema_directive(std::string_view text) {
  constexpr std::string_view directive = "#:schema ";
  while (text.starts_with('#')) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(directive)) {
      const std::string_view reference = line.substr(directive.size());
      return std::string(reference.substr(0, reference.find_last_not_of(" \r\t") + 1));
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

std::string unescaped(std::string token) {
  for (std::size_t at = 0; (at = token.find('~', at)) != std::string::npos; ++at) {
    token.replace(at, 2, token.substr(at, 2) == "~1" ? "/" : "~");
  }
  return token;
}

const Json* child_of(const Json* node, const std::string& token) {
  if (node == nullptr || !node->is_structured()) return nullptr;
  const Json::json_pointer child("/" + escaped(token));
  return node->contains(child) ? &node->at(child) : nullptr;
}

std::string with_lower_first(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

}  // namespace

Problem TomlDocument::at(const std::string& pointer, std::string message) const {
  Problem problem{.file = file.string(), .key = toml_key(value, pointer), .message = std::move(message)};
  for (std::string place = pointer; !place.empty(); place.resize(place.rfind('/'))) {
    const auto found = positions.find(place);
    if (found == positions.end()) continue;
    problem.line = found->second.line;
    problem.column = found->second.column;
    break;
  }
  return problem;
}

TomlDocument read_toml(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(Problem{.file = path.string(), .message = "expected a TOML file, but this is a folder"});
  }
  std::string text;
  try {
    text = file_content(path);
  } catch (const std::runtime_error& error) {
    throw InputError(Problem{.file = path.string(), .message = error.what()});
  }
  return parse_toml(text, path);
}

TomlDocument parse_toml(std::string_view text, const std::filesystem::path& path) {
  if (const auto line = line_of_deep_key(text)) {
    throw InputError(Problem{.file = path.string(),
                             .line = *line,
                             .message = fmt::format("expected a key of at most {} parts", most_key_parts)});
  }
  TomlDocument document{.file = path, .value = Json::object(), .positions = {}, .schema = schema_directive(text)};
  try {
    document.value = Converter(document).convert(toml::parse(text), "");
  } catch (const toml::parse_error& error) {
    const TomlPosition position = position_of(error.source());
    throw InputError(Problem{.file = path.string(),
                             .line = position.line,
                             .column = position.column,
                             .message = "malformed TOML: " + with_lower_first(std::string(error.description()))});
  }
  return document;
}

std::string pointer_to(const std::string& parent, std::string_view key) { return parent + '/' + escaped(key); }

std::string toml_key(const Json& root, const std::string& pointer) {
  std::string result;
  const Json* node = &root;
  for (std::size_t begin = 1; begin <= pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    const std::string token = unescaped(pointer.substr(begin, end - begin));
    begin = end + 1;
    if (node != nullptr && node->is_array()) {
      result += '[' + token + ']';
    } else {
      if (!result.empty()) result += '.';
      result += toml_name(token);
    }
    node = child_of(node, token);
  }
  return result;
}

}  // namespace tomograph
