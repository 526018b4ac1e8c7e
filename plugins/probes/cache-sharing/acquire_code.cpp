#include "acquire_code.hpp"

#include <array>
#include <map>
#include <span>
#include <string>

#include "tomograph/cache/questions.hpp"

namespace tomograph::cache_sharing {

namespace {

/// Of a level of 2 KiB with lines of 64 B, 56 tests: the share has a standard error of at most 6.7 %.
constexpr std::int64_t trials = 8;
constexpr std::array after_constants{Between::idle, Between::own, Between::rival};
constexpr std::array after_code{Between::nothing, Between::idle, Between::own, Between::all, Between::rival};

template <typename Make>
LatenciesAfter measure(const cache::Executor& execute, std::span<const Between> controls, Make make) {
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (const Between between : controls) programs.push_back(make(between, trial));
  }
  const auto results = execute(programs);
  LatenciesAfter seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto latencies = cache::net(results[i]);
    // The first load also translates its page.
    latencies.erase(latencies.begin());
    auto& own = seen[controls[i % controls.size()]];
    own.insert(own.end(), latencies.begin(), latencies.end());
  }
  return seen;
}

/// The most arrays, up to 4, that a program can have together.
std::int64_t arrays_together(const cache::Executor& execute, std::int64_t bytes) {
  for (std::int64_t arrays = 4; arrays > 1; --arrays) {
    chase::Program program;
    program.arrays.assign(static_cast<std::size_t>(arrays), {.bytes = bytes, .space = chase::Space::constant});
    program.actors = {{.path = chase::Path::constant}};
    program.rings = {{.stride = chase::node_bytes, .count = 1}};
    program.phases = {{.loads = 1}};
    try {
      (void)execute({&program, 1});
      return arrays;
    } catch (const Refused&) {
      continue;
    }
  }
  return 1;
}

void add_columns(std::vector<NamedArray>& all, const std::string& owner, const LatenciesAfter& seen) {
  static const std::map<Between, const char*> names{{Between::nothing, "at_once"},
                                                    {Between::idle, "after_idle_rival"},
                                                    {Between::own, "after_own_walk"},
                                                    {Between::all, "after_all_other_code"},
                                                    {Between::rival, "after_rivals_walk"}};
  for (const auto& [between, cycles] : seen) all.push_back({owner + "_cycles_" + names.at(between), cycles});
}

}  // namespace

CodeSharing sharing_with_code(const Session& session, const ConstantLevel& level, std::int64_t reach) {
  const auto execute = cache::executor(session);
  const CodePrograms programs(level, arrays_together(execute, reach), reach);
  const auto of_constants = measure(
      execute, after_constants, [&](Between one, std::int64_t trial) { return programs.constants_tested(one, trial); });
  const Direction constants_evicted{
      .evicted = eviction_evidence(of_constants, Between::own, level.before, level.threshold), .found = {}};
  CodeSharing found;
  found.samples = of_constants.at(Between::rival).size();
  add_columns(found.evidence, "constant", of_constants);
  std::optional<analysis::EffectEvidence> code_evicted;
  for (const TestedCode& mine : programs.codes()) {
    const auto of_code = measure(
        execute, after_code, [&](Between one, std::int64_t trial) { return programs.code_tested(mine, one, trial); });
    found.samples += of_code.at(Between::rival).size();
    add_columns(found.evidence, "code_of_" + std::to_string(mine.bytes) + "_B", of_code);
    code_evicted = programs.is_first() ? evidence_first(of_code) : evidence_behind(of_code);
    if (code_evicted) break;
  }
  found.verdict =
      relation(constants_evicted, {.evicted = code_evicted.value_or(analysis::EffectEvidence{}), .found = {}});
  return found;
}

}  // namespace tomograph::cache_sharing
