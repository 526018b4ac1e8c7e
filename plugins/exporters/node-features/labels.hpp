#ifndef TOMOGRAPH_EXPORTERS_NODE_FEATURES_LABELS_HPP
#define TOMOGRAPH_EXPORTERS_NODE_FEATURES_LABELS_HPP

#include <span>
#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::node_features {

/// The text as a label's value: at most 63 letters, digits, '.', '_' and '-', with a letter or digit at either end.
/// Anything else becomes '-'. https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
[[nodiscard]] std::string label_value(const std::string& text);

/// Whether the text is a time as RFC 3339 has it, e.g. "2026-12-01T00:00:00Z".
[[nodiscard]] bool is_time(const std::string& text);

/// Lines of a node: "tomograph.dev/gpus=8", and "tomograph.dev/l2.mib=59" for each fact that jobs are placed by, where
/// it is known of all its GPUs. Numbers are rounded to integers, which node affinity can compare (Gt, Lt). Where they
/// differ by more than noise, the least and the greatest have a line; texts that differ have none, nor have numbers
/// that round to 0. Nothing without facts.
[[nodiscard]] std::string lines(std::span<const Topology> topologies);

}  // namespace tomograph::node_features

#endif
