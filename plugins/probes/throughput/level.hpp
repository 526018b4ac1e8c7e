#ifndef TOMOGRAPH_THROUGHPUT_LEVEL_HPP
#define TOMOGRAPH_THROUGHPUT_LEVEL_HPP

#include <optional>
#include <string>

#include "saturation.hpp"
#include "search.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/session/session.hpp"

/// What the probes of all levels have in common. One file per level.
namespace tomograph::throughput {

/// Executes on the session's device. @throws Skip if the device cannot stream.
[[nodiscard]] Execute executor(const Session& session);

/// SMs and threads of the device.
[[nodiscard]] Room room(const Session& session);

/// Bytes of L2, as measured, or else as an interface says; nothing if neither is known.
[[nodiscard]] std::optional<std::int64_t> l2_bytes(const Session& session);

/// Bytes per second of all SMs.
[[nodiscard]] double of_device(const streaming::Result& result);
/// Bytes per cycle of the median SM.
[[nodiscard]] double of_sm(const streaming::Result& result);

[[nodiscard]] const char* name(streaming::Operation operation);
[[nodiscard]] const char* name(streaming::Distribution distribution);

/// A column of evidence.
[[nodiscard]] inline NamedArray column(std::string name, std::vector<double> values) {
  return {std::move(name), std::move(values)};
}

using confidence::throughput::systematic_error;

/// The figure of the best configuration: median of the repetitions, with the interval that covers it.
[[nodiscard]] Fact bandwidth_fact(const std::string& key, const Found& found, const Figure& figure,
                                  const std::string& evidence);

/// Publishes a fact with an interval, unless that is wider than `useful_openness` allows.
void publish_figure(const Session& session, const Fact& fact);

/// The surface and the repetitions as columns whose names begin with `prefix`.
void append_columns(std::vector<NamedArray>& columns, const std::string& prefix, const Found& found,
                    const Figure& figure);

/// Publishes `key`, or why it stays open, from a sweep of reads like `base`.
void find_saturation(const Session& session, const char* key, const streaming::Program& base);

/// `base` on the surface of the search, dealt out in each of these ways: between them a climb rarely finds.
[[nodiscard]] std::vector<streaming::Program> surfaces(const streaming::Program& base, const Room& room,
                                                       std::span<const streaming::Distribution> ways);

void find_l1(const Session& session);
void find_l2(const Session& session);
void find_noc(const Session& session);
void find_dram(const Session& session);
void find_dram_by_element(const Session& session);

}  // namespace tomograph::throughput

#endif
