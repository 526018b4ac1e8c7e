#include "sim/chase/execution.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

/// Most bytes of code in a program, as on the CUDA device.
constexpr std::uint64_t most_code = std::uint64_t{256} << 10;

/// Independent random sequences of one program.
enum class Stream : std::uint64_t { sm = 1, placement, replacement, noise };

std::uint64_t stream_seed(std::uint64_t seed, Stream stream) { return mix(seed + static_cast<std::uint64_t>(stream)); }

}  // namespace

chase::Result Execution::run(const chase::Program& program) {
  expect_paths(program);
  expect_countable_uses(program);
  const std::uint64_t seed = mix(identity(program) ^ mix(options_.seed));
  place_actors(program, stream_seed(seed, Stream::sm));
  // Programs with equal arrays get equal virtual addresses, as on a GPU that runs them one after the other.
  const std::uint64_t addresses = mix(identity(program.arrays) ^ mix(options_.seed));
  const Placement placement(hierarchy_, program.arrays,
                            {stream_seed(addresses, Stream::placement), stream_seed(seed, Stream::placement)});
  expect_memory(program, placement);
  layout_.build(hierarchy_, program, placement);
  memory_.reset(program, layout_, sms_, sm_of_actor_, carveout(program), stream_seed(seed, Stream::replacement));
  noise_ = Random(stream_seed(seed, Stream::noise));
  outliers_.emplace(hierarchy_.gpu.noise, noise_);

  chase::Result result;
  result.overhead_each = static_cast<double>(hierarchy_.gpu.instrument.each_overhead);
  result.overhead_total = static_cast<double>(hierarchy_.gpu.instrument.total_overhead);
  result.kernel_shared = shared_bytes(program);
  for (const std::size_t sm : sm_of_actor_) result.sms.push_back(sms_[sm].number);
  for (const chase::Phase& phase : program.phases) run_phase(program, phase, result);
  return result;
}

/// Caches count uses in 31 bits. A load uses each line of its block, and the intruder may add one more.
void Execution::expect_countable_uses(const chase::Program& program) const {
  std::int64_t left = std::numeric_limits<std::int32_t>::max() / (hierarchy_.l2_lines(program) + 1);
  for (const chase::Phase& phase : program.phases) {
    if (phase.loads > left) throw Refused(TOMOGRAPH_INVALID, "the program has more than 2^31 loads");
    left -= phase.loads;
  }
}

void Execution::expect_paths(const chase::Program& program) const {
  for (const chase::Actor& actor : program.actors) {
    const bool described = (actor.path != chase::Path::shared || hierarchy_.gpu.shared_memory) &&
                           (actor.path != chase::Path::instruction || hierarchy_.gpu.serving(actor.path) != nullptr);
    if (described && hierarchy_.gpu.load_paths.has(actor.path)) continue;
    throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU has no loads on path " + name_of(actor.path));
  }
}

void Execution::expect_memory(const chase::Program& program, const Placement& placement) const {
  const auto size = hierarchy_.gpu.dram.size;
  if (size && placement.physical_bytes() > static_cast<std::uint64_t>(*size)) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "out of memory: the arrays take " +
                                             std::to_string(placement.physical_bytes()) + " B, the GPU has " +
                                             std::to_string(*size) + " B");
  }
  const auto& shared = hierarchy_.gpu.shared_memory;
  if (shared && shared_bytes(program) > shared->size_per_block) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the program takes " + std::to_string(shared_bytes(program)) +
                                             " B of shared memory, a CTA has " +
                                             std::to_string(shared->size_per_block) + " B");
  }
  if (const std::uint64_t code = bytes_in(chase::Space::instruction, program.arrays); code > most_code) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the arrays take " + std::to_string(code) +
                                             " B of instruction memory, a program has " + std::to_string(most_code) +
                                             " B");
  }
  const std::uint64_t constants = bytes_in(chase::Space::constant, program.arrays);
  const std::int64_t most = hierarchy_.gpu.constant_memory.size;
  if (constants > static_cast<std::uint64_t>(most)) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the arrays take " + std::to_string(constants) +
                                             " B of constant memory, a program has " + std::to_string(most) + " B");
  }
  const std::int64_t longest = hierarchy_.gpu.constant_memory.array.value_or(most);
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::constant || array.bytes <= longest) continue;
    throw Refused(TOMOGRAPH_UNSUPPORTED, "an array takes " + std::to_string(array.bytes) +
                                             " B of constant memory, one may have " + std::to_string(longest) + " B");
  }
}

