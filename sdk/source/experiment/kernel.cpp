#include "tomograph/kernel.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include "scalar_parameters.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::kernel {

namespace {

/// As in tomograph/abi/kernel.h.
constexpr std::int64_t no_need = -1;
constexpr std::size_t most_needs = 3;
constexpr std::size_t most_arguments = 4;
/// Integer instructions that make an address depend on results.
constexpr std::int64_t needed_by_address = 2;
using Arguments = std::array<std::int64_t, most_arguments>;

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

Arguments arguments_of(const Pattern& pattern) {
  return std::visit(
      Overloaded{[](const Stride& p) {
                   return Arguments{p.lane_stride, p.warp_stride, p.iteration_stride, p.offset};
                 },
                 [](const Hash& p) {
                   return Arguments{p.group, p.block, p.seed};
                 },
                 [](const Gather& p) { return Arguments{p.index}; },
                 [](const Stencil& p) {
                   return Arguments{p.width, p.dx, p.dy};
                 },
                 [](const Csr& p) { return Arguments{p.row}; }, [](const Column& p) { return Arguments{p.width}; }},
      pattern);
}

Pattern pattern_of(std::int64_t kind, std::span<const std::int64_t> a) {
  switch (kind) {
    case TOMOGRAPH_KERNEL_STRIDE: return Stride{a[0], a[1], a[2], a[3]};
    case TOMOGRAPH_KERNEL_HASH: return Hash{a[0], a[1], a[2]};
    case TOMOGRAPH_KERNEL_GATHER: return Gather{a[0]};
    case TOMOGRAPH_KERNEL_STENCIL: return Stencil{a[0], a[1], a[2]};
    case TOMOGRAPH_KERNEL_CSR: return Csr{a[0]};
    case TOMOGRAPH_KERNEL_COLUMN: return Column{a[0]};
    default: throw std::invalid_argument("parameter 'pattern' has no meaning for " + std::to_string(kind));
  }
}

bool accesses_memory(Operation operation) {
  return operation == Operation::load || operation == Operation::store || operation == Operation::atomic;
}

/// The one-element parameters, with the field that holds each and the default of those that are optional.
struct Scalar {
  const char* name;
  std::int64_t Kernel::*field;
  bool is_optional;
};
constexpr std::array<Scalar, 9> scalars{{{"warps", &Kernel::warps, false},
                                         {"ctas", &Kernel::ctas, false},
                                         {"ctas_per_sm", &Kernel::ctas_per_sm, false},
                                         {"iterations", &Kernel::iterations, false},
                                         {"footprint", &Kernel::footprint, false},
                                         {"warm_passes", &Kernel::warm_passes, true},
                                         {"carveout", &Kernel::carveout, true},
                                         {"timed", &Kernel::timed, true},
                                         {"trial", &Kernel::trial, true}}};

constexpr std::array<const char*, 9> lists{"operation", "count", "lanes", "pattern",  "element",
                                           "cache",     "base",  "span",  "arguments"};

/// A parameter with `per_step` elements for each instruction.
std::span<const std::int64_t> list(const Experiment& experiment, const char* name, std::size_t steps,
                                   std::size_t per_step = 1) {
  const auto values = numbers<std::int64_t>(experiment.parameters, name);
  if (values.size() == steps * per_step) return values;
  throw std::invalid_argument("parameter '" + std::string(name) + "' has " + std::to_string(values.size()) +
                              " elements, expected " + std::to_string(per_step) + " for each instruction");
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> names{"needs", "sm"};
  for (const Scalar& one : scalars) names.emplace_back(one.name);
  names.insert(names.end(), lists.begin(), lists.end());
  return names;
}

std::int64_t enumerator(std::int64_t value, std::int64_t last, const char* name) {
  if (value >= 0 && value <= last) return value;
  throw std::invalid_argument("parameter '" + std::string(name) + "' has no meaning for " + std::to_string(value));
}

std::vector<Step> decode_steps(const Experiment& experiment) {
  const std::size_t steps = numbers<std::int64_t>(experiment.parameters, "operation").size();
  const auto of = [&](const char* name, std::size_t per_step = 1) { return list(experiment, name, steps, per_step); };
  const auto operation = of("operation");
  const auto count = of("count");
  const auto lanes = of("lanes");
  const auto needs = of("needs", most_needs);
  const auto pattern = of("pattern");
  const auto element = of("element");
  const auto cache = of("cache");
  const auto base = of("base");
  const auto span = of("span");
  const auto arguments = of("arguments", most_arguments);
  std::vector<Step> loop(steps);
  for (std::size_t k = 0; k < steps; ++k) {
    Step& step = loop[k];
    step.operation = static_cast<Operation>(enumerator(operation[k], TOMOGRAPH_KERNEL_BARRIER, "operation"));
    step.count = count[k];
    step.lanes = lanes[k];
    for (const std::int64_t need : needs.subspan(k * most_needs, most_needs)) {
      if (need != no_need) step.needs.push_back(need);
    }
    if (!accesses_memory(step.operation)) continue;
    step.access = Access{.pattern = pattern_of(pattern[k], arguments.subspan(k * most_arguments, most_arguments)),
                         .element = element[k],
                         .cache = static_cast<Cache>(enumerator(cache[k], TOMOGRAPH_KERNEL_NC, "cache")),
                         .base = base[k],
                         .span = span[k]};
  }
  return loop;
}

}  // namespace

