#include "tomograph/l2_lines.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include "scalar_parameters.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::l2_lines {

namespace {

// Limits of the format.
constexpr std::int64_t most_pages = 512;
constexpr std::size_t most_lines = std::size_t{1} << 20;
constexpr std::int64_t most_targets = std::int64_t{1} << 23;
constexpr std::size_t most_runs = 2048;

std::vector<std::int64_t> list(const Experiment& experiment, std::string_view name) {
  return list_of<std::int64_t>(experiment.parameters, name);
}

bool has(const Experiment& experiment, std::string_view name) {
  return std::ranges::any_of(experiment.parameters, [&](const ArrayView& array) { return array.name() == name; });
}

void add_list(Experiment& experiment, const std::string& name, const std::vector<std::int64_t>& values) {
  experiment.parameters.add({name.c_str(), values});
}

std::optional<std::string> memory_violation(const Memory& memory) {
  if (auto why = outside("pages", memory.pages, 1, most_pages)) return why;
  if (auto why = outside("line_size", memory.line_size, 32, 4096)) return why;
  if (std::has_single_bit(static_cast<std::uint64_t>(memory.line_size))) return std::nullopt;
  return "line_size is " + std::to_string(memory.line_size) + ", must be a power of two";
}

std::optional<std::string> lines_violation(const Memory& memory, const std::vector<std::int64_t>& lines) {
  if (lines.empty() || lines.size() > most_lines) return "lines must be from 1 to 1048576";
  const auto is_outside = [&](std::int64_t line) { return line < 0 || line >= memory.lines(); };
  if (std::ranges::none_of(lines, is_outside)) return std::nullopt;
  return "lines names one that the pages do not have";
}

std::optional<std::string> sms_violation(const char* name, const std::vector<std::int64_t>& sms) {
  const bool ascends = std::ranges::adjacent_find(sms, std::ranges::greater_equal()) == sms.end();
  if (ascends && (sms.empty() || sms.front() >= 0)) return std::nullopt;
  return std::string(name) + " must ascend from 0 or more";
}

/// The observers or the walkers.
std::optional<std::string> party_violation(const char* name, const std::vector<std::int64_t>& sms) {
  if (sms.empty()) return std::string(name) + " must name at least one SM";
  return sms_violation(name, sms);
}

bool lies_within(const Run& run, std::int64_t limit) {
  return run.first >= 0 && run.count >= 1 && run.count <= limit - run.first;
}

std::optional<std::string> test_violation(const EvictionTest& test, std::int64_t lines) {
  if (test.targets.empty()) return "a test has no target";
  if (std::max(test.targets.size(), test.walk.size()) > most_runs) return "a test has more than 2048 runs";
  const auto is_within = [lines](const Run& run) { return lies_within(run, lines); };
  if (!std::ranges::all_of(test.targets, is_within)) return "targets are not lines of the pages";
  if (!std::ranges::all_of(test.walk, is_within)) return "a walk has places that the pages do not have";
  return std::nullopt;
}

std::vector<std::int64_t> concatenated(const std::vector<std::vector<std::int64_t>>& sets) {
  std::vector<std::int64_t> lines;
  for (const auto& set : sets) lines.insert(lines.end(), set.begin(), set.end());
  return lines;
}

using RunsByTest = std::vector<std::vector<Run>>;

/// Runs from three arrays: their number by test, first elements and lengths.
RunsByTest runs_by_test(const Experiment& experiment, const std::string& prefix) {
  const auto runs = list(experiment, prefix + ".runs");
  const auto first = list(experiment, prefix + ".first");
  const auto count = list(experiment, prefix + ".count");
  RunsByTest all;
  std::size_t next = 0;
  for (const std::int64_t number : runs) {
    if (number < 0 || static_cast<std::uint64_t>(number) > std::min(first.size(), count.size()) - next) break;
    all.emplace_back();
    for (const std::size_t end = next + static_cast<std::size_t>(number); next < end; ++next) {
      all.back().push_back({first[next], count[next]});
    }
  }
  if (all.size() == runs.size() && next == first.size() && next == count.size()) return all;
  throw std::invalid_argument("parameters '" + prefix + ".runs', '.first' and '.count' do not fit each other");
}

void add_runs(Experiment& experiment, const std::string& prefix, const RunsByTest& by_test) {
  std::vector<std::int64_t> runs;
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> count;
  for (const auto& own : by_test) {
    runs.push_back(std::ssize(own));
    for (const Run& run : own) {
      first.push_back(run.first);
      count.push_back(run.count);
    }
  }
  add_list(experiment, prefix + ".runs", runs);
  add_list(experiment, prefix + ".first", first);
  add_list(experiment, prefix + ".count", count);
}

std::vector<double> reals(const Answer& answer, std::string_view name, std::size_t expected) {
  const auto values = numbers<double>(answer.arrays, name);
  if (expected == 0 || values.size() == expected) return {values.begin(), values.end()};
  throw std::invalid_argument("array '" + std::string(name) + "' does not fit the program");
}

}  // namespace

