#include "topology/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <variant>

#include "tomograph/documents/file_content.hpp"
#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {
namespace {

using OrderedJson = nlohmann::ordered_json;  // keeps the columns in their order

constexpr int schema_version = 1;

std::string quoted(const std::string& text) {
  return OrderedJson(text).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Numbers that are not finite become null.
std::string list(const Numbers& numbers) {
  return std::visit([](const auto& elements) { return OrderedJson(elements).dump(); }, numbers);
}

std::string object(const std::vector<std::pair<std::string, std::string>>& members, int depth) {
  if (members.empty()) return "{}";
  const std::string indent(static_cast<std::size_t>(depth), ' ');
  std::string text;
  for (const auto& [name, value] : members) {
    text += fmt::format("{}\n{}{}: {}", text.empty() ? "" : ",", indent, quoted(name), value);
  }
  return "{" + text + "\n" + indent.substr(1) + "}";
}

std::string curve_text(const Curve& curve) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const NamedArray& column : curve) columns.emplace_back(column.name, list(column.numbers));
  return object(columns, 4);
}

Numbers numbers_from(const OrderedJson& list) {
  if (std::ranges::all_of(list, [](const OrderedJson& element) { return element.is_number_integer(); })) {
    return list.get<std::vector<std::int64_t>>();
  }
  std::vector<double> reals;
  reals.reserve(list.size());
  for (const OrderedJson& element : list) {
    reals.push_back(element.is_null() ? std::numeric_limits<double>::quiet_NaN() : element.get<double>());
  }
  return reals;
}

Curve curve_from(const OrderedJson& columns) {
  Curve curve;
  for (const auto& [name, list] : columns.items()) curve.push_back({name, numbers_from(list)});
  return curve;
}

constexpr const char* way_out = "; move it away to do without";

/// A message of the JSON library without the "[json.exception.parse_error.101] " before it.
std::string without_code(const std::string& message) {
  const std::size_t end = message.find("] ");
  return message.starts_with('[') && end != std::string::npos ? message.substr(end + 2) : message;
}

/// The place of the byte with this number, counted from 1.
Problem at_byte(const std::string& text, std::size_t byte, const std::filesystem::path& file) {
  const std::string before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const auto newlines = std::ranges::count(before, '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {.file = file.string(),
          .line = static_cast<unsigned>(newlines) + 1,
          .column = static_cast<unsigned>(before.size() - line_begin) + 1};
}

OrderedJson parsed(const std::string& text, const std::filesystem::path& file) {
  try {
    return OrderedJson::parse(text);
  } catch (const OrderedJson::parse_error& error) {
    Problem problem = at_byte(text, error.byte, file);
    const std::string why = without_code(error.what());
    const std::size_t colon = why.find(": ");  // after "parse error at line 2, column 1"
    problem.message = "malformed JSON: " + (colon == std::string::npos ? why : why.substr(colon + 2)) + way_out;
    throw InputError(std::move(problem));
  }
}

Evidence evidence_from(const OrderedJson& root) {
  if (root.at("schema_version") != schema_version) {
    throw std::runtime_error(
        fmt::format("expected schema_version {}, found {}", schema_version, root.at("schema_version").dump()));
  }
  Evidence evidence;
  for (const auto& [probe, curves] : root.at("evidence").items()) {
    for (const auto& [name, columns] : curves.items()) evidence[probe][name] = curve_from(columns);
  }
  return evidence;
}

}  // namespace

std::filesystem::path evidence_beside(std::filesystem::path topology) {
  return topology.replace_extension(".evidence.json");
}

std::string to_json_text(const Evidence& evidence) {
  std::vector<std::pair<std::string, std::string>> probes;
  for (const auto& [probe, curves] : evidence) {
    std::vector<std::pair<std::string, std::string>> members;
    for (const auto& [name, curve] : curves) members.emplace_back(name, curve_text(curve));
    probes.emplace_back(probe, object(members, 3));
  }
  return object({{"schema_version", std::to_string(schema_version)}, {"evidence", object(probes, 2)}}, 1) + "\n";
}

Evidence read_evidence(const std::filesystem::path& path) {
  try {
    const std::string text = file_content(path);
    return evidence_from(parsed(text, path));
  } catch (const InputError&) {
    throw;
  } catch (const OrderedJson::exception& error) {
    throw InputError(
        Problem{.file = path.string(), .message = "no evidence file: " + without_code(error.what()) + way_out});
  } catch (const std::runtime_error& error) {
    throw InputError(Problem{.file = path.string(), .message = error.what()});
  }
}

}  // namespace tomograph::host
