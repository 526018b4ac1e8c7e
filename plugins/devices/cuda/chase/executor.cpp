#include "cuda/chase/executor.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "cuda/carveout.hpp"
#include "cuda/chase/limits.hpp"
#include "cuda/chase/program_layout.hpp"
#include "cuda/chase/submission_layout.hpp"
#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

/// A program whose CTAs were not placed is launched again, so often in all.
constexpr int attempts = 3;
/// With so many programs, or bytes of descriptions and results, a submission is sent. To send it takes 20 us, a tenth
/// of the time to lay it out.
constexpr std::size_t programs_of_submission = 16;
constexpr std::size_t submission_bytes = std::size_t{128} << 10U;
/// The same where to lay out further programs would change the memory that the GPU sees.
constexpr std::size_t largest_submission = std::size_t{64} << 20U;
/// Duration of the kernel that raises the clocks before the first measurement. Chosen on an H200.
constexpr int spin_milliseconds = 20;

bool has_aliases(const chase::Program& program) {
  return std::ranges::any_of(program.arrays, [](const chase::Array& a) { return a.alias != chase::no_alias; });
}

/// Whether an array needs memory of its own, other than the arena's.
bool has_own_memory(const chase::Program& program) {
  return has_aliases(program) || std::ranges::any_of(program.arrays, [](const chase::Array& array) {
           return array.space == chase::Space::texture;
         });
}

/// Whether an actor reads the array as a linear texture.
bool is_linear_texture(const chase::Program& program, std::size_t array) {
  return std::ranges::any_of(program.phases, [&](const chase::Phase& phase) {
    const chase::Ring& ring = program.rings[static_cast<std::size_t>(phase.ring)];
    return static_cast<std::size_t>(ring.array) == array &&
           program.actors[static_cast<std::size_t>(phase.actor)].path == chase::Path::texture;
  });
}

/// Time for 32 loads, between which the kernel reads the clock, in which no other program had a turn: 1.5 us a load,
/// thrice as long as the slowest take on an H200. A turn with its two switches takes longer.
constexpr std::int64_t longest_gap_microseconds = 50;

/// Returns the end of the copy. std::ranges::copy of bytes is a loop over bytes with some compilers.
std::byte* put(std::byte* to, const auto& from) {
  const auto bytes = std::as_bytes(std::span(from));
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}

}  // namespace

/// A batch in progress.
struct Executor::Batch {
  std::span<const chase::Program> programs;
  std::vector<Demand> demands;
  std::vector<Outcome> outcomes;
  Shuffles shuffles;
  int attempt = 0;
  std::vector<std::size_t> crowded_out;  ///< programs of the attempt that found no memory
  bool has_released_surplus = false;
};

Executor::Executor(int device, Arena& arena)
    : limits_(limits_of(device, arena.usual())), mapper_(device), arena_(&arena) {
  check(allow_dynamic_shared(static_cast<std::uint32_t>(limits_.shared_per_block - limits_.shared_static)),
        "setting the largest dynamic shared memory");
  check(constant_memory(constants_), "finding constant memory");
  write_scratch_constant(constants_);
  const std::int64_t kilohertz = attribute(cudaDevAttrClockRate, device);
  longest_gap_ = static_cast<std::uint32_t>(kilohertz * longest_gap_microseconds / 1000);
  check(launch_spin(static_cast<std::uint32_t>(limits_.sms), kilohertz * spin_milliseconds, stream_.get()),
        "raising the clocks");
}

std::int64_t Executor::kept_bytes() const { return mapper_.bytes() + textures_.array_bytes(); }

void Executor::drop_kept() {
  mapper_.drop();
  textures_.drop();
}

