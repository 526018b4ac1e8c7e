#include "conformance/exporter_trial.hpp"

#include <string>
#include <vector>

#include "running/exported_bytes.hpp"
#include "running/workers.hpp"
#include "topology/evidence.hpp"
#include "topology/merge.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

constexpr const char* probe = "trial/probe";

void add(Topology& topology, const std::string& key, Json value, const std::string& unit) {
  add_fact(topology, key,
           {.value = std::move(value),
            .unit = unit,
            .source = "measured",
            .method = "one, \"two\" | three",
            .probe = probe,
            .scope = "device",
            .confidence = 0.95,
            .interval = {},
            .samples = 3,
            .evidence = key});
}

Topology small_topology() {
  Topology topology;
  topology.provenance = {{"tool", {{"name", "tomograph"}, {"version", "1.0.0"}}},
                         {"device", {{"name", "trial:0"}}},
                         {"started", "2026-01-01T00:00:00Z"}};
  add(topology, "device.name", "A \"GPU\", with <odd> | names & \xc3\xa9", "");
  add(topology, "device.sm_count", 2, "1");
  add(topology, "l2.size", 65536, "B");
  add(topology, "l2.latency", 281.5, "cycle");
  topology.facts.at("l2.latency").interval = {280, 283};
  add(topology, "l2.partition.replicated", true, "");
  add(topology, "l2.latency_by_sm", {281.0, 282.0}, "cycle");
  add(topology, "l2.index", {{"kind", "bits"}, {"bits", {7, 8}}}, "");
  topology.outcomes["l2.ways"] = {OutcomeStatus::inconclusive, "too much noise, \"again\"\n", std::nullopt, probe};
  return topology;
}

ExportDocument small_document(bool takes_evidence) {
  const Evidence evidence{{probe, {{"l2.size", {{"size_B", std::vector<double>{1, 2}}}}}}};
  return {"topology.toml", to_json(small_topology()).dump(),
          R"([{"key":"l2.size","against":"l2.nominal_size","message":"l2.size is 64 KiB, but 60 KiB by the API"}])",
          takes_evidence ? to_json_text(evidence) : std::string()};
}

/// What is wrong with an export, or nothing.
std::string fault(const CallEnding& ending, bool wrote, bool strayed) {
  if (ending.kind != CallEnding::Kind::answered) return ending.reason;
  const CallResult& result = ending.result;
  if (strayed) return "it wrote past the log and the sink";
  if (result.status != TOMOGRAPH_OK && result.error.empty()) return "it gave no reason for its failure";
  if (result.status == TOMOGRAPH_INVALID) return {};
  if (result.status != TOMOGRAPH_OK) return result.error;
  return wrote ? "" : "it wrote nothing";
}

CheckStatus status_of(const CallEnding& ending) {
  switch (ending.kind) {
    case CallEnding::Kind::crashed: return CheckStatus::crashed;
    case CallEnding::Kind::timed_out: return CheckStatus::timed_out;
    default: return CheckStatus::failed;
  }
}

CheckResult try_exporter(const std::filesystem::path& program, const PluginDescription& plugin,
                         const ExporterDescription& exporter) {
  ExportedBytes bytes;
  bool strayed = false;
  WorkerEvents events;
  events.log = [&](const LogLine& line) { strayed = strayed || line.subject == LogSubject::own_output; };
  events.output = [&](const std::string& part) { return bytes.add(part); };
  Json parameters = Json::object();
  for (const ParameterDeclaration& declared : exporter.parameters) parameters[declared.name] = declared.default_value;
  const std::vector documents(exporter.takes_several ? 2 : 1, small_document(exporter.takes_evidence));
  Workers workers(program, std::move(events));
  const CallEnding ending = workers.write(plugin, exporter, parameters, documents);
  workers.dismiss();
  const std::string why = fault(ending, !bytes.take().empty(), strayed);
  if (!why.empty()) return {status_of(ending), exporter.id + ": " + why};
  if (ending.result.status == TOMOGRAPH_INVALID) return {CheckStatus::passed, exporter.id + ": " + ending.result.error};
  return {};
}

}  // namespace

CheckResult try_exporters(const std::filesystem::path& program, const PluginDescription& plugin) {
  if (plugin.exporters.empty()) return {CheckStatus::skipped, "it has no exporters"};
  CheckResult last;
  for (const ExporterDescription& exporter : plugin.exporters) {
    last = try_exporter(program, plugin, exporter);
    if (is_bad(last.status)) break;
  }
  return last;
}

}  // namespace tomograph::host
