#include "fleet/gpu_facts.hpp"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "comparing/comparison.hpp"
#include "fleet/quick_reader.hpp"
#include "tomograph/documents/file_content.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/toml_text.hpp"
#include "topology/gallery.hpp"
#include "topology/topology_file.hpp"
#include "topology/typed_value.hpp"

namespace tomograph::host {
namespace {

/// The text of a fact, or nothing.
std::string text_of(const Topology& topology, const char* key) {
  const auto fact = topology.facts.find(key);
  return fact != topology.facts.end() && fact->second.value.is_string() ? fact->second.value.get<std::string>() : "";
}

std::string own_identity(const Topology& topology) {
  const Json device = topology.provenance.value("device", Json::object());
  std::vector<std::string> parameters;
  const Json stated = device.value("parameters", Json::object());
  for (const auto& [name, value] : stated.items()) parameters.push_back(name + "=" + toml_value(value));
  return identity_of(device.value("name", ""), std::move(parameters));
}

std::optional<Fingerprint> fingerprint_in(const FactRecord& record, const std::string& text) {
  const auto intervals = record.conditions.find(fingerprint_intervals);
  return intervals == record.conditions.end() ? std::nullopt : fingerprint_of(text, toml_value(*intervals));
}

}  // namespace

Texts::Id Texts::id_of(std::string_view text) {
  {
    const std::shared_lock reading(mutex_);
    if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  }
  const std::scoped_lock writing(mutex_);
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  const std::string& kept = texts_.emplace_back(text);
  return ids_.emplace(kept, static_cast<Id>(texts_.size() - 1)).first->second;
}

std::string_view Texts::at(Id id) const {
  const std::shared_lock reading(mutex_);
  return texts_.at(id);
}

bool read_number(std::string_view text, NumberText& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  number.is_real = text.find_first_of(".eE") != std::string_view::npos;
  return error == std::errc() && end == text.data() + text.size();
}

bool has_real_numbers(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9' && (text[i] == '.' || text[i] == 'e')) {
      return true;
    }
  }
  return false;
}

std::string identity_of(std::string_view device, std::vector<std::string> parameters) {
  std::ranges::sort(parameters);
  std::string identity(device);
  char separator = '?';
  for (const std::string& parameter : parameters) identity += std::exchange(separator, '&') + parameter;
  return identity;
}

GpuFact make_fact(const FactTexts& fact, const std::optional<std::pair<double, double>>& interval, Texts& texts) {
  GpuFact made{.key = texts.id_of(fact.key), .unit = texts.id_of(fact.unit), .is_api = fact.source == "api"};
  NumberText number;
  made.is_number = read_number(fact.value, number);
  made.is_continuous = made.is_number && (number.is_real || interval);
  made.value = number.value;
  std::tie(made.low, made.high) = interval.value_or(std::pair{number.value, number.value});
  if (!made.is_continuous) made.text = texts.id_of(fact.value);
  return made;
}

GpuFacts gpu_facts(const Topology& topology, Texts& texts) {
  GpuFacts gpu{.gpu = text_of(topology, "device.uuid"),
               .device = text_of(topology, "device.name"),
               .started = text_of(topology.provenance.value("started", Json())).value_or(""),
               .facts = {},
               .fingerprint = {}};
  if (gpu.gpu.empty()) gpu.gpu = own_identity(topology);
  if (gpu.device.empty()) throw std::invalid_argument("device.name is missing, so nothing is like it");
  for (const auto& [key, record] : topology.facts) {
    const std::string text = toml_value(record.value);
    if (key == fingerprint_key) gpu.fingerprint = fingerprint_in(record, text);
    if (is_curve(record.value.is_structured(), has_real_numbers(text), record.unit)) continue;
    gpu.facts.push_back(make_fact({key, record.unit, record.source, text}, record.interval, texts));
  }
  return gpu;
}

GpuFacts read_gpu_facts(const std::filesystem::path& file, Texts& texts) {
  const std::filesystem::path path = out_of_gallery(file);
  try {
    if (auto gpu = read_quickly(file_content(path), texts)) return std::move(*gpu);
    return gpu_facts(read_topology(path), texts);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(Problem{.file = path.string(), .message = error.what()});
  }
}

}  // namespace tomograph::host
