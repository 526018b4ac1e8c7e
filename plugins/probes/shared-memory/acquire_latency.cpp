#include <algorithm>

#include "acquire_access_times.hpp"
#include "questions.hpp"
#include "tomograph/column.hpp"

namespace tomograph::shared_memory {

namespace {

/// Of a program: reading the clock to a cycle makes an error of 0.002 cycles of each.
constexpr std::int64_t timed_accesses = 1024;
constexpr const char* latency_curve = "shared.latency";

struct Row {
  std::int64_t lanes = 1;
  std::int64_t width = word;
  std::int64_t stride = 0;
};

Program program_of(const Row& row) {
  return {.offsets = shared_access::strided(row.lanes, row.stride),
          .width = row.width,
          .accesses = timed_accesses,
          .bytes = row.lanes * std::max(row.stride, row.width)};
}

/// One lane and all lanes at one word, then a warp at consecutive addresses of each width.
std::vector<Row> rows() {
  std::vector<Row> all{{.lanes = 1}, {.lanes = shared_access::warp_lanes}};
  for (const std::int64_t width : {4, 8, 16}) all.push_back({shared_access::warp_lanes, width, width});
  return all;
}

/// The range over SMs and trials. Reading the clock at either end is exact to a cycle.
Interval interval_of(const AccessTime& time) {
  const double resolution = 2.0 / static_cast<double>(timed_accesses);
  return {time.low - resolution, time.high + resolution};
}

Fact latency_fact(const char* key, const AccessTime& time, const char* what) {
  return {.key = key,
          .value = time.cycles,
          .method = "dependent-chain-total",
          .interval = interval_of(time),
          .conditions = {{"access", what},
                         {"address", "the loaded value, without arithmetic"},
                         {"median", time.cycles},
                         {"p95", time.p95},
                         {"stdev", time.deviation}},
          .evidence = latency_curve};
}

void keep_curve(const Session& session, const std::vector<Row>& rows, const std::vector<AccessTime>& times) {
  session.evidence(latency_curve, std::vector{tomograph::column("lanes", rows, &Row::lanes),
                                              tomograph::column("width_bytes", rows, &Row::width),
                                              tomograph::column("stride_bytes", rows, &Row::stride),
                                              tomograph::column("latency_cycles", times, &AccessTime::cycles)});
}

}  // namespace

void find_latency(const Session& session) {
  expect_shared_memory(session);
  const std::vector<Row> measured = rows();
  std::vector<Program> programs;
  for (const Row& row : measured) programs.push_back(program_of(row));
  const std::vector<AccessTime> times = required_access_times(session, programs);
  keep_curve(session, measured, times);
  const auto publish = [&](const char* key, const AccessTime& time, const char* what) {
    publish_times(session, latency_fact(key, time, what), std::span(&time, 1));
  };
  publish("shared.latency", times[0], "one lane alone, 4 B");
  publish("shared.broadcast_latency", times[1], "all lanes of a warp at one word of 4 B");
  Value by_width = Value::list();
  for (std::size_t i = 2; i < times.size(); ++i) by_width.push_back(Value::list(measured[i].width, times[i].cycles));
  publish_times(session,
                {.key = "shared.latency_by_width",
                 .value = by_width,
                 .method = "dependent-chain-total",
                 .conditions = {{"access", "all lanes of a warp at consecutive addresses"}},
                 .evidence = latency_curve},
                std::span(times).subspan(2));
}

}  // namespace tomograph::shared_memory
