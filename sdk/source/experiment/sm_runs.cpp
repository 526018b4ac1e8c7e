#include "tomograph/sm_runs.hpp"

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "tomograph/scalars.hpp"

namespace tomograph {

namespace {

using Column = std::pair<const char*, std::uint32_t SmRun::*>;
constexpr std::array columns{Column{"cycles", &SmRun::cycles}, Column{"sm", &SmRun::sm}, Column{"ctas", &SmRun::ctas},
                             Column{"concurrent", &SmRun::concurrent}};

}  // namespace

Arrays encode(const SmRuns& runs) {
  Arrays arrays;
  for (const auto& [name, field] : columns) {
    std::vector<std::uint32_t> values;
    for (const SmRun& run : runs.runs) values.push_back(std::invoke(field, run));
    arrays.add({name, values});
  }
  arrays.add({"instructions", runs.instructions});
  return arrays;
}

SmRuns decode_sm_runs(const Answer& answer, std::int64_t repetitions) {
  SmRuns runs;
  runs.runs.resize(static_cast<std::size_t>(repetitions));
  for (const auto& [name, field] : columns) {
    const auto values = numbers<std::uint32_t>(answer.arrays, name);
    if (values.size() != runs.runs.size()) {
      throw std::invalid_argument("array '" + std::string(name) + "' does not fit the repetitions");
    }
    for (std::size_t i = 0; i < values.size(); ++i) std::invoke(field, runs.runs[i]) = values[i];
  }
  runs.instructions = scalar<std::int64_t>(answer.arrays, "instructions");
  return runs;
}

}  // namespace tomograph
