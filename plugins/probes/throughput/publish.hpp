#ifndef TOMOGRAPH_THROUGHPUT_PUBLISH_HPP
#define TOMOGRAPH_THROUGHPUT_PUBLISH_HPP

#include <string>
#include <vector>

#include "acquire_search.hpp"
#include "analysis_precision.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/session.hpp"

namespace tomograph::throughput {

[[nodiscard]] const char* name(streaming::Operation operation);

/// A column of evidence.
[[nodiscard]] inline NamedArray column(std::string name, std::vector<double> values) {
  return {std::move(name), std::move(values)};
}

using confidence::throughput::systematic_error;

/// A run places memory anew, and its search may end elsewhere. Of eight runs each of an H100 and an H200, medians were
/// up to 1.019 times as large as others.
inline constexpr double from_run_to_run = 1.02;

/// The metric of the best configuration: median of the repetitions, with the interval that covers it.
[[nodiscard]] Fact bandwidth_fact(const std::string& key, const Found& found, const Metric& metric,
                                  const std::string& evidence);

/// Publishes a fact with an interval, or that repetitions scatter too much if the interval is wider than `useful_ci`
/// before it is widened by `from_run_to_run`.
void publish_bandwidth(const Session& session, Fact fact);

/// Appends the surface and the repetitions as columns whose names begin with `prefix`.
void append_columns(std::vector<NamedArray>& columns, const std::string& prefix, const Found& found,
                    const Metric& metric);

}  // namespace tomograph::throughput

#endif
