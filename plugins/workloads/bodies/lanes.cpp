
#include "bodies/lanes.hpp"

#include <algorithm>
#include <utility>

#include "bodies/compiled_order.hpp"

namespace tomograph::workloads {

namespace {

constexpr std::uint32_t element_bytes = 4;  // of all arrays of the workloads

thread_local Recorder* current_recorder = nullptr;

}  // namespace

Recorder::Recorder() : outer_(std::exchange(current_recorder, this)) {}
Recorder::~Recorder() { current_recorder = outer_; }
Recorder& Recorder::current() { return *current_recorder; }

std::int32_t Recorder::note(kernel::Operation operation, std::array<std::int32_t, 3> needs) {
  return note_result({.instruction = {.operation = operation, .needs = needs}});
}

std::int32_t Recorder::note_result(Written written) {
  written.instruction.lanes = static_cast<std::uint8_t>(mask.count());
  written.mask = mask;
  written_.instructions.push_back(written);
  return static_cast<std::int32_t>(written_.instructions.size()) - 1;
}

std::int32_t Recorder::assigned(std::int32_t producer) {
  const bool stays_constant = mask.all() && loops == 0;
  if (producer == kernel::Instruction::no_need && !stays_constant) {
    const auto own_number = static_cast<std::int64_t>(written_.instructions.size());
    producer = note_result({.instruction = {.operation = kernel::Operation::integer},
                            .computation = Computation::other,
                            .constants = {own_number}});
  }
  if (loops > 0) written_.instructions[static_cast<std::size_t>(producer)].is_of_loop = true;
  return producer;
}

std::int32_t Recorder::note_access(kernel::Operation operation, std::array<std::int32_t, 3> needs,
                                   const std::array<std::uint64_t, warp_lanes>& addresses) {
  ++accesses_;
  const std::int32_t position = note(operation, needs);
  kernel::Instruction& instruction = written_.instructions.back().instruction;
  instruction.returns = operation != kernel::Operation::atomic;  // no body uses what an atomic returns
  instruction.first_sector = static_cast<std::uint32_t>(sectors_.size());
  const auto first = static_cast<std::ptrdiff_t>(sectors_.size());
  std::vector<std::uint64_t> active;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if (!mask[lane]) continue;
    active.push_back(addresses[lane]);
    const std::uint64_t sector = addresses[lane] / kernel::sector_bytes;
    if (std::find(sectors_.begin() + first, sectors_.end(), sector) == sectors_.end()) {
      sectors_.push_back(sector);
    }
  }
  instruction.sector_count = static_cast<std::uint32_t>(sectors_.size()) - instruction.first_sector;
  instruction.fills_sectors = active.size() * element_bytes >= kernel::sector_bytes * instruction.sector_count;
  if (operation == kernel::Operation::load) {
    instruction.bank_words = kernel::bank_words(active, element_bytes);
  } else {
    end_run();
  }
  return position;
}

kernel::Warp Recorder::take() {
  end_run();
  compile_arithmetic(written_);
  kernel::Warp warp{.instructions = {}, .sectors = std::move(sectors_)};
  for (const Written& written : written_.instructions) warp.instructions.push_back(written.instruction);
  order_as_compiled(warp.instructions, written_.ends);
  return warp;
}

HostMachine::Int HostMachine::thread() const {
  Int numbers;
  const std::size_t first = std::size_t{cta_} * static_cast<std::size_t>(cta_threads) + warp_ * warp_lanes;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    numbers.values[lane] = static_cast<std::int32_t>(first + lane);
  }
  numbers.producer = Recorder::current().note(kernel::Operation::integer, {-1, -1, -1});
  return numbers;
}

Mask HostMachine::branch(const Bool& condition) {
  Recorder& recorder = Recorder::current();
  const Mask before = recorder.mask;
  recorder.note(kernel::Operation::integer, {condition.producer, -1, -1});
  recorder.end_run();
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    if (!condition.values[lane]) recorder.mask.reset(lane);
  }
  return before;
}

}  // namespace tomograph::workloads
