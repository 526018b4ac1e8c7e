#ifndef TOMOGRAPH_HOST_TOPOLOGY_EVIDENCE_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_EVIDENCE_HPP

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tomograph/experiment.hpp"

namespace tomograph::host {

/// The columns of one curve, in the order in which the probe published them.
using Curve = std::vector<NamedArray>;

/// The curves behind the facts: by probe, then by name.
using Evidence = std::map<std::string, std::map<std::string, Curve>>;

/// The evidence file of a topology file, unless the user names another: beside it, with the suffix ".evidence.json".
[[nodiscard]] std::filesystem::path evidence_beside(std::filesystem::path topology);

/// JSON text {"schema_version": 1, "evidence": {probe: {name: {column: [numbers]}}}}, one column per line. Equal
/// evidence gives equal bytes; NaN and infinities become null.
[[nodiscard]] std::string to_json_text(const Evidence& evidence);

/// Reads a file written with `to_json_text`. Columns of integers become std::int64_t, others double; null becomes
/// NaN. @throws InputError
[[nodiscard]] Evidence read_evidence(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
