#include "commands/export.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "commands/exit_code.hpp"
#include "commands/repeatable.hpp"
#include "commands/setup.hpp"
#include "documents/writable_file.hpp"
#include "exporting/exporter.hpp"
#include "exporting/inputs.hpp"
#include "fleet/fleet_file.hpp"
#include "tomograph/documents/atomic_file.hpp"
#include "tomograph/documents/input_error.hpp"
#include "topology/evidence.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  SetupOptions setup;
  std::string format;
  std::vector<fs::path> topologies{"topology.toml"};
  fs::path output;           ///< empty: standard output
  bool takes_fleet = false;  ///< a fleet may stand in place of topologies
  fs::path evidence;
  std::vector<std::string> parameters;
};

void require_output(const ExportOptions& options, const Configuration& configuration) {
  if (options.output.empty()) return;
  require_writable(options.output);
  std::vector<NamedFile> inputs{{"--evidence", options.evidence}};
  for (const fs::path& file : configuration.files) inputs.push_back({"--config", file});
  for (const fs::path& file : options.topologies) {
    inputs.push_back({"TOPOLOGY", file});
    inputs.push_back({"TOPOLOGY", evidence_beside(file)});
  }
  require_separate({{"--output", options.output}}, inputs);
}

/// @throws FileError
void write_output(const fs::path& output, const std::string& bytes) {
  if (!output.empty()) return write_atomically(output, bytes);
  static_cast<void>(std::fwrite(bytes.data(), 1, bytes.size(), stdout));  // the program looks whether it succeeded
}

/// A fleet as a topology without facts: its provenance is the fleet, without the fingerprints, which no page shows.
ExportDocument fleet_document(const fs::path& file) {
  Json fleet = read_fleet_json(file);
  for (Json& cohort : fleet["cohorts"]) cohort.erase("fingerprints");
  const Json topology{{"schema_version", Topology::schema_version}, {"provenance", {{"fleet", std::move(fleet)}}}};
  return {file.filename().string(), topology.dump(), "[]", {}};
}

std::vector<ExportDocument> documents_of(const ExportOptions& options, const ExporterDescription& exporter,
                                         const Catalogue& catalogue) {
  const auto fleet = std::ranges::find_if(options.topologies, is_fleet_file);
  if (fleet == options.topologies.end()) {
    return read_documents(exporter, options.topologies, options.evidence, catalogue);
  }
  const bool is_alone = options.topologies.size() == 1 && options.evidence.empty();
  if (options.takes_fleet && is_alone) return {fleet_document(*fleet)};
  throw InputError(Problem{.file = fleet->string(),
                           .message = options.takes_fleet ? "a report of a fleet has no other files"
                                                          : "this is a fleet; `tomograph report` shows it"});
}

int export_topologies(const ExportOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Setup setup = load_setup(options.setup);
  log_refusals(setup.catalogue, log);
  const ChosenExporter chosen = find_exporter(setup.catalogue, options.format);
  const ExporterDescription& exporter = *chosen.exporter;
  const ParameterValues stated = stated_parameters("--parameter", exporter.id, exporter.parameters, options.parameters);
  const auto documents = documents_of(options, exporter, setup.catalogue);
  require_output(options, setup.configuration);
  const Json parameters = effective_parameters(exporter.parameters, &stated);
  const auto work = [&] { write_output(options.output, exported_file(chosen, parameters, documents, log)); };
  return exit_code_of(work, log);
}

/// The options that `export` and `report` share, and what they do.
void complete(CLI::App& command, const std::shared_ptr<ExportOptions>& options, std::function<int()>& selected) {
  command.add_option("TOPOLOGY", options->topologies, "Topology files")->capture_default_str();
  command.add_option("--evidence", options->evidence, "Evidence file; default: the one beside the topology");
  make_repeatable(command.add_option("--parameter", options->parameters,
                                     "Parameter of the exporter, NAME=VALUE (repeatable; see list)"));
  add_setup_options(command, options->setup);
  command.callback([options, &selected] { selected = [options] { return export_topologies(*options); }; });
}

}  // namespace

void add_export_command(CLI::App& app, std::function<int()>& selected) {
  auto* command = app.add_subcommand("export", "Write topologies in the format of another program");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("FORMAT", options->format, "Format to write; `tomograph list exporters` names them")->required();
  command->add_option("-o,--output", options->output, "File to write; default: standard output");
  complete(*command, options, selected);
}

void add_report_command(CLI::App& app, std::function<int()>& selected) {
  auto* command = app.add_subcommand("report", "Write a report of topologies, or of a fleet, to look at in a browser");
  const auto options = std::make_shared<ExportOptions>();
  options->format = "html";
  options->output = "report.html";
  options->takes_fleet = true;
  command->add_option("-o,--output", options->output, "File to write")->capture_default_str();
  complete(*command, options, selected);
}

}  // namespace tomograph::host
