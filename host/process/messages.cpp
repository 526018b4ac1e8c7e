#include "process/messages.hpp"

#include <stdexcept>
#include <utility>

#include "process/array_bytes.hpp"
#include "topology/fact_record.hpp"

namespace tomograph::host {
namespace {

/// Which alternative of Request or WorkerMessage a message is, in their order.
enum class RequestKind { describe, check, enumerate, open, run, write };
enum class MessageKind { log, progress, result, reading, conditions };

/// An enumerator that was sent as its number. @throws std::invalid_argument if it lies beyond the last one of E.
template <typename E>
E enumerator(const Json& json, E last) {
  const auto number = json.get<unsigned>();
  if (number > static_cast<unsigned>(last)) throw std::invalid_argument("an unknown enumerator");
  return static_cast<E>(number);
}

Json fields(const DescribeRequest& request) { return {{"plugin", request.plugin}}; }
Json fields(const CheckRequest& request) { return {{"plugin", request.plugin}, {"check", request.check}}; }
Json fields(const EnumerateRequest& request) {
  return {{"plugin", request.plugin}, {"device", request.device}, {"parameters", request.parameters}};
}
Json fields(const OpenRequest& request) {
  return {{"plugin", request.plugin},
          {"device", request.device},
          {"target", request.target},
          {"parameters", request.parameters},
          {"executors", request.executors},
          {"record", request.record},
          {"read_conditions", request.read_conditions}};
}

Json facts_to_json(const std::map<std::string, FactRecord>& facts) {
  Json json = Json::object();
  for (const auto& [key, record] : facts) json[key] = to_json(record);
  return json;
}

std::map<std::string, FactRecord> facts_from_json(const Json& json) {
  std::map<std::string, FactRecord> facts;
  for (const auto& [key, record] : json.items()) facts.emplace(key, fact_record_from_json(record));
  return facts;
}

Json fields(const RunRequest& request) {
  return {{"plugin", request.plugin},
          {"probe", request.probe},
          {"parameters", request.parameters},
          {"facts", facts_to_json(request.needs.facts)},
          {"absent", request.needs.absent}};
}

Json fields(const ExportRequest& request) {
  Json documents = Json::array();
  for (const ExportDocument& document : request.documents) {
    documents.push_back({document.name, document.topology, document.findings, document.evidence});
  }
  return {{"plugin", request.plugin},
          {"exporter", request.exporter},
          {"parameters", request.parameters},
          {"documents", std::move(documents)}};
}

std::vector<ExportDocument> documents_from_json(const Json& json) {
  std::vector<ExportDocument> documents;
  for (const Json& document : json)
    documents.push_back({document.at(0), document.at(1), document.at(2), document.at(3)});
  return documents;
}

Json fields(const LogLine& line) {
  return {{"level", line.level}, {"subject", line.subject}, {"plugin", line.plugin}, {"text", line.text}};
}
Json fields(const ProgressReport& progress) { return {{"probe", progress.probe}, {"fraction", progress.fraction}}; }
Json fields(const ReadingBegins& /*reading*/) { return Json::object(); }
Json fields(const ConditionSample& sample) {
  Json json{{"time", sample.time},
            {"sm_clock_step", sample.reading.sm_clock_step},
            {"throttle_reasons", sample.reading.throttle_reasons}};
  for (const ConditionQuantity& quantity : condition_quantities()) {
    json[quantity.name] = sample.reading.*quantity.value;
  }
  return json;
}

Json curve_to_json(const Curve& curve) {
  Arrays arrays;
  for (const NamedArray& column : curve) arrays.add(column);
  std::string bytes;
  ByteWriter writer(bytes);
  write_arrays(arrays, writer);
  return Json::binary({bytes.begin(), bytes.end()});
}

Curve curve_from_json(const Json& json) {
  const auto& binary = json.get_binary();
  ByteReader reader({reinterpret_cast<const char*>(binary.data()), binary.size()});
  Curve curve;
  try {
    for (const ArrayView& column : read_arrays(reader)) curve.push_back(copy(column.crossing()));
  } catch (const Damaged&) {
    throw std::invalid_argument("a damaged curve");
  }
  return curve;
}

Json to_json(const Publication& published) {
  Json curves = Json::object();
  for (const auto& [name, curve] : published.curves) curves[name] = curve_to_json(curve);
  return {{"facts", facts_to_json(published.facts)},
          {"inconclusive", published.inconclusive},
          {"absent", published.absent},
          {"curves", std::move(curves)}};
}

Publication publication_from_json(const Json& json) {
  Publication published{facts_from_json(json.at("facts")), json.at("inconclusive"), json.at("absent"), {}};
  for (const auto& [name, curve] : json.at("curves").items()) published.curves.emplace(name, curve_from_json(curve));
  return published;
}

Json fields(const CallResult& result) {
  Json targets = Json::array();
  for (const FoundTarget& target : result.targets) targets.push_back({target.name, target.description});
  return {{"probe", result.probe},
          {"status", result.status},
          {"error", result.error},
          {"skip_category", result.skip_category},
          {"skip_reason", result.skip_reason},
          {"published", to_json(result.published)},
          {"experiments", result.experiments},
          {"executing_seconds", result.executing_seconds},
          {"plugin_seconds", result.plugin_seconds},
          {"waiting_seconds", result.waiting_seconds},
          {"disturbances", {result.disturbances.repeated, result.disturbances.given_up}},
          {"lines_left_out", result.lines_left_out},
          {"device_lost", result.device_lost},
          {"changes", result.changes},
          {"targets", std::move(targets)},
          {"check", {{"status", result.check.status}, {"explanation", result.check.explanation}}},
          {"description", result.description}};
}

CallResult call_result_from_json(const Json& json) {
  CallResult result{
      .probe = json.at("probe"),
      .status = json.at("status"),
      .error = json.at("error"),
      .skip_category = json.at("skip_category"),
      .skip_reason = json.at("skip_reason"),
      .published = publication_from_json(json.at("published")),
      .experiments = json.at("experiments"),
      .executing_seconds = json.at("executing_seconds"),
      .plugin_seconds = json.at("plugin_seconds"),
      .waiting_seconds = json.at("waiting_seconds"),
      .disturbances = {json.at("disturbances").at(0), json.at("disturbances").at(1)},
      .lines_left_out = json.at("lines_left_out"),
      .device_lost = json.at("device_lost"),
      .changes = json.at("changes"),
      .targets = {},
      .check = {enumerator(json.at("check").at("status"), CheckStatus::skipped), json.at("check").at("explanation")},
      .description = json.at("description")};
  for (const Json& target : json.at("targets")) result.targets.push_back({target.at(0), target.at(1)});
  return result;
}

ConditionSample condition_sample_from_json(const Json& json) {
  ConditionSample sample{.time = json.at("time")};
  sample.reading.sm_clock_step = json.at("sm_clock_step");
  sample.reading.throttle_reasons = json.at("throttle_reasons");
  for (const ConditionQuantity& quantity : condition_quantities()) {
    sample.reading.*quantity.value = json.at(quantity.name);
  }
  return sample;
}

template <typename Message>
Json with_kind(const Message& message) {
  Json json = std::visit([](const auto& alternative) { return fields(alternative); }, message);
  json["kind"] = message.index();
  return json;
}

}  // namespace

Json to_json(const Request& request) { return with_kind(request); }
Json to_json(const WorkerMessage& message) { return with_kind(message); }

Request request_from_json(const Json& json) {
  const std::string plugin = json.at("plugin");
  switch (enumerator(json.at("kind"), RequestKind::write)) {
    case RequestKind::describe: return DescribeRequest{plugin};
    case RequestKind::check: return CheckRequest{plugin, json.at("check")};
    case RequestKind::enumerate: return EnumerateRequest{plugin, json.at("device"), json.at("parameters")};
    case RequestKind::open:
      return OpenRequest{plugin,
                         json.at("device"),
                         json.at("target"),
                         json.at("parameters"),
                         json.at("executors").get<std::map<std::string, std::string>>(),
                         json.at("record"),
                         json.at("read_conditions")};
    case RequestKind::run:
      return RunRequest{
          plugin,
          json.at("probe"),
          json.at("parameters"),
          {facts_from_json(json.at("facts")), json.at("absent").get<std::map<std::string, std::string>>()}};
    case RequestKind::write:
      return ExportRequest{plugin, json.at("exporter"), json.at("parameters"),
                           documents_from_json(json.at("documents"))};
  }
  throw std::invalid_argument("an unknown request");
}

WorkerMessage worker_message_from_json(const Json& json) {
  switch (enumerator(json.at("kind"), MessageKind::conditions)) {
    case MessageKind::log:
      return LogLine{enumerator(json.at("level"), LogLevel::error),
                     enumerator(json.at("subject"), LogSubject::omitted_lines), json.at("plugin"), json.at("text")};
    case MessageKind::progress: return ProgressReport{json.at("probe"), json.at("fraction")};
    case MessageKind::result: return call_result_from_json(json);
    case MessageKind::reading: return ReadingBegins{};
    case MessageKind::conditions: return condition_sample_from_json(json);
  }
  throw std::invalid_argument("an unknown message");
}

}  // namespace tomograph::host
