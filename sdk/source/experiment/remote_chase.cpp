#include "tomograph/remote_chase.hpp"

#include <stdexcept>

#include "scalar_parameters.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::remote_chase {

std::vector<double> Result::seconds(const Program& program) const {
  std::vector<double> seconds;
  seconds.reserve(cycles.size());
  for (const double run : cycles) seconds.push_back(run / static_cast<double>(program.steps) / clock_hz);
  return seconds;
}

Experiment encode(const Program& program) {
  return encode_scalars(TOMOGRAPH_REMOTE_CHASE_ID, {{"place", program.place},
                                                    {"operation", static_cast<std::int64_t>(program.operation)},
                                                    {"nodes", program.nodes},
                                                    {"stride", program.stride},
                                                    {"steps", program.steps},
                                                    {"runs", program.runs},
                                                    {"trial", program.trial}});
}

Program decode(const Experiment& experiment) {
  const ScalarParameters scalars(experiment, {"place", "operation", "nodes", "stride", "steps", "runs", "trial"});
  return {.place = scalars.at("place"),
          .operation = scalars.enumerator("operation", Operation::atomic),
          .nodes = scalars.at("nodes"),
          .stride = scalars.at("stride"),
          .steps = scalars.at("steps"),
          .runs = scalars.at("runs"),
          .trial = scalars.at("trial")};
}

std::optional<std::string> violation(const Program& program) {
  if (auto why = outside("place", program.place, transfer::managed, 65535)) return why;
  if (program.place == transfer::pageable) return "a GPU does not load from pageable memory";
  if (auto why = outside("nodes", program.nodes, 2, 1048576)) return why;
  if (auto why = outside("stride", program.stride, 8, 2097152)) return why;
  if (program.stride % 8 != 0) return "stride is not a multiple of 8";
  if (auto why = outside("steps", program.steps, 1, 65536)) return why;
  if (auto why = outside("runs", program.runs, 1, 64)) return why;
  const bool visits_once = program.runs * program.steps == program.nodes;
  if (program.place == transfer::managed && !visits_once) return "managed memory is visited more than once";
  return std::nullopt;
}

Arrays encode(const Result& result) { return {{"cycles", result.cycles}, {"clock", result.clock_hz}}; }

Result decode_result(const Program& program, const Answer& answer) {
  Result result{.cycles = list_of<double>(answer.arrays, "cycles"), .clock_hz = scalar<double>(answer.arrays, "clock")};
  if (std::ssize(result.cycles) != program.runs) throw std::invalid_argument("there is not one time for each run");
  if (!(result.clock_hz > 0)) throw std::invalid_argument("the clock is not positive");
  return result;
}

}  // namespace tomograph::remote_chase