std::int64_t Evictions::line_at(std::int64_t place) const {
  const auto lines = static_cast<std::uint64_t>(memory.lines());  // a power of two: what overflows does not count
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(place) * static_cast<std::uint64_t>(step) % lines);
}

std::int64_t Evictions::targets() const {
  std::int64_t all = 0;
  for (const EvictionTest& test : tests) all += size_of(test.targets);
  return all;
}

std::int64_t size_of(const std::vector<Run>& runs) {
  std::int64_t elements = 0;
  for (const Run& run : runs) elements += run.count;
  return elements;
}

Experiment encode(const Latencies& program) {
  Experiment experiment = encode_scalars(TOMOGRAPH_L2_LATENCY_ID, {{"pages", program.memory.pages},
                                                                   {"line_size", program.memory.line_size},
                                                                   {"rounds", program.rounds},
                                                                   {"trial", program.trial}});
  add_list(experiment, "lines", program.lines);
  add_list(experiment, "sms", program.sms);
  return experiment;
}

Experiment encode(const Contention& program) {
  Experiment experiment = encode_scalars(TOMOGRAPH_L2_CONTENTION_ID, {{"pages", program.memory.pages},
                                                                      {"line_size", program.memory.line_size},
                                                                      {"warps", program.warps},
                                                                      {"loads", program.loads},
                                                                      {"trial", program.trial}});
  std::vector<std::int64_t> counts;
  for (const auto& set : program.sets) counts.push_back(std::ssize(set));
  add_list(experiment, "lines", concatenated(program.sets));
  add_list(experiment, "count", counts);
  add_list(experiment, "sms", program.sms);
  if (program.atomic) add_list(experiment, "atomic", {1});
  return experiment;
}

Experiment encode(const Evictions& program) {
  Experiment experiment = encode_scalars(TOMOGRAPH_L2_EVICTION_ID, {{"pages", program.memory.pages},
                                                                    {"line_size", program.memory.line_size},
                                                                    {"step", program.step},
                                                                    {"walks", program.walks},
                                                                    {"limit", program.limit},
                                                                    {"trial", program.trial}});
  RunsByTest targets;
  RunsByTest walks;
  for (const EvictionTest& test : program.tests) {
    targets.push_back(test.targets);
    walks.push_back(test.walk);
  }
  add_runs(experiment, "target", targets);
  add_runs(experiment, "walk", walks);
  add_list(experiment, "observers", program.observers);
  add_list(experiment, "walkers", program.walkers);
  return experiment;
}

Experiment encode(const Loads& program) {
  Experiment experiment = encode_scalars(TOMOGRAPH_L2_LOADS_ID, {{"pages", program.memory.pages},
                                                                 {"line_size", program.memory.line_size},
                                                                 {"width", program.width},
                                                                 {"sm", program.sm},
                                                                 {"rest", program.rest},
                                                                 {"trial", program.trial}});
  if (program.apart) experiment.parameters.add({"apart", *program.apart});
  add_list(experiment, "lines", program.lines);
  return experiment;
}

