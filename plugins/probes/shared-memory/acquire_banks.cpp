#include <algorithm>
#include <array>
#include <cmath>

#include "acquire_access_times.hpp"
#include "analysis_bank_pattern.hpp"
#include "analysis_conflicts.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::shared_memory {

namespace {

/// Of a program: reading the clock to a cycle makes an error of 0.004 cycles of each.
constexpr std::int64_t accesses = 512;
/// The largest distances between two lanes, at first and after doubling. Two conflicts must lie within: this shows
/// periods of up to 1 KiB and 8 KiB. Banks repeat after 128 B on an H200.
constexpr std::int64_t first_reach = 2048;
constexpr std::int64_t last_reach = 16384;
/// In words: twice the banks of any GPU today.
constexpr std::int64_t most_stride = 64;
constexpr const char* distance_curve = "shared.conflict_distance";
constexpr const char* stride_curve = "shared.stride_sweep";
constexpr const char* degree_curve = "shared.conflict_latency";

/// Median cycles of the programs; empty if the device refuses one.
std::vector<double> latencies(const Session& session, const std::vector<Program>& programs) {
  std::vector<double> cycles;
  for (const auto& one : access_times(session, programs)) {
    if (!one) return {};
    cycles.push_back(one->cycles);
  }
  return cycles;
}

Distances distances_up_to(const Session& session, std::int64_t mode, std::int64_t reach) {
  Distances found;
  std::vector<Program> programs;
  for (std::int64_t distance = word; distance <= reach; distance += word) {
    programs.push_back({.offsets = {0, distance}, .accesses = accesses, .bytes = reach + word, .mode = mode});
    found.bytes.push_back(static_cast<double>(distance));
  }
  found.cycles = latencies(session, programs);
  find_pattern(found, word);
  return found;
}

/// Doubles the reach until a pattern is found, or there is no room, or the limit is reached.
Distances conflict_distances(const Session& session, std::int64_t mode) {
  Distances found = distances_up_to(session, mode, first_reach);
  for (std::int64_t reach = 2 * first_reach; !found.pattern && reach <= last_reach; reach *= 2) {
    Distances further = distances_up_to(session, mode, reach);
    if (further.cycles.empty()) break;
    found = std::move(further);
  }
  return found;
}

/// Latencies of 1, 2, ... lanes at one word.
std::vector<double> same_word_latencies(const Session& session) {
  std::vector<Program> programs;
  for (std::int64_t count = 1; count <= lanes; ++count) {
    programs.push_back({.offsets = shared_access::strided(count, 0), .accesses = accesses, .bytes = word});
  }
  return latencies(session, programs);
}

struct Sweep {
  std::vector<double> cycles;
  std::vector<std::int64_t> passes;  ///< by the pattern
};

/// A warp whose lanes are a stride apart, 0 to 64 words (Mei et al. 2014, Listing 1 and Figs. 5-7).
Sweep stride_sweep(const Session& session, const BankPattern& pattern, std::int64_t together, std::int64_t width) {
  Sweep sweep;
  std::vector<Program> programs;
  for (std::int64_t stride = 0; stride * width <= most_stride * word; ++stride) {
    Program program{.offsets = shared_access::strided(lanes, stride * width), .width = width, .accesses = accesses};
    program.bytes = shared_access::load_end(program);
    sweep.passes.push_back(bank_passes(pattern, together, width, program.offsets));
    programs.push_back(std::move(program));
  }
  sweep.cycles = latencies(session, programs);
  return sweep;
}

/// A full warp that touches `ways` rows of one bank.
Program conflicting(const BankPattern& pattern, std::int64_t ways) {
  const std::int64_t row = pattern.count * pattern.width;
  Program program{.accesses = accesses, .bytes = ways * row};
  program.offsets.clear();
  for (std::int64_t lane = 0; lane < lanes; ++lane) program.offsets.push_back(std::min(lane, ways - 1) * row);
  return program;
}

double to_hundredths(double value) { return std::round(value * 100) / 100; }

LatencyOfPasses find_conflict_latency(const Session& session, const BankPattern& pattern, std::int64_t together) {
  std::vector<Program> programs;
  for (std::int64_t ways = 1; ways <= lanes; ++ways) programs.push_back(conflicting(pattern, ways));
  const auto times = steady_access_times(session, programs);
  LatencyOfPasses known;
  Value values = Value::list();
  std::vector<double> ways;
  std::vector<double> cycles;
  std::vector<AccessTime> measured;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!times[i]) break;
    measured.push_back(*times[i]);
    known.emplace_back(bank_passes(pattern, together, word, programs[i].offsets), times[i]->cycles);
    values.push_back(to_hundredths(times[i]->cycles));
    ways.push_back(static_cast<double>(i + 1));
    cycles.push_back(times[i]->cycles);
  }
  session.evidence(degree_curve, std::vector{column("rows_of_one_bank", ways), column("latency_cycles", cycles)});
  if (known.size() < programs.size()) {
    session.inconclusive("shared.conflict_latency", "shared memory is too small for 32 rows of one bank");
    return known;
  }
  publish_times(session,
                {.key = "shared.conflict_latency",
                 .value = values,
                 .method = "rows-of-one-bank",
                 .conditions = {{"access", "all lanes of a warp, 4 B"}},
                 .evidence = degree_curve},
                measured);
  return known;
}