std::vector<Outcome> Executor::run(std::span<const chase::Program> programs) {
  forget_flights();
  Batch batch{programs, {}, std::vector<Outcome>(programs.size()), {}, 0, {}};
  batch.demands.reserve(programs.size());
  for (const chase::Program& program : programs) batch.demands.push_back(demand(program, limits_));

  std::vector<std::size_t> pending(programs.size());
  std::iota(pending.begin(), pending.end(), std::size_t{0});
  while (!pending.empty() && batch.attempt < attempts) {
    const std::size_t tried = pending.size();
    pending = attempt(batch, pending);
    if (!let_crowded_out_try_again(batch, tried, pending)) ++batch.attempt;
  }
  for (const std::size_t program : pending) {
    batch.outcomes[program].failure = "not all CTAs of the program were resident on their SMs at the same time in " +
                                      std::to_string(attempts) + " attempts";
  }
  // Executors of plugins need memory, too.
  if (!arena_->leaves_room()) {
    arena_->release_surplus();
    drop_kept();
  }
  return std::move(batch.outcomes);
}

std::vector<std::size_t> Executor::attempt(Batch& batch, const std::vector<std::size_t>& pending) {
  std::vector<Demand> demands;
  demands.reserve(pending.size());
  for (const std::size_t program : pending) demands.push_back(batch.demands[program]);
  std::vector<WavePlan> plans = schedule(demands, limits_);
  for (WavePlan& plan : plans) {
    for (Placement& placement : plan.placements) placement.program = pending[placement.program];
  }
  reserve_arena(batch, plans);

  const bool is_sent_whole = std::ranges::any_of(batch.programs, has_own_memory);
  const auto is_enough = [&](const Submission& submission) {
    if (is_sent_whole) return submission.traffic() >= largest_submission || keeps_enough();
    return submission.entries().size() >= programs_of_submission || submission.traffic() >= submission_bytes;
  };
  std::vector<std::size_t> unplaced;
  Submission submission(limits_.sms);
  for (const WavePlan& plan : plans) {
    add_wave(batch, plan, submission);
    if (!is_enough(submission)) continue;
    send(batch, std::exchange(submission, Submission(limits_.sms)), unplaced);
    if (is_sent_whole) finish_all(batch, unplaced);
  }
  send(batch, std::move(submission), unplaced);
  finish_all(batch, unplaced);
  return unplaced;
}

/// Makes the arena as large as the largest wave needs. Waves for which memory does not suffice fail.
void Executor::reserve_arena(Batch& batch, std::vector<WavePlan>& plans) {
  const auto bytes = [&](const WavePlan& plan) {
    std::int64_t sum = 0;
    for (const Placement& placement : plan.placements) {
      if (!has_aliases(batch.programs[placement.program])) sum += batch.demands[placement.program].memory;
    }
    return sum;
  };
  while (!plans.empty()) {
    const auto largest = std::ranges::max_element(plans, {}, bytes);
    const std::int64_t wanted = bytes(*largest);
    try {
      arena_->reserve(static_cast<std::size_t>(wanted), this);
      const auto base = reinterpret_cast<Address>(arena_->data());
      if (std::exchange(base_, base) != base) textures_.drop_linear();
      return;
    } catch (const OutOfMemory&) {
      if (kept_bytes() > 0) {
        drop_kept();
        continue;
      }
      std::size_t free = 0;
      std::size_t total = 0;
      check(cudaMemGetInfo(&free, &total), "reading the size of free memory");
      for (const Placement& placement : largest->placements) {
        Outcome& outcome = batch.outcomes[placement.program];
        outcome.status = TOMOGRAPH_UNSUPPORTED;
        outcome.failure = "the arrays that run together take " + std::to_string(wanted) + " B, the device has " +
                          std::to_string(free) + " B free of " + std::to_string(total) + " B";
      }
      plans.erase(largest);
    }
  }
}