Latencies decode_latencies(const Experiment& experiment) {
  const ScalarParameters scalars(experiment, {"pages", "line_size", "rounds", "trial", "lines", "sms"});
  return {.memory = {scalars.at("pages"), scalars.at("line_size")},
          .lines = list(experiment, "lines"),
          .sms = list(experiment, "sms"),
          .rounds = scalars.at("rounds"),
          .trial = scalars.at("trial")};
}

Contention decode_contention(const Experiment& experiment) {
  const ScalarParameters scalars(experiment,
                                 {"pages", "line_size", "warps", "loads", "atomic", "trial", "lines", "count", "sms"});
  Contention program{.memory = {scalars.at("pages"), scalars.at("line_size")},
                     .sets = {},
                     .sms = list(experiment, "sms"),
                     .warps = scalars.at("warps"),
                     .loads = scalars.at("loads"),
                     .atomic = has(experiment, "atomic") && scalars.at("atomic") != 0,
                     .trial = scalars.at("trial")};
  const auto lines = list(experiment, "lines");
  auto next = lines.begin();
  for (const std::int64_t count : list(experiment, "count")) {
    if (count < 1 || count > lines.end() - next) {
      throw std::invalid_argument("parameter 'count' does not fit the lines");
    }
    program.sets.emplace_back(next, next + count);
    next += count;
  }
  if (next != lines.end()) throw std::invalid_argument("parameter 'count' does not fit the lines");
  return program;
}

Evictions decode_evictions(const Experiment& experiment) {
  const ScalarParameters scalars(
      experiment, {"pages", "line_size", "step", "walks", "limit", "trial", "target.runs", "target.first",
                   "target.count", "walk.runs", "walk.first", "walk.count", "observers", "walkers"});
  Evictions program{.memory = {scalars.at("pages"), scalars.at("line_size")},
                    .step = scalars.at("step"),
                    .tests = {},
                    .walks = scalars.at("walks"),
                    .observers = list(experiment, "observers"),
                    .walkers = list(experiment, "walkers"),
                    .limit = scalars.at("limit"),
                    .trial = scalars.at("trial")};
  const auto targets = runs_by_test(experiment, "target");
  const auto walks = runs_by_test(experiment, "walk");
  if (targets.size() != walks.size()) throw std::invalid_argument("parameter 'walk.runs' does not fit 'target.runs'");
  for (std::size_t test = 0; test < targets.size(); ++test) program.tests.push_back({targets[test], walks[test]});
  return program;
}

Loads decode_loads(const Experiment& experiment) {
  const ScalarParameters scalars(experiment, {"pages", "line_size", "width", "apart", "sm", "rest", "trial", "lines"});
  const bool is_apart = find(experiment.parameters, "apart") != nullptr;
  return {.memory = {scalars.at("pages"), scalars.at("line_size")},
          .lines = list(experiment, "lines"),
          .width = scalars.at("width"),
          .apart = is_apart ? std::optional(scalars.at("apart")) : std::nullopt,
          .sm = scalars.at("sm"),
          .rest = scalars.at("rest"),
          .trial = scalars.at("trial")};
}

Arrays encode(const LatencyResult& result) {
  return {{"latency", result.latency}, {"noise", result.noise}, {"cycles", result.cycles}};
}

Arrays encode(const ContentionResult& result) { return {{"rate", result.rate}, {"cycles", result.cycles}}; }

Arrays encode(const EvictionResult& result) { return {{"late", result.late}, {"latency", result.latency}}; }

Arrays encode(const LoadsResult& result) {
  return {{"start", result.start},
          {"latency", result.latency},
          {"seconds", std::vector{result.seconds}},
          {"cycles", std::vector{result.cycles}}};
}

LatencyResult decode_result(const Latencies& program, const Answer& answer) {
  LatencyResult result;
  result.noise = reals(answer, "noise", program.sms.size());
  result.cycles = reals(answer, "cycles", result.noise.size());
  const auto latency = numbers<std::uint32_t>(answer.arrays, "latency");
  if (latency.empty() || latency.size() != result.noise.size() * program.lines.size()) {
    throw std::invalid_argument("array 'latency' does not fit the program");
  }
  result.latency.assign(latency.begin(), latency.end());
  return result;
}

