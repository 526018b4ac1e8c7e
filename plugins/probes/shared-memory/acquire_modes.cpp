#include <string>

#include "acquire_access_times.hpp"
#include "analysis_conflicts.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::shared_memory {

namespace {

constexpr const char* conflicts_key = "shared.conflict_ways_by_mode";
constexpr std::int64_t accesses_by_stride = 512;  // as for the banks
constexpr std::int64_t largest_stride = 64;       // words: twice the banks of any GPU today

/// Latencies of a warp whose lanes are 0, 1, ... words apart (Mei & Chu 2017, Listing 4). Empty if the device refuses
/// one.
std::vector<double> latencies_by_stride(const Session& session, std::int64_t mode) {
  std::vector<Program> programs;
  for (std::int64_t stride = 0; stride <= largest_stride; ++stride) {
    Program program{
        .offsets = shared_access::strided(lanes, stride * word), .accesses = accesses_by_stride, .mode = mode};
    program.bytes = shared_access::load_end(program);
    programs.push_back(std::move(program));
  }
  std::vector<double> cycles;
  for (const auto& time : access_times(session, programs)) {
    if (!time) return {};
    cycles.push_back(time->cycles);
  }
  return cycles;
}

/// Latency by ways of a conflict, as measured before.
LatencyOfPasses known_conflicts(const Session& session) {
  LatencyOfPasses known;
  std::int64_t ways = 0;
  for (const double cycles : session.needed<std::vector<double>>("shared.conflict_latency")) {
    known.emplace_back(++ways, cycles);
  }
  return known;
}

}  // namespace

void find_conflicts_by_mode(const Session& session) {
  const LatencyOfPasses known = known_conflicts(session);
  const double conflict = known.at(1).second - known.at(0).second;
  Value by_mode = Value::list();
  std::vector<std::vector<double>> columns(3);
  for (const auto mode : session.needed<std::vector<std::int64_t>>("shared.modes")) {
    const auto cycles = latencies_by_stride(session, mode);
    Value ways = Value::list();
    for (std::size_t stride = 0; stride < cycles.size(); ++stride) {
      const auto found = passes_of(cycles[stride], known, conflict);
      if (found) ways.push_back(*found);
      columns[0].push_back(static_cast<double>(mode));
      columns[1].push_back(static_cast<double>(stride));
      columns[2].push_back(cycles[stride]);
    }
    if (ways.elements().size() <= largest_stride) {
      return session.inconclusive(conflicts_key, "in the mode of " + std::to_string(mode) +
                                                     " B a stride has the latency of no known conflict, or no room");
    }
    by_mode.push_back(Value::list(mode, ways));
  }
  session.evidence(conflicts_key, std::vector{column("mode_bytes", columns[0]), column("stride_words", columns[1]),
                                              column("latency_cycles", columns[2])});
  session.publish({.key = conflicts_key,
                   .value = by_mode,
                   .method = "latency-as-conflict",
                   .confidence = confidence::shared_memory::phases,
                   .samples = columns[2].size(),
                   .conditions = {{"access", "all lanes of a warp, 4 B, 0, 1, ... 64 words apart"}},
                   .evidence = conflicts_key});
}

}  // namespace tomograph::shared_memory
