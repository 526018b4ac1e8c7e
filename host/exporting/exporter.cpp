#include "exporting/exporter.hpp"

#include <fmt/format.h>

#include "process/worker_process.hpp"
#include "running/exported_bytes.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

[[noreturn]] void fail(const std::string& how) { throw CallFailed(how + "; nothing is written"); }

}  // namespace

ChosenExporter find_exporter(const Catalogue& catalogue, const std::string& format) {
  std::vector<std::string> formats;
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ExporterDescription& exporter : plugin.exporters) {
      if (exporter.id == format) return {&plugin, &exporter};
      formats.push_back(exporter.id);
    }
  }
  const std::string nearest = suggestion(format, formats);
  throw InputError(fmt::format("there is no exporter '{}'{}", format,
                               nearest.empty() ? fmt::format("; there are {}", fmt::join(formats, ", ")) : nearest));
}

std::string exported_file(const ChosenExporter& chosen, const Json& parameters,
                          const std::vector<ExportDocument>& documents, Log& log) {
  const std::string name = "exporter '" + chosen.exporter->id + "' ";
  ExportedBytes bytes;
  WorkerEvents events;
  events.log = [&](const LogLine& line) { log.write(line); };
  events.output = [&](const std::string& part) { return bytes.add(part); };
  Workers workers(this_program(), std::move(events));
  const CallEnding ending = workers.write(*chosen.plugin, *chosen.exporter, parameters, documents);
  if (ending.kind != CallEnding::Kind::answered) fail(name + "was ended: " + ending.reason);
  workers.dismiss();
  if (ending.result.status == TOMOGRAPH_INVALID) throw InputError(name + "refuses: " + reason_of(ending.result));
  if (ending.result.status != TOMOGRAPH_OK) fail(name + "failed: " + reason_of(ending.result));
  std::string file = bytes.take();
  if (file.empty()) fail(name + "wrote nothing");
  return file;
}

}  // namespace tomograph::host