/// Assigns a place to each array of the program: to arrays in global memory from `next` on, which advances past them.
std::vector<Place> Executor::lay_out(const chase::Program& program, Address& next) {
  const std::vector<ConstantPlace> constant = constant_places(program);
  const std::vector<std::int64_t> shared = offsets_in(program, chase::Space::shared);
  const std::vector<std::int64_t> code = offsets_in(program, chase::Space::instruction);
  const AliasedArrays* aliased = nullptr;
  if (has_aliases(program)) aliased = &mapper_.map(program.arrays);
  std::vector<Place> places;
  for (std::size_t i = 0; i < program.arrays.size(); ++i) {
    const chase::Array& array = program.arrays[i];
    Place place{static_cast<Address>(constant[i].offset + shared[i] + code[i]), 0, 0};
    if (array.space == chase::Space::texture) {
      const auto& made = textures_.array_texture(array.width / chase::node_bytes, array.bytes / array.width);
      place = {0, made.texture(), made.surface()};
    } else if (array.space == chase::Space::global) {
      place.base = aliased != nullptr ? aliased->addresses()[i] : next;
      constexpr auto alignment = static_cast<Address>(chase::array_alignment);
      next += (static_cast<Address>(array.bytes) + alignment - 1) / alignment * alignment;
      if (is_linear_texture(program, i)) place.texture = textures_.linear(place.base, array.bytes);
    }
    places.push_back(place);
  }
  return places;
}

void Executor::add_wave(Batch& batch, const WavePlan& plan, Submission& submission) {
  submission.begin_wave(batch.demands[plan.placements.front().program]);
  textures_.begin_wave();
  mapper_.begin_wave();
  Address next = base_;
  for (const Placement& placement : plan.placements) {
    const chase::Program& program = batch.programs[placement.program];
    try {
      submission.add(program, placement, lay_out(program, next), batch.shuffles);
    } catch (const OutOfMemory& error) {
      batch.outcomes[placement.program].failure = error.what();
      batch.outcomes[placement.program].status = error.status;
      batch.crowded_out.push_back(placement.program);
    }
  }
}

bool Executor::let_crowded_out_try_again(Batch& batch, std::size_t tried, std::vector<std::size_t>& pending) {
  const auto crowded_out = std::exchange(batch.crowded_out, {});
  if (crowded_out.empty()) return false;
  const bool is_first_time = !std::exchange(batch.has_released_surplus, true);
  const bool has_surplus = is_first_time && (arena_->release_surplus() || textures_.array_bytes() > 0);
  if (crowded_out.size() == tried && mapper_.bytes() == 0 && !has_surplus) return false;
  drop_kept();
  for (const std::size_t program : crowded_out) batch.outcomes[program].failure.reset();
  pending.insert(pending.end(), crowded_out.begin(), crowded_out.end());
  return true;
}

void Executor::send(Batch& batch, Submission submission, std::vector<std::size_t>& unplaced) {
  if (submission.entries().empty()) return;
  Flight& flight = flights_[next_flight_];
  next_flight_ = (next_flight_ + 1) % flights_.size();
  flight.submission = std::move(submission);
  begin(batch, flight);
  finish(batch, flights_[next_flight_], unplaced);
}

void Executor::finish_all(Batch& batch, std::vector<std::size_t>& unplaced) {
  for (Flight& flight : flights_) finish(batch, flight, unplaced);
  if (keeps_enough()) drop_kept();
}

/// Flights of a batch that ended with an exception.
void Executor::forget_flights() {
  if (std::ranges::any_of(flights_, &Flight::is_under_way)) stream_.synchronize();
  for (Flight& flight : flights_) flight.is_under_way = false;
}

void Executor::begin(const Batch& batch, Flight& flight) {
  const Output output(flight.submission);
  flight.received.reserve(output.bytes);
  flight.device_output.reserve(output.bytes);
  const State state(flight.submission);
  flight.device_state.reserve(state.bytes);
  const auto sent = upload(flight);
  flight.is_under_way = true;
  check(cudaMemcpyAsync(flight.device_sent.data(), sent.data(), sent.size(), cudaMemcpyHostToDevice, stream_.get()),
        "sending programs");
  check(cudaMemsetAsync(flight.device_state.data(), 0, state.bytes, stream_.get()), "clearing the state of the waves");
  check(cudaMemsetAsync(flight.device_output.data(), 0, output.slots, stream_.get()),
        "clearing the state of the waves");
  if (delay_ > 0) check(launch_spin(1, std::exchange(delay_, 0), stream_.get()), "delaying programs");
  launch(batch, flight);
  check(cudaMemcpyAsync(flight.received.data(), flight.device_output.data(), output.bytes, cudaMemcpyDeviceToHost,
                        stream_.get()),
        "fetching results");
  flight.done.record(stream_.get());
}

