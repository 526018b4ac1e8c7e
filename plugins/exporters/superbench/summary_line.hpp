#ifndef TOMOGRAPH_EXPORTERS_SUPERBENCH_SUMMARY_LINE_HPP
#define TOMOGRAPH_EXPORTERS_SUPERBENCH_SUMMARY_LINE_HPP

#include <span>
#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::superbench {

/// The line of a node in results-summary.jsonl: an object with "node" and a number for each fact of each of its GPUs,
/// "tomograph/l2.latency:0", flags as 0 or 1. "tomograph/return_code:0" is 1 if a question about the GPU failed.
/// Texts, curves and lists are no metrics. @throws Refused as INVALID if two topologies are of one GPU.
[[nodiscard]] std::string summary_line(std::span<const Topology> topologies, const std::string& node);

}  // namespace tomograph::superbench

#endif