ContentionResult decode_result(const Contention& program, const Answer& answer) {
  return {reals(answer, "rate", program.sets.size()), reals(answer, "cycles", program.sets.size())};
}

EvictionResult decode_result(const Evictions& program, const Answer& answer) {
  const auto late = numbers<std::uint32_t>(answer.arrays, "late");
  const auto latency = numbers<std::uint32_t>(answer.arrays, "latency");
  const bool ascends = std::ranges::adjacent_find(late, std::ranges::greater_equal()) == late.end();
  if (!ascends || (!late.empty() && late.back() >= program.targets())) {
    throw std::invalid_argument("array 'late' does not fit the program");
  }
  if (latency.size() != late.size()) throw std::invalid_argument("array 'latency' does not fit 'late'");
  return {{late.begin(), late.end()}, {latency.begin(), latency.end()}};
}

LoadsResult decode_result(const Loads& program, const Answer& answer) {
  const auto start = numbers<std::int64_t>(answer.arrays, "start");
  const auto latency = numbers<std::uint32_t>(answer.arrays, "latency");
  const auto cycles = numbers<std::int64_t>(answer.arrays, "cycles");
  if (start.size() != program.steps() || latency.size() != program.steps() || cycles.size() != 1) {
    throw std::invalid_argument("arrays 'start', 'latency' and 'cycles' do not fit the program");
  }
  return {{start.begin(), start.end()},
          {latency.begin(), latency.end()},
          reals(answer, "seconds", 1).front(),
          cycles.front()};
}

std::optional<std::string> violation(const Latencies& program) {
  if (auto why = memory_violation(program.memory)) return why;
  if (auto why = lines_violation(program.memory, program.lines)) return why;
  if (auto why = sms_violation("sms", program.sms)) return why;
  if (auto why = outside("rounds", program.rounds, 2, 24)) return why;
  if (program.rounds % 2 == 0) return std::nullopt;
  return "rounds is " + std::to_string(program.rounds) + ", must be even";
}

std::optional<std::string> violation(const Contention& program) {
  if (auto why = memory_violation(program.memory)) return why;
  if (auto why = lines_violation(program.memory, concatenated(program.sets))) return why;
  if (auto why = sms_violation("sms", program.sms)) return why;
  if (auto why = outside("warps", program.warps, 1, 32)) return why;
  return outside("loads", program.loads, 1, 65536);
}

std::optional<std::string> violation(const Evictions& program) {
  if (auto why = memory_violation(program.memory)) return why;
  if (!std::has_single_bit(static_cast<std::uint64_t>(program.memory.pages))) return "pages must be a power of two";
  if (program.step < 1 || program.step % 2 == 0) return "step must be odd";
  if (program.tests.empty()) return "there is no test";
  for (const EvictionTest& test : program.tests) {
    if (auto why = test_violation(test, program.memory.lines())) return why;
  }
  if (program.targets() > most_targets) return "there are more than 8388608 targets";
  if (auto why = outside("walks", program.walks, 1, 64)) return why;
  if (auto why = outside("limit", program.limit, 0, 1 << 20)) return why;
  if (auto why = party_violation("observers", program.observers)) return why;
  return party_violation("walkers", program.walkers);
}

std::optional<std::string> violation(const Loads& program) {
  if (auto why = memory_violation(program.memory)) return why;
  if (auto why = lines_violation(program.memory, program.lines)) return why;
  if (auto why = outside("width", program.width, 1, 2)) return why;
  if (program.steps() * static_cast<std::size_t>(program.width) != program.lines.size()) {
    return "the number of lines must be a multiple of width";
  }
  if (program.apart && program.width != 2) return "apart is given, but width is not 2";
  if (auto why = outside("apart", program.apart.value_or(0), 0, 65536)) return why;
  if (auto why = outside("sm", program.sm, 0, 1 << 20)) return why;
  return outside("rest", program.rest, 1, 65536);
}

}  // namespace tomograph::l2_lines
