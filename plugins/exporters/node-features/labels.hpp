#ifndef TOMOGRAPH_EXPORTERS_NODE_FEATURES_LABELS_HPP
#define TOMOGRAPH_EXPORTERS_NODE_FEATURES_LABELS_HPP

#include <string>

#include "tomograph/exporter.hpp"

namespace tomograph::node_features {

/// The text as a label's value: at most 63 letters, digits, '.', '_' and '-', with a letter or digit at either end.
/// Anything else becomes '-'. https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
[[nodiscard]] std::string label_value(const std::string& text);

/// Whether the text is a time as RFC 3339 has it, e.g. "2026-12-01T00:00:00Z".
[[nodiscard]] bool is_time(const std::string& text);

/// A line "tomograph.dev/l2.mib=59" for each fact that jobs are placed by, where it is known. Numbers are rounded to
/// integers, which node affinity can compare (Gt, Lt).
[[nodiscard]] std::string lines(const Topology& topology);

}  // namespace tomograph::node_features

#endif