/// Passes that a full warp at consecutive addresses takes: those of the conflict of the same latency.
void find_phases(const Session& session, const std::array<Sweep, widths.size()>& sweeps, const LatencyOfPasses& known,
                 double conflict) {
  Value phases = Value::list();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (sweeps[i].cycles.empty()) return session.inconclusive("shared.phases", "shared memory is too small");
    const auto passes = passes_of(sweeps[i].cycles[1], known, conflict);
    if (!passes) {
      session.inconclusive("shared.phases", "accesses of " + std::to_string(widths[i]) +
                                                " B to consecutive addresses have the latency of no bank conflict");
      return;
    }
    phases.push_back(Value::list(widths[i], *passes));
  }
  session.publish({.key = "shared.phases",
                   .value = phases,
                   .method = "latency-as-conflict",
                   .confidence = confidence::shared_memory::phases,
                   .samples = widths.size(),
                   .evidence = stride_curve});
}

void publish_pattern(const Session& session, const BankPattern& pattern, std::int64_t together, bool agrees) {
  const auto publish = [&](const char* key, std::int64_t value) {
    session.publish({.key = key,
                     .value = value,
                     .method = agrees ? "conflict-distance+stride-sweep" : "conflict-distance",
                     .confidence = agrees ? confidence::shared_memory::banks_two_methods
                                          : confidence::shared_memory::banks_one_method,
                     .samples = static_cast<std::uint64_t>(agrees ? 2 : 1),
                     .conditions = {{"interleave", pattern.interleave}},
                     .evidence = distance_curve});
  };
  publish("shared.banks", pattern.count);
  publish("shared.bank_width", pattern.width);
  publish("shared.phase_lanes", together);
}

/// The widths that the banks can be set to, each confirmed by its conflicts.
void find_modes(const Session& session) {
  std::vector<Program> programs;
  for (const std::int64_t mode : widths) programs.push_back({.accesses = 1, .bytes = 64, .mode = mode});
  const auto answered = access_times(session, programs);
  Value modes = Value::list();
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (!answered[i]) continue;
    const auto pattern = conflict_distances(session, widths[i]).pattern;
    if (!pattern || pattern->interleave != widths[i]) {
      session.inconclusive("shared.modes", "the device takes the mode of " + std::to_string(widths[i]) +
                                               " B, but its conflicts do not show it");
      return;
    }
    modes.push_back(widths[i]);
  }
  if (modes.elements().empty())
    return session.absent("shared.modes", "the width of the banks cannot be set on this device");
  session.publish({.key = "shared.modes",
                   .value = modes,
                   .method = "conflict-distance",
                   .confidence = confidence::shared_memory::modes,
                   .samples = modes.elements().size(),
                   .evidence = distance_curve});
}

void keep_sweeps(const Session& session, const std::array<Sweep, widths.size()>& sweeps) {
  std::array<std::vector<double>, 4> columns;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (std::size_t stride = 0; stride < sweeps[i].cycles.size(); ++stride) {
      columns[0].push_back(static_cast<double>(widths[i]));
      columns[1].push_back(static_cast<double>(stride) * static_cast<double>(widths[i]));
      columns[2].push_back(sweeps[i].cycles[stride]);
      columns[3].push_back(static_cast<double>(sweeps[i].passes[stride]));
    }
  }
  session.evidence(stride_curve,
                   std::vector{column("width_bytes", columns[0]), column("stride_bytes", columns[1]),
                               column("latency_cycles", columns[2]), column("predicted_passes", columns[3])});
}

}  // namespace

void find_banks(const Session& session) {
  expect_shared_memory(session);
  const Distances distances = conflict_distances(session, shared_access::default_mode);
  session.evidence(distance_curve,
                   std::vector{column("distance_bytes", distances.bytes), column("latency_cycles", distances.cycles)});
  if (!distances.pattern) {
    const std::string reason = distances.threshold ? "conflicts of two lanes are not periodic in their distance"
                                                   : "all distances between two lanes have the same latency";
    for (const char* key : {"shared.banks", "shared.bank_width", "shared.phase_lanes", "shared.phases", "shared.modes",
                            "shared.conflict_latency"}) {
      session.inconclusive(key, reason);
    }
    return;
  }
  const double conflict = conflict_cycles(distances);
  const std::int64_t together = lanes_together(same_word_latencies(session), conflict);
  std::array<Sweep, widths.size()> sweeps;
  bool agrees = true;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    sweeps[i] = stride_sweep(session, *distances.pattern, together, widths[i]);
    agrees = agrees && !sweeps[i].cycles.empty() && follow_passes(sweeps[i].cycles, sweeps[i].passes);
  }
  keep_sweeps(session, sweeps);
  publish_pattern(session, *distances.pattern, together, agrees);
  const LatencyOfPasses known = find_conflict_latency(session, *distances.pattern, together);
  find_phases(session, sweeps, known, conflict);
  find_modes(session);
}

}  // namespace tomograph::shared_memory
