#ifndef TOMOGRAPH_HOST_EXPORTING_INPUTS_HPP
#define TOMOGRAPH_HOST_EXPORTING_INPUTS_HPP

#include <filesystem>
#include <vector>

#include "loading/description.hpp"
#include "process/messages.hpp"

namespace tomograph::host {

/// Reads the topologies that an exporter shall write, with the findings and, if it takes them, the curves of each.
/// `evidence` names the evidence file of a single topology; if it is empty, the files beside the topologies count.
/// @throws InputError if a file cannot be read, if the exporter does not take so many topologies or no evidence, or if
/// evidence belongs to another run.
[[nodiscard]] std::vector<ExportDocument> read_documents(const ExporterDescription& exporter,
                                                         const std::vector<std::filesystem::path>& topologies,
                                                         const std::filesystem::path& evidence);

}  // namespace tomograph::host

#endif
