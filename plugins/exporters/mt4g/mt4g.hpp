#ifndef TOMOGRAPH_EXPORTERS_MT4G_MT4G_HPP
#define TOMOGRAPH_EXPORTERS_MT4G_MT4G_HPP

#include <string>
#include <vector>

#include "tomograph/exporter.hpp"

namespace tomograph::mt4g {

struct Report {
  std::string json;
  std::vector<std::string> left_out;  ///< one message for each group
};

/// The report that MT4G 1.2 writes of an NVIDIA GPU. A group for which the topology lacks a fact that readers rely on
/// is left out as a whole; the member meta.leftOut says which, and what it lacks.
[[nodiscard]] Report report_of(const Topology& topology);

}  // namespace tomograph::mt4g

#endif
