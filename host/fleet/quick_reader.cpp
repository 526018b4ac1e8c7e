#include "fleet/quick_reader.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "comparing/comparison.hpp"
#include "topology/record_fields.hpp"

namespace tomograph::host {
namespace {

using View = std::string_view;

/// Thrown where a text is not laid out as expected.
struct Unexpected {};

void expect(bool is_so) {
  if (!is_so) throw Unexpected();
}

/// The content of a basic string without escapes.
View unquoted(View text) {
  expect(text.size() >= 2 && text.front() == '"' && text.back() == '"' && text.find('\\') == View::npos);
  const View content = text.substr(1, text.size() - 2);
  expect(content.find('"') == View::npos);
  return content;
}

bool is_value(View text) {
  if (text.empty()) return false;
  switch (text.front()) {
    case '"': return text.size() >= 2 && text.back() == '"';
    case '[': return text.back() == ']';
    case '{': return text.back() == '}';
    default: break;
  }
  NumberText number;
  return text == "true" || text == "false" || read_number(text, number);
}

/// The two numbers of "[1.5, 2]".
std::pair<double, double> bounds(View text) {
  const std::size_t comma = text.find(", ");
  expect(comma != View::npos && text.front() == '[' && text.back() == ']');
  NumberText low;
  NumberText high;
  expect(read_number(text.substr(1, comma - 1), low));
  expect(read_number(text.substr(comma + 2, text.size() - comma - 3), high));
  return {low.value, high.value};
}

/// Takes a text apart line by line.
class Lines {
 public:
  explicit Lines(View text) : rest_(text) { expect(text.ends_with('\n')); }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  View next() {
    const std::size_t end = rest_.find('\n');
    const View line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }
  /// The rest of a list that begins with `first` at the end of its line.
  View list_from(View first) {
    const std::size_t end = rest_.find("\n]\n");
    expect(end != View::npos);
    rest_.remove_prefix(end + 3);
    return {first.data(), static_cast<std::size_t>(rest_.data() - first.data()) - 1};
  }

 private:
  View rest_;
};

class QuickReader {
 public:
  QuickReader(View text, Texts& texts) : lines_(text), texts_(&texts) {}

  GpuFacts read() {
    while (!lines_.at_end()) take(lines_.next());
    end_fact();
    expect(has_version_ && has_provenance_ && !gpu_.device.empty());
    if (gpu_.gpu.empty()) gpu_.gpu = identity_of(device_, std::move(parameters_));
    return std::move(gpu_);
  }

 private:
  void take(View line) {
    if (line.empty() || line.front() == '#') return;
    if (line.front() == '[') return begin(line);
    const std::size_t equals = line.find(" = ");
    expect(equals != View::npos);
    View value = line.substr(equals + 3);
    if (value == "[") value = lines_.list_from(value);
    expect(is_value(value));
    member(line.substr(0, equals), value);
  }

  void begin(View line) {
    end_fact();
    expect(line.size() > 2 && line.back() == ']');
    table_ = line.substr(1, line.size() - 2);
    const View root = table_.substr(0, table_.find('.'));
    is_fact_ = std::ranges::find(root_names, root) == root_names.end();
    has_provenance_ = has_provenance_ || table_ == "provenance";
    if (!is_fact_) return;
    expect(table_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == View::npos && table_ > key_);
    key_ = table_;
  }

  void member(View name, View value) {
    if (is_fact_) {
      const auto* const field = std::ranges::find(record_fields, name);
      expect(field != record_fields.end());
      View& place = fields_.at(static_cast<std::size_t>(field - record_fields.begin()));
      expect(place.empty());
      place = value;
    } else if (table_.empty()) {
      expect(!has_version_ && name == "schema_version" && (value == "1" || value == "2"));
      has_version_ = true;
    } else if (table_ == "provenance" && name == "started") {
      gpu_.started = unquoted(value);
    } else if (table_ == "provenance.device" && name == "name") {
      device_ = unquoted(value);
    } else if (table_ == "provenance.device.parameters") {
      parameters_.push_back(std::string(name) + "=" + std::string(value));
    }
  }

  /// A field of the fact that has just been read.
  [[nodiscard]] View field(View name) const {
    const auto* const found = std::ranges::find(record_fields, name);
    return fields_.at(static_cast<std::size_t>(found - record_fields.begin()));
  }

  void end_fact() {
    if (!is_fact_) return;
    is_fact_ = false;
    for (const View name : {"value", "method", "probe", "scope", "confidence", "samples"}) expect(!field(name).empty());
    NumberText confidence;
    expect(read_number(field("confidence"), confidence) && confidence.value >= 0 && confidence.value <= 1);
    const View value = field("value");
    const View unit = unquoted(field("unit"));
    if (key_ == "device.uuid") gpu_.gpu = unquoted(value);
    if (key_ == "device.name") gpu_.device = unquoted(value);
    if (key_ == fingerprint_key) gpu_.fingerprint = fingerprint_of(value, intervals_in(field("conditions")));
    const bool is_table = value.front() == '[' || value.front() == '{';
    if (!is_curve(is_table, is_table && has_real_numbers(value), unit)) add_fact(value, unit);
    fields_ = {};
  }

  /// The list of lists of this name in the text of an inline table, or nothing.
  static View intervals_in(View conditions) {
    const std::size_t name = conditions.find(std::string(fingerprint_intervals) + " = [[");
    const std::size_t end = conditions.find("]]", name);
    if (end == View::npos) return {};
    const std::size_t begin = conditions.find('[', name);
    return conditions.substr(begin, end + 2 - begin);
  }

  void add_fact(View value, View unit) {
    const View source = unquoted(field("source"));
    expect(source == "measured" || source == "api" || source == "derived");
    const View interval = field("interval");
    gpu_.facts.push_back(make_fact({key_, unit, source, value},
                                   interval.empty() ? std::nullopt : std::optional(bounds(interval)), *texts_));
  }

  Lines lines_;
  Texts* texts_;
  GpuFacts gpu_;
  View table_;
  View key_;
  bool is_fact_ = false;
  bool has_version_ = false;
  bool has_provenance_ = false;
  std::array<View, record_fields.size()> fields_{};
  std::string device_;
  std::vector<std::string> parameters_;
};

}  // namespace

std::optional<GpuFacts> read_quickly(std::string_view text, Texts& texts) {
  try {
    return QuickReader(text, texts).read();
  } catch (const Unexpected&) {
    return std::nullopt;
  }
}

}  // namespace tomograph::host