bool has_result(const Step& step) {
  return step.operation != Operation::store && step.operation != Operation::shared_store &&
         step.operation != Operation::barrier;
}

std::vector<bool> needed_results(const Kernel& kernel) {
  const auto steps = static_cast<std::int64_t>(kernel.loop.size());
  std::vector<bool> is_needed(kernel.loop.size());
  for (const Step& step : kernel.loop) {
    for (const std::int64_t need : step.needs) is_needed[static_cast<std::size_t>(need % steps)] = true;
    if (!step.access) continue;
    const auto* gather = std::get_if<Gather>(&step.access->pattern);
    if (gather != nullptr) is_needed[static_cast<std::size_t>(gather->index)] = true;
  }
  return is_needed;
}

std::vector<std::int64_t> unneeded_results(const Kernel& kernel) {
  const std::vector<bool> is_needed = needed_results(kernel);
  std::vector<std::int64_t> unneeded;
  for (std::size_t k = 0; k < kernel.loop.size(); ++k) {
    const bool is_reduction = kernel.loop[k].operation == Operation::atomic;
    if (!is_needed[k] && !is_reduction && has_result(kernel.loop[k])) unneeded.push_back(static_cast<std::int64_t>(k));
  }
  return unneeded;
}

std::vector<std::int64_t> address_needs(const Step& step) {
  if (step.needs.empty() || step.operation == Operation::load || step.operation == Operation::shared_load) {
    return step.needs;
  }
  return {step.needs.begin() + 1, step.needs.end()};
}

std::int64_t address_instructions(const Step& step) {
  if (step.operation == Operation::shared_load && !step.needs.empty()) return needed_by_address;
  if (!step.access) return 0;
  const std::int64_t chain = std::visit(
      Overloaded{[](const Stride&) { return 4; }, [](const Hash&) { return 3; }, [](const Gather&) { return 2; },
                 [](const Stencil&) { return 4; }, [](const Csr&) { return 3; }, [](const Column&) { return 5; }},
      step.access->pattern);
  return chain + (address_needs(step).empty() ? 0 : needed_by_address);
}

std::int64_t combining_instructions(const Kernel& kernel) {
  return (static_cast<std::int64_t>(unneeded_results(kernel).size()) + 1) / 2;
}

std::int64_t instructions_per_iteration(const Kernel& kernel) {
  std::int64_t sum = combining_instructions(kernel) + loop_instructions;
  for (const Step& step : kernel.loop) sum += step.count + address_instructions(step);
  return sum;
}

std::int64_t instructions(const Kernel& kernel) {
  return kernel.ctas * kernel.warps * kernel.iterations * instructions_per_iteration(kernel);
}

Experiment encode(const Kernel& kernel) {
  Experiment experiment{TOMOGRAPH_KERNEL_ID, {}};
  for (const Scalar& scalar : scalars) experiment.parameters.add({scalar.name, kernel.*scalar.field});
  std::array<std::vector<std::int64_t>, lists.size()> columns;
  std::vector<std::int64_t> needs;
  for (const Step& step : kernel.loop) {
    const Access access = step.access.value_or(Access{.element = 0});
    const Arguments arguments = step.access ? arguments_of(access.pattern) : Arguments{};
    const std::array<std::int64_t, lists.size() - 1> row{static_cast<std::int64_t>(step.operation),
                                                         step.count,
                                                         step.lanes,
                                                         static_cast<std::int64_t>(access.pattern.index()),
                                                         access.element,
                                                         static_cast<std::int64_t>(access.cache),
                                                         access.base,
                                                         access.span};
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
    columns.back().insert(columns.back().end(), arguments.begin(), arguments.end());
    for (std::size_t i = 0; i < most_needs; ++i) needs.push_back(i < step.needs.size() ? step.needs[i] : no_need);
  }
  for (std::size_t i = 0; i < lists.size(); ++i) experiment.parameters.add({lists[i], columns[i]});
  experiment.parameters.add({"needs", needs});
  if (!kernel.sms.empty()) experiment.parameters.add({"sm", kernel.sms});
  return experiment;
}

Kernel decode(const Experiment& experiment) {
  expect_known_once(experiment, names());
  Kernel kernel;
  for (const Scalar& one : scalars) {
    if (one.is_optional && find(experiment.parameters, one.name) == nullptr) continue;
    kernel.*one.field = scalar<std::int64_t>(experiment.parameters, one.name);
  }
  if (find(experiment.parameters, "sm") != nullptr) kernel.sms = list_of<std::int64_t>(experiment.parameters, "sm");
  kernel.loop = decode_steps(experiment);
  return kernel;
}

Arrays encode(const Result& result) {
  return {{"elapsed", result.elapsed_ns},
          {"cycles", result.cycles},
          {"clock", result.clock_hz},
          {"latency", result.latency},
          {"instructions", result.instructions}};
}

Result decode_result(const Kernel& /*kernel*/, const Answer& answer) {
  return {.elapsed_ns = scalar<double>(answer.arrays, "elapsed"),
          .cycles = list_of<double>(answer.arrays, "cycles"),
          .clock_hz = scalar<double>(answer.arrays, "clock"),
          .latency = scalar<double>(answer.arrays, "latency"),
          .instructions = scalar<std::int64_t>(answer.arrays, "instructions")};
}

}  // namespace tomograph::kernel