void Executor::finish(Batch& batch, Flight& flight, std::vector<std::size_t>& unplaced) {
  if (!std::exchange(flight.is_under_way, false)) return;
  flight.done.synchronize();
  collect(batch, flight, unplaced);
}

std::span<const std::byte> Executor::upload(Flight& flight) {
  const Submission& submission = flight.submission;
  const Sections sections(submission);
  flight.sent.reserve(sections.bytes);
  flight.device_sent.reserve(sections.bytes);
  const auto on_device = reinterpret_cast<Address>(flight.device_sent.data());
  std::byte* const sent = flight.sent.data();
  std::byte* next = sent;
  for (const auto list : submission.lists()) next = put(next, list);
  put(sent + sections.starts, submission.starts());
  put(sent + sections.rings, submission.rings(on_device));
  put(sent + sections.shared_rings, submission.shared_rings(on_device));
  put(sent + sections.phases, submission.phases());
  put(sent + sections.parts, submission.parts());
  put(sent + sections.constants, submission.constants());
  return {sent, sections.bytes};
}

/// A launch as the kernel sees it.
Wave Executor::wave(const Flight& flight, std::size_t launch) const {
  const Submission& submission = flight.submission;
  const Sections sections(submission);
  const State state(submission);
  const Output output(submission);
  const std::size_t first = submission.position(launch, 0);
  return Wave{
      .parts = reinterpret_cast<const PartTask*>(flight.device_sent.data() + sections.parts) + first,
      .phases = reinterpret_cast<const PhaseTask*>(flight.device_sent.data() + sections.phases),
      .shared_rings = reinterpret_cast<const RingTask*>(flight.device_sent.data() + sections.shared_rings),
      .starts = reinterpret_cast<const std::uint64_t*>(flight.device_sent.data() + sections.starts),
      .claimed = reinterpret_cast<std::uint32_t*>(flight.device_state.data() + state.claimed) + first,
      .started = reinterpret_cast<std::uint32_t*>(flight.device_state.data() + state.started) + launch,
      .rendezvous = reinterpret_cast<Rendezvous*>(flight.device_state.data()),
      .output = reinterpret_cast<std::uint64_t*>(flight.device_output.data() + output.slots),
      .done = reinterpret_cast<std::uint32_t*>(flight.device_output.data()) + first,
      .sms = static_cast<std::uint32_t>(limits_.sms),
      .idle_ctas_wait = 0,
      .longest_gap = longest_gap_,
      .scratch = scratch_.get(),
  };
}

void Executor::launch(const Batch& batch, const Flight& flight) {
  const Submission& submission = flight.submission;
  const Sections sections(submission);
  const auto* rings = reinterpret_cast<const RingTask*>(flight.device_sent.data() + sections.rings);
  const Demand* settings = nullptr;
  Shape shape{};
  for (std::size_t i = 0; i < submission.waves().size(); ++i) {
    const WaveEntry& entry = submission.waves()[i];
    if (settings == nullptr || !settings->same_launch(entry.settings)) {
      settings = &entry.settings;
      shape = shape_for(*settings, batch.attempt);
      check(prefer_carveout(settings->kernel, carveout_percent(settings->carveout, limits_.shared_per_sm)),
            "setting the carve-out");
    }
    if (entry.rings != 0) {
      const auto blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>(entry.longest_ring / 1024, 1, 256));
      check(
          launch_ring_writer(rings + entry.first_ring, static_cast<std::uint32_t>(entry.rings), blocks, stream_.get()),
          "writing rings");
    }
    if (entry.constants != 0) fill_constants(flight, entry);
    launch_wave(flight, i, shape);
  }
}

