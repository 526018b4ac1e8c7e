#ifndef TOMOGRAPH_HOST_EXPORTING_EXPORTER_HPP
#define TOMOGRAPH_HOST_EXPORTING_EXPORTER_HPP

#include <stdexcept>
#include <string>
#include <vector>

#include "loading/catalogue.hpp"
#include "reporting/log.hpp"
#include "running/workers.hpp"

namespace tomograph::host {

/// An exporter and its plugin. Borrows the descriptions.
struct ChosenExporter {
  const PluginDescription* plugin = nullptr;
  const ExporterDescription* exporter = nullptr;
};

/// The exporter of a format. @throws InputError with the nearest name if there is none.
[[nodiscard]] ChosenExporter find_exporter(const Catalogue& catalogue, const std::string& format);

/// An exporter crashed, hung, failed, wrote too much or nothing; `what()` is one message that names it.
class ExportFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The file that the exporter writes of the documents, in a worker process. `parameters` has the value of every
/// declared parameter. @throws ExportFailed, InputError if the exporter refuses the documents or parameters.
[[nodiscard]] std::string exported_file(const ChosenExporter& chosen, const Json& parameters,
                                        const std::vector<ExportDocument>& documents, Log& log);

}  // namespace tomograph::host

#endif
