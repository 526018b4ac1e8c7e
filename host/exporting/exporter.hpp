#ifndef TOMOGRAPH_HOST_EXPORTING_EXPORTER_HPP
#define TOMOGRAPH_HOST_EXPORTING_EXPORTER_HPP

#include <string>
#include <vector>

#include "loading/catalogue.hpp"
#include "reporting/log.hpp"
#include "running/call_failed.hpp"

namespace tomograph::host {

/// An exporter and its plugin. Borrows the descriptions.
struct ChosenExporter {
  const PluginDescription* plugin = nullptr;
  const ExporterDescription* exporter = nullptr;
};

/// The exporter of a format. @throws InputError with the nearest name if there is none.
[[nodiscard]] ChosenExporter find_exporter(const Catalogue& catalogue, const std::string& format);

/// The file that the exporter writes of the documents, in a worker process. `parameters` has the value of every
/// declared parameter. @throws CallFailed, InputError if the exporter refuses the documents or parameters.
[[nodiscard]] std::string exported_file(const ChosenExporter& chosen, const Json& parameters,
                                        const std::vector<ExportDocument>& documents, Log& log);

}  // namespace tomograph::host

#endif
