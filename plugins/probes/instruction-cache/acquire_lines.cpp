#include <algorithm>
#include <string>

#include "acquire_walks.hpp"
#include "analysis_levels.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::instruction_cache {

namespace {

/// Blocks of which a far walk visits one.
constexpr std::int64_t places = far_bytes / block_bytes;

/// A walk after which one level holds nothing of the code that is then fetched, while the level behind holds all of it.
struct Setting {
  std::string prefix;
  std::int64_t nodes;  ///< fetched blocks, a small part of the level
  std::int64_t flush;  ///< bytes of other code that fill the level
};

/// The level behind fetches all blocks, and other code evicts them from this level. Then one block in eight is fetched,
/// and another one of each eight is timed.
Walk walk_of(const Setting& setting, std::int64_t fetched, std::int64_t timed, std::int64_t trial) {
  const std::int64_t region = setting.nodes * far_bytes;
  Walk walk{{}, trial};
  walk.laps.push_back({0, region / block_bytes, false});
  for (int lap = 0; lap < 2; ++lap) walk.laps.push_back({region, setting.flush / block_bytes, false});
  walk.laps.push_back({fetched * block_bytes, setting.nodes, true});
  walk.laps.push_back({timed * block_bytes, setting.nodes, true});
  return walk;
}

void find_line(const Session& session, const Setting& setting, double penalty) {
  std::vector<Walk> walks;
  for (std::int64_t fetched = 0; fetched < places; ++fetched) {
    for (std::int64_t timed = 0; timed < places; ++timed) walks.push_back(walk_of(setting, fetched, timed, 0));
  }
  const auto latencies = time_walks(session, walks);
  std::vector<double> medians;
  for (const auto& one : latencies) medians.push_back(analysis::median(one));
  const std::string key = setting.prefix + ".line_size";
  session.evidence(key, std::vector<NamedArray>{{"latency_cycles", medians}});
  const auto line = line_blocks(found_before(medians, penalty));
  if (!line) {
    return session.inconclusive(key,
                                "no line of 128 B to 1 KiB explains which blocks before a fetched one hit; prefetching "
                                "may bring them");
  }
  session.publish({.key = key,
                   .value = *line * block_bytes,
                   .method = "block-before-the-fetched",
                   .confidence = confidence::instruction_cache::line_size,
                   .samples = latencies.size(),
                   .conditions = {{"resolution", block_bytes}},
                   .evidence = key});
}

}  // namespace

void find_lines(const Session& session) {
  for (const std::string prefix : {"instruction_l1", "instruction_l15"}) {
    const auto size = session.fact<std::int64_t>(prefix + ".size");
    const auto penalty = session.fact<double>(prefix + ".miss_penalty");
    const std::string key = prefix + ".line_size";
    if (!size || !penalty) {
      session.absent(key, "no " + prefix + " was found");
      continue;
    }
    const std::int64_t nodes = *size / far_bytes / 4;
    const std::int64_t rest = code_bytes - nodes * far_bytes;
    if (nodes < 4 || rest < *size * 3 / 2) {
      session.inconclusive(key, "there is too little other code to fill the level");
      continue;
    }
    find_line(session, {prefix, nodes, std::min(*size * 2, rest) / far_bytes * far_bytes}, *penalty);
  }
}

}  // namespace tomograph::instruction_cache
