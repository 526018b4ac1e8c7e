#include "exporting/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "exporting/descriptions.hpp"
#include "exporting/document_names.hpp"
#include "exporting/verdicts.hpp"
#include "loading/file_hash.hpp"
#include "reporting/finding.hpp"
#include "tomograph/documents/file_content.hpp"
#include "tomograph/documents/input_error.hpp"
#include "topology/evidence.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

/// Whether the curves of `evidence` may be those of the topology. A run records the hash of its evidence; topologies of
/// earlier versions have none, and then one curve of a fact must be there.
bool belong_together(const Topology& topology, const Evidence& evidence, const fs::path& file) {
  if (const auto hash = topology.provenance.find("evidence_sha256"); hash != topology.provenance.end()) {
    return *hash == sha256_of_file(file);
  }
  const auto has_curve = [&](const auto& entry) {
    const FactRecord& fact = entry.second;
    const auto curves = evidence.find(fact.probe);
    return curves != evidence.end() && curves->second.contains(fact.evidence);
  };
  return evidence.empty() || std::ranges::any_of(topology.facts, has_curve);
}

std::string evidence_text(const Topology& topology, const fs::path& topology_file, const fs::path& evidence_file) {
  static_cast<void>(evidence_of(topology, topology_file, evidence_file));
  return file_content(evidence_file);
}

/// The curves in the file that is named, or in the one beside the topology if it is there.
std::string evidence_for(const Topology& topology, const fs::path& file, const fs::path& named) {
  if (!named.empty()) return evidence_text(topology, file, named);
  return fs::exists(evidence_beside(file)) ? evidence_text(topology, file, evidence_beside(file)) : "";
}

}  // namespace

Evidence evidence_of(const Topology& topology, const fs::path& topology_file, const fs::path& file) {
  Evidence evidence = read_evidence(file);
  if (belong_together(topology, evidence, file)) return evidence;
  throw InputError(Problem{.file = file.string(),
                           .message = fmt::format("this evidence belongs to another run than {}; name the right file "
                                                  "with --evidence, or move this one away to do without",
                                                  topology_file.string())});
}

std::vector<ExportDocument> read_documents(const ExporterDescription& exporter, const std::vector<fs::path>& topologies,
                                           const fs::path& evidence, const Catalogue& catalogue) {
  if (topologies.size() != 1 && !exporter.takes_several) {
    throw InputError(fmt::format("exporter '{}' takes one topology, {} are given", exporter.id, topologies.size()));
  }
  if (!evidence.empty() && !exporter.takes_evidence) {
    throw InputError(Problem{.key = "--evidence", .message = fmt::format("exporter '{}' takes none", exporter.id)});
  }
  if (!evidence.empty() && topologies.size() != 1) {
    throw InputError(
        Problem{.key = "--evidence", .message = "expected one topology; of several, the files beside them are taken"});
  }
  const std::vector<std::string> names = document_names(topologies);
  std::vector<ExportDocument> documents;
  std::optional<Topology> first;
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    const Topology topology = read_topology(topologies[i]);
    Json json = described(to_json(topology), catalogue);
    if (first) json["provenance"]["comparison"] = verdicts_on(*first, topology);
    documents.push_back({names[i], json.dump(), findings_json(topology).dump(),
                         exporter.takes_evidence ? evidence_for(topology, topologies[i], evidence) : ""});
    if (!first) first = topology;
  }
  return documents;
}

}  // namespace tomograph::host
