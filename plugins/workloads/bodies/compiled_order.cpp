#include "bodies/compiled_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tomograph::workloads {

namespace {

using kernel::Instruction;

/// When an instruction is issued: batch of loads, loads in a row that it waits for, whether no load needs it.
using Time = std::tuple<std::size_t, std::size_t, bool>;

/// Runs `visit` for each need of instruction i that lies in the run, too.
template <typename Visit>
void visit_needs(std::span<const Instruction> all, std::size_t first, std::size_t i, Visit visit) {
  for (const std::int32_t need : all[i].needs) {
    if (need >= static_cast<std::int32_t>(first)) visit(static_cast<std::size_t>(need));
  }
}

bool is_load(const Instruction& instruction) { return instruction.operation == kernel::Operation::load; }

constexpr std::size_t none = ~std::size_t{0};

/// For each instruction from `first` to `end`, the first batch of loads that needs it or that it is of; else `none`.
std::vector<std::size_t> batches_fed(std::span<const Instruction> all, std::size_t first, std::size_t end) {
  std::vector<std::size_t> fed(end - first, none);
  auto loads = static_cast<std::size_t>(std::ranges::count_if(all.subspan(first, end - first), is_load));
  for (std::size_t i = end; i-- > first;) {
    if (is_load(all[i])) fed[i - first] = std::min(fed[i - first], --loads / loads_at_once);
    visit_needs(all, first, i,
                [&](std::size_t need) { fed[need - first] = std::min(fed[need - first], fed[i - first]); });
  }
  return fed;
}

/// The times of the instructions from `first` to `end`. None is before that of an instruction that it needs.
std::vector<Time> times_of(std::span<const Instruction> all, std::size_t first, std::size_t end) {
  const std::vector<std::size_t> fed = batches_fed(all, first, end);
  std::vector<Time> times(end - first);
  for (std::size_t i = first; i < end; ++i) {
    const bool is_use = fed[i - first] == none;
    std::size_t batch = is_use ? 0 : fed[i - first];
    if (is_use) {
      visit_needs(all, first, i, [&](std::size_t need) { batch = std::max(batch, std::get<0>(times[need - first])); });
    }
    std::size_t waits = 0;
    visit_needs(all, first, i, [&](std::size_t need) {
      const auto& [other, before, unused] = times[need - first];
      if (other == batch) waits = std::max(waits, before + (is_load(all[need]) ? 1 : 0));
    });
    times[i - first] = {batch, waits, is_use};
  }
  return times;
}

}  // namespace

void order_as_compiled(std::vector<Instruction>& instructions, std::span<const std::size_t> ends) {
  std::vector<std::size_t> order(instructions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    const std::vector<Time> times = times_of(instructions, first, end);
    std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](std::size_t a, std::size_t b) { return times[a - first] < times[b - first]; });
    first = end;
  }
  std::vector<std::int32_t> place(order.size());
  std::vector<Instruction> ordered;
  ordered.reserve(order.size());
  for (const std::size_t i : order) {
    place[i] = static_cast<std::int32_t>(ordered.size());
    ordered.push_back(instructions[i]);
  }
  for (Instruction& instruction : ordered) {
    for (std::int32_t& need : instruction.needs) {
      if (need != Instruction::no_need) need = place[static_cast<std::size_t>(need)];
    }
  }
  instructions = std::move(ordered);
}

}  // namespace tomograph::workloads