void Execution::place_actors(const chase::Program& program, std::uint64_t seed) {
  const std::int64_t sm_count = hierarchy_.gpu.sm_count;
  const auto any = static_cast<std::int64_t>(Random(seed).below(static_cast<std::uint32_t>(sm_count)));
  std::vector<std::int64_t> numbers;
  sm_of_actor_.clear();
  for (const chase::Actor& actor : program.actors) {
    if (actor.sm >= sm_count || actor.sm < chase::any_sm) {
      throw Refused(TOMOGRAPH_INVALID, "an actor asks for SM " + std::to_string(actor.sm) + ", the GPU has SMs 0 to " +
                                           std::to_string(sm_count - 1));
    }
    const std::int64_t number = actor.sm == chase::any_sm ? any : actor.sm;
    const auto found = std::ranges::find(numbers, number);
    sm_of_actor_.push_back(static_cast<std::size_t>(found - numbers.begin()));
    if (found == numbers.end()) numbers.push_back(number);
  }
  sms_.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sms_[i].number = numbers[i];
    sms_[i].partition = hierarchy_.partition_of(numbers[i]);
    sms_[i].distances = hierarchy_.distances(numbers[i]);
  }
}

std::int64_t Execution::shared_bytes(const chase::Program& program) const {
  return hierarchy_.gpu.instrument.kernel_shared +
         static_cast<std::int64_t>(bytes_in(chase::Space::shared, program.arrays));
}

std::size_t Execution::carveout(const chase::Program& program) const {
  const std::int64_t taken = shared_bytes(program);
  if (const auto number = hierarchy_.carveout(program.carveout, taken)) return *number;
  throw Refused(TOMOGRAPH_INVALID, "a carve-out of " + std::to_string(std::max(program.carveout, taken)) +
                                       " B is asked for, at most " + std::to_string(*hierarchy_.largest_carveout()) +
                                       " B can be had");
}

void Execution::run_phase(const chase::Program& program, const chase::Phase& phase, chase::Result& result) {
  const auto number = static_cast<std::size_t>(phase.actor);
  const chase::Actor& actor = program.actors[number];
  std::vector<Walk> walks;
  for (std::int64_t warp = 0; warp < warps(actor.threads); ++warp) {
    walks.push_back(memory_.walk(program, phase, sms_[sm_of_actor_[number]], actor.warp + warp));
  }
  Schedule schedule(phase, walks.front().nodes, static_cast<std::size_t>(actor.threads));
  if (phase.timing == chase::Timing::each) {
    result.traces.push_back(time_each(walks.front(), schedule, static_cast<std::size_t>(phase.loads)));
    return;
  }
  const double total = time_total(walks, schedule, phase.timing, static_cast<std::size_t>(actor.threads));
  if (phase.timing == chase::Timing::total) result.totals.push_back(total);
}

chase::Result::Trace Execution::time_each(Walk& walk, Schedule& schedule, std::size_t loads) {
  const std::int64_t overhead = hierarchy_.gpu.instrument.each_overhead;
  chase::Result::Trace trace{std::vector<std::uint32_t>(loads), std::vector<std::uint32_t>(loads)};
  auto latency = trace.latency.begin();
  auto node = trace.node.begin();
  while (schedule.next(batch_)) {
    memory_.serve(walk, batch_);
    node = std::copy_n(batch_.position.begin(), batch_.size, node);
    for (std::size_t load = 0; load < batch_.size; ++load) {
      std::int64_t cycles = batch_.cycles[load];
      if (options_.noise) {
        cycles += hierarchy_.jitter.draw(batch_.level[load], noise_);
        if (batch_.level[load] == Level::dram) cycles += outliers_->next(noise_);
      }
      *latency++ = static_cast<std::uint32_t>(std::max<std::int64_t>(cycles, 1) + overhead);
    }
  }
  return trace;
}

/// A phase lasts as long as the slowest thread.
double Execution::time_total(std::span<Walk> walks, Schedule& schedule, chase::Timing timing, std::size_t threads) {
  std::vector<std::uint64_t> cycles(threads);
  std::array<std::uint64_t, level_count> served_by{};
  while (schedule.next(batch_)) {
    memory_.serve(walks[batch_.thread.front() / warp_size], batch_);
    if (timing == chase::Timing::untimed) continue;
    for (std::size_t load = 0; load < batch_.size; ++load) {
      cycles[batch_.thread[load]] += batch_.cycles[load];
      ++served_by[static_cast<std::size_t>(batch_.level[load])];
    }
  }
  auto total = static_cast<double>(std::ranges::max(cycles) +
                                   static_cast<std::uint64_t>(hierarchy_.gpu.instrument.total_overhead));
  if (options_.noise && timing == chase::Timing::total) {
    const std::uint64_t delay = outliers_->next_sum(served_by[static_cast<std::size_t>(Level::dram)], noise_);
    total = std::max(1.0, total + hierarchy_.jitter.draw_sum(served_by, noise_) + static_cast<double>(delay));
  }
  return total;
}

}  // namespace tomograph::sim
