#ifndef TOMOGRAPH_HOST_EXPORTING_INPUTS_HPP
#define TOMOGRAPH_HOST_EXPORTING_INPUTS_HPP

#include <filesystem>
#include <vector>

#include "loading/catalogue.hpp"
#include "process/messages.hpp"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// Reads the curves in `file`, which must be those of this topology, read from `topology_file`.
/// @throws InputError if the file cannot be read or belongs to another run.
[[nodiscard]] Evidence evidence_of(const Topology& topology, const std::filesystem::path& topology_file,
                                   const std::filesystem::path& file);

/// Reads the topologies that an exporter shall write, with the findings and, if it takes them, the curves of each.
/// Each fact gets the description that a plugin of `catalogue` declares for its key, and the provenance of each
/// topology but the first the verdicts of a comparison with the first. `evidence` names the evidence file of a single
/// topology; if it is empty, the files beside the topologies count.
/// @throws InputError if a file cannot be read, if the exporter does not take so many topologies or no evidence, or if
/// evidence belongs to another run.
[[nodiscard]] std::vector<ExportDocument> read_documents(const ExporterDescription& exporter,
                                                         const std::vector<std::filesystem::path>& topologies,
                                                         const std::filesystem::path& evidence,
                                                         const Catalogue& catalogue);

}  // namespace tomograph::host

#endif
