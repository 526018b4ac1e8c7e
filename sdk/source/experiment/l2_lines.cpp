#include "tomograph/l2_lines.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "scalar_parameters.hpp"

namespace tomograph::l2_lines {

namespace {

constexpr std::size_t most_lines = std::size_t{1} << 20;  // limit of the format

std::vector<std::int64_t> list(const Experiment& experiment, std::string_view name) {
  const auto values = numbers<std::int64_t>(experiment.parameters, name);
  return {values.begin(), values.end()};
}

void add_list(Experiment& experiment, const char* name, const std::vector<std::int64_t>& values) {
  experiment.parameters.add({name, values});
}

std::optional<std::string> memory_violation(const Memory& memory) {
  if (auto why = outside("pages", memory.pages, 1, 64)) return why;
  if (auto why = outside("line_size", memory.line_size, 32, 4096)) return why;
  if (std::has_single_bit(static_cast<std::uint64_t>(memory.line_size))) return std::nullopt;
  return "line_size is " + std::to_string(memory.line_size) + ", must be a power of two";
}

std::optional<std::string> lines_violation(const Memory& memory, const std::vector<std::int64_t>& lines) {
  if (lines.empty() || lines.size() > most_lines) return "lines must be from 1 to 1048576";
  const std::int64_t all = memory.pages * memory.lines_per_page();
  const auto is_outside = [all](std::int64_t line) { return line < 0 || line >= all; };
  if (std::ranges::none_of(lines, is_outside)) return std::nullopt;
  return "lines names one that the pages do not have";
}

std::optional<std::string> sms_violation(const std::vector<std::int64_t>& sms) {
  const bool ascends = std::ranges::adjacent_find(sms, std::ranges::greater_equal()) == sms.end();
  if (ascends && (sms.empty() || sms.front() >= 0)) return std::nullopt;
  return "sms must ascend from 0 or more";
}

std::vector<std::int64_t> concatenated(const std::vector<std::vector<std::int64_t>>& sets) {
  std::vector<std::int64_t> lines;
  for (const auto& set : sets) lines.insert(lines.end(), set.begin(), set.end());
  return lines;
}

std::vector<double> reals(const Answer& answer, std::string_view name, std::size_t expected) {
  const auto values = numbers<double>(answer.arrays, name);
  if (expected == 0 || values.size() == expected) return {values.begin(), values.end()};
  throw std::invalid_argument("array '" + std::string(name) + "' does not fit the program");
}

}  // namespace

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
                                 {"pages", "line_size", "warps", "loads", "trial", "lines", "count", "sms"});
  Contention program{.memory = {scalars.at("pages"), scalars.at("line_size")},
                     .sets = {},
                     .sms = list(experiment, "sms"),
                     .warps = scalars.at("warps"),
                     .loads = scalars.at("loads"),
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

Arrays encode(const LatencyResult& result) {
  return {{"latency", result.latency}, {"noise", result.noise}, {"cycles", result.cycles}};
}

Arrays encode(const ContentionResult& result) { return {{"rate", result.rate}, {"cycles", result.cycles}}; }

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

std::optional<std::string> violation(const Latencies& program) {
  if (auto why = memory_violation(program.memory)) return why;
  if (auto why = lines_violation(program.memory, program.lines)) return why;
  if (auto why = sms_violation(program.sms)) return why;
  if (auto why = outside("rounds", program.rounds, 2, 24)) return why;
  if (program.rounds % 2 == 0) return std::nullopt;
  return "rounds is " + std::to_string(program.rounds) + ", must be even";
}

std::optional<std::string> violation(const Contention& program) {
  if (auto why = memory_violation(program.memory)) return why;
  if (auto why = lines_violation(program.memory, concatenated(program.sets))) return why;
  if (auto why = sms_violation(program.sms)) return why;
  if (auto why = outside("warps", program.warps, 1, 32)) return why;
  return outside("loads", program.loads, 1, 65536);
}

}  // namespace tomograph::l2_lines