/// Launches one kernel for each bank of constant memory that the wave needs, all at the same time. If there are
/// several, the host waits before and after: a stream that waits for an event polls it every one to two milliseconds on
/// an H200.
void Executor::launch_wave(const Flight& flight, std::size_t i, const Shape& shape) {
  const WaveEntry& entry = flight.submission.waves()[i];
  const auto banks = static_cast<int>(entry.settings.banks);
  if (banks > 1) stream_.synchronize();
  check(launch_chase(entry.settings.kernel, wave(flight, entry.first_launch), shape, stream_.get()),
        "launching programs");
  for (int bank = 1; bank < banks; ++bank) {
    Wave further = wave(flight, entry.first_launch + static_cast<std::size_t>(bank));
    further.idle_ctas_wait = 1;
    // So many CTAs that even the SMs which other kernels have filled most get one.
    const auto ctas = static_cast<std::uint32_t>(limits_.sms * (bank + 2));
    extra_banks_->launch(bank, further, {ctas, warp_threads, shape.dynamic_shared});
  }
  if (banks > 1) extra_banks_->wait();
}

void Executor::fill_constants(const Flight& flight, const WaveEntry& wave) {
  const auto most = static_cast<std::uint32_t>(limits_.shared_per_block - limits_.shared_static);
  if (wave.settings.banks > 1 && !extra_banks_) extra_banks_.emplace(most);
  const Sections sections(flight.submission);
  const std::byte* words = flight.device_sent.data() + sections.constants + wave.first_constant * sizeof(std::uint64_t);
  std::size_t left = wave.constants * sizeof(std::uint64_t);
  for (int bank = 0; left != 0; ++bank) {
    const Address memory = bank == 0 ? constants_ : extra_banks_->memory(bank);
    const std::size_t bytes = std::min<std::size_t>(left, constant_bytes);
    check(cudaMemcpyAsync(pointer_to(memory), words, bytes, cudaMemcpyDeviceToDevice, stream_.get()),
          "writing constant memory");
    words += bytes;
    left -= bytes;
  }
}

/// A grid with enough CTAs for every SM to get one: two per SM where an SM holds two, and one more in each attempt.
Shape Executor::shape_for(const Demand& settings, int attempt) const {
  const auto threads = static_cast<std::uint32_t>(settings.threads);
  const auto shared = static_cast<std::uint32_t>(settings.dynamic_shared);
  int resident = 1;
  check(resident_ctas(settings.kernel, threads, shared, resident), "reading the occupancy");
  const std::int64_t ctas = limits_.sms * (std::clamp(resident, 1, 2) + attempt);
  return {static_cast<std::uint32_t>(ctas), threads, shared};
}

void Executor::collect(Batch& batch, const Flight& flight, std::vector<std::size_t>& unplaced) const {
  const Submission& submission = flight.submission;
  const Output output(submission);
  const auto* done = reinterpret_cast<const std::uint32_t*>(flight.received.data());
  const std::span slots(reinterpret_cast<const std::uint64_t*>(flight.received.data() + output.slots),
                        submission.slots());
  for (const Entry& entry : submission.entries()) {
    const bool ran = std::ranges::all_of(entry.positions, [&](std::size_t part) { return done[part] != 0; });
    if (!ran) {
      unplaced.push_back(entry.program);
      continue;
    }
    Outcome& outcome = batch.outcomes[entry.program];
    for (const std::size_t part : entry.positions) outcome.end |= done[part];
    try {
      outcome.result = submission.result(batch.programs[entry.program], entry, slots);
      const Demand& demand = batch.demands[entry.program];
      outcome.result.kernel_shared =
          demand.banks * (demand.dynamic_shared + limits_.shared_static + limits_.shared_reserved);
    } catch (const TraceMismatch& mismatch) {
      outcome.failure = mismatch.what();
    }
  }
}

}  // namespace tomograph::cuda
