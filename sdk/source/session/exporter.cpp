#include "tomograph/exporter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <variant>

namespace tomograph {
namespace {

/// Names at the top of a topology that are no fact's.
constexpr std::array<std::string_view, 4> root_names{"schema_version", "provenance", "outcomes", "probes"};
/// Fields of a fact's table. Other members are facts with longer keys.
constexpr std::array<std::string_view, 12> record_fields{"value",   "unit",       "source",     "method",
                                                         "probe",   "scope",      "confidence", "interval",
                                                         "samples", "conditions", "evidence",   "description"};

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

KnownFact fact_from(const std::string& key, const Value& table) {
  const std::string none;
  KnownFact fact{.key = key,
                 .value = table.at("value"),
                 .unit = table.at("unit").get<std::string>(),
                 .source = table.at("source").get<std::string>(),
                 .method = table.value("method", none),
                 .probe = table.value("probe", none),
                 .scope = table.value("scope", none),
                 .confidence = table.at("confidence").get<double>(),
                 .interval = std::nullopt,
                 .samples = table.value("samples", std::uint64_t{0}),
                 .conditions = Value::table(),
                 .evidence = table.value("evidence", none),
                 .description = table.value("description", none)};
  if (table.contains("interval")) {
    const auto [low, high] = table.at("interval").get<std::pair<double, double>>();
    fact.interval = {low, high};
  }
  if (table.contains("conditions")) fact.conditions = table.at("conditions");
  return fact;
}

/// Adds the facts in `table`, whose key is `key`.
void collect(const std::string& key, const Value& table, std::map<std::string, KnownFact, std::less<>>& facts) {
  if (table.contains("value")) facts.emplace(key, fact_from(key, table));
  for (const auto& [name, member] : table.entries()) {
    if (!is_among(record_fields, name)) collect(std::string(key).append(".").append(name), member, facts);
  }
}

/// CUDA's number of the GPU, or an empty text.
std::string stated_number(const Topology& topology) {
  if (const auto number = topology.rounded("device.gpu")) return std::to_string(*number);
  const Value& provenance = topology.provenance();
  if (provenance.is_null() || !provenance.contains("device")) return {};
  const auto device = provenance.at("device").value("name", std::string());
  const std::string number = device.starts_with("cuda:") ? device.substr(5) : "";
  return number.find_first_not_of("0123456789") == std::string::npos ? number : "";
}

/// Whether two GPUs have one number. Where each was all that its process saw, no number says which of the node it is.
bool has_twins(std::vector<std::string> numbers) {
  std::erase(numbers, "");
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) != numbers.end();
}

/// Whether two topologies are of one GPU, by its UUID or, where that is not known, by its model and number.
bool is_one_gpu(const Topology& a, const Topology& b) {
  if (!a.uuid().empty() && !b.uuid().empty()) return a.uuid() == b.uuid();
  const std::string number = stated_number(a);
  return !number.empty() && number == stated_number(b) && a.device() == b.device();
}

void require_different_gpus(std::span<const Topology> topologies) {
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    for (const Topology& other : topologies.subspan(i + 1)) {
      if (!is_one_gpu(topologies[i], other)) continue;
      throw Refused(TOMOGRAPH_INVALID, topologies[i].name() + " and " + other.name() + " are of the same GPU");
    }
  }
}

}  // namespace

Topology::Topology(std::string name, std::string topology_json, std::string findings_json, std::string evidence_json)
    : name_(std::move(name)),
      topology_json_(std::move(topology_json)),
      findings_json_(std::move(findings_json)),
      evidence_json_(std::move(evidence_json)) {
  const Value root = from_json(topology_json_);
  const std::string none;
  for (const auto& [key, member] : root.entries()) {
    if (!is_among(root_names, key)) collect(key, member, facts_);
  }
  if (root.contains("provenance")) provenance_ = root.at("provenance");
  if (root.contains("outcomes")) {
    for (const auto& [key, outcome] : root.at("outcomes").entries()) {
      outcomes_[key] = {outcome.at("status").get<std::string>(), outcome.value("reason", none),
                        outcome.value("probe", none)};
    }
  }
  const Value findings = from_json(findings_json_);
  for (const Value& finding : findings.elements()) {
    findings_.push_back({finding.at("key").get<std::string>(), finding.at("against").get<std::string>(),
                         finding.at("message").get<std::string>()});
  }
}

const KnownFact* Topology::fact(std::string_view key) const {
  const auto found = facts_.find(key);
  return found == facts_.end() ? nullptr : &found->second;
}

const KnownFact& Topology::needed_fact(const std::string& key) const {
  if (const KnownFact* known = fact(key)) return *known;
  const auto outcome = outcomes_.find(key);
  const std::string why = outcome == outcomes_.end() || outcome->second.reason.empty()
                              ? ""
                              : ": " + outcome->second.status + ", " + outcome->second.reason;
  throw Refused(TOMOGRAPH_INVALID, name_ + ": " + key + ": the format needs this fact, which the topology lacks" + why);
}

std::optional<std::int64_t> Topology::rounded(std::string_view key) const {
  const KnownFact* known = fact(key);
  if (known == nullptr) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&known->value.content())) return *whole;
  const auto number = value_of<double>(*known);
  constexpr double most = 0x1p62;  // fits into 64 bits
  if (!(std::abs(number) < most)) refuse(*known, "the number is too large");
  return std::llround(number);
}

void Topology::refuse(const KnownFact& known, const std::string& why) const {
  throw Refused(TOMOGRAPH_INVALID, name_ + ": " + known.key + " is " + to_json(known.value) + ": " + why);
}

std::string Topology::device() const {
  if (const auto name = value<std::string>("device.name")) return *name;
  if (provenance_.is_null() || !provenance_.contains("device")) return {};
  return provenance_.at("device").value("name", std::string());
}

const Value* Topology::curve(const KnownFact& fact) const {
  if (evidence_json_.empty() || fact.evidence.empty()) return nullptr;
  if (!evidence_) evidence_ = from_json(evidence_json_).at("evidence");
  if (!evidence_->contains(fact.probe)) return nullptr;
  const Value& curves = evidence_->at(fact.probe);
  return curves.contains(fact.evidence) ? &curves.at(fact.evidence) : nullptr;
}

std::vector<std::string> gpu_numbers(std::span<const Topology> topologies) {
  require_different_gpus(topologies);
  std::vector<std::string> numbers;
  for (const Topology& topology : topologies) numbers.push_back(stated_number(topology));
  if (has_twins(numbers)) numbers.assign(topologies.size(), "");
  const auto is_taken = [&](const std::string& number) { return std::ranges::find(numbers, number) != numbers.end(); };
  std::size_t next = 0;
  for (std::string& number : numbers) {
    if (!number.empty()) continue;
    while (is_taken(std::to_string(next))) ++next;
    number = std::to_string(next);
  }
  return numbers;
}

void Sink::write(std::string_view bytes) {
  if (sink_->write(sink_->context, bytes.data(), bytes.size()) != TOMOGRAPH_OK) {
    throw std::runtime_error("the host wants no more bytes");
  }
}

namespace detail {

std::vector<Topology> topologies_in(const tomograph_document* const* documents, std::uint64_t count) {
  std::vector<Topology> topologies;
  topologies.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const tomograph_document& document = *documents[i];
    topologies.emplace_back(document.name, document.topology_json, document.findings_json,
                            document.evidence_json == nullptr ? "" : document.evidence_json);
  }
  return topologies;
}

}  // namespace detail
}  // namespace tomograph
