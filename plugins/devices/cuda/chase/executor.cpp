#include "cuda/chase/executor.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace tomograph::cuda {

namespace {

constexpr int attempts = 3;
/// Programs of a batch beyond this many bytes of descriptions and results wait for the next round.
constexpr std::size_t round_bytes = std::size_t{64} << 20U;
constexpr int busy_milliseconds = 20;

std::int64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "asking for an attribute of the device");
  return value;
}

Limits limits_of(int device) {
  Limits limits;
  limits.sms = attribute(cudaDevAttrMultiProcessorCount, device);
  limits.shared_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  limits.shared_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  limits.shared_reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock, device);
  std::size_t fixed = 0;
  check(chase_static_shared(fixed), "loading the chase kernel");
  limits.shared_static = static_cast<std::int64_t>(fixed);
  limits.texels = attribute(cudaDevAttrMaxTexture1DLinearWidth, device);
  limits.texture_width = attribute(cudaDevAttrMaxSurface2DWidth, device);
  limits.texture_height = attribute(cudaDevAttrMaxSurface2DHeight, device);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  // Half: cached pages, other users and the upload need room, and a large arena has no merit of its own.
  limits.wave_memory = static_cast<std::int64_t>(free / 2);
  return limits;
}

bool has_aliases(const chase::Program& program) {
  return std::ranges::any_of(program.arrays, [](const chase::Array& a) { return a.alias != chase::no_alias; });
}

/// Whether an actor reads the array as a linear texture.
bool is_linear_texture(const chase::Program& program, std::size_t array) {
  return std::ranges::any_of(program.phases, [&](const chase::Phase& phase) {
    const chase::Ring& ring = program.rings[static_cast<std::size_t>(phase.ring)];
    return static_cast<std::size_t>(ring.array) == array &&
           program.actors[static_cast<std::size_t>(phase.actor)].path == chase::Path::texture;
  });
}

/// Where the sections of a round lie in the upload. Sections with elements of 8-byte alignment need no gaps.
struct Sections {
  explicit Sections(const Round& round, std::size_t rings)
      : starts(round.lists().size() * sizeof(std::int64_t)),
        rings(starts + round.starts().size() * sizeof(std::uint64_t)),
        shared_rings(this->rings + rings * sizeof(RingTask)),
        phases(shared_rings + round.shared_ring_count() * sizeof(RingTask)),
        parts(phases + round.phases().size() * sizeof(PhaseTask)),
        constants(parts + round.parts().size() * sizeof(PartTask)),
        bytes(constants + round.constants().size() * sizeof(std::uint64_t)) {}
  std::size_t starts, rings, shared_rings, phases, parts, constants, bytes;
};

/// Where the words that start at zero lie: one meeting per program, one word per SM and launch, one per launch.
struct State {
  explicit State(const Round& round)
      : claimed(round.entries().size() * sizeof(Meeting)),
        started(claimed + round.parts().size() * sizeof(std::uint32_t)),
        bytes(started + round.launches() * sizeof(std::uint32_t)) {}
  std::size_t claimed, started, bytes;
};

/// Where the output lies: the words that say who is done, then the slots.
struct Output {
  explicit Output(const Round& round)
      : slots((round.parts().size() * sizeof(std::uint32_t) + 7) / 8 * 8), bytes(slots + round.slots() * slot_bytes) {}
  std::size_t slots, bytes;
};

template <typename T>
void put(std::byte* to, const std::vector<T>& from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
}

std::size_t ring_count(const Round& round) {
  return round.waves().empty() ? 0 : round.waves().back().first_ring + round.waves().back().rings;
}

int carveout_percent(std::int64_t bytes, const Limits& limits) {
  if (bytes == chase::default_carveout) return cudaSharedmemCarveoutDefault;
  return static_cast<int>((100 * bytes + limits.shared_per_sm - 1) / limits.shared_per_sm);
}

}  // namespace

/// A batch on its way through the device.
struct Executor::Batch {
  std::span<const chase::Program> programs;
  std::vector<Demand> demands;
  std::vector<Outcome> outcomes;
  Shuffles shuffles;
  int attempt = 0;
  std::vector<std::unique_ptr<AliasedArrays>> aliased;  ///< those of the round in progress
};

Executor::Executor(int device) : limits_(limits_of(device)), mapper_(device) {
  check(allow_dynamic_shared(static_cast<std::uint32_t>(limits_.shared_per_block - limits_.shared_static)),
        "allowing the chase kernel all shared memory");
  check(constant_memory(constants_), "looking for the constant memory");
  write_scratch_constant(constants_);
  const std::int64_t kilohertz = attribute(cudaDevAttrClockRate, device);
  check(launch_busy(static_cast<std::uint32_t>(limits_.sms), kilohertz * busy_milliseconds, stream_.get()),
        "raising the clocks");
}

std::vector<Outcome> Executor::run(std::span<const chase::Program> programs) {
  Batch batch{programs, {}, std::vector<Outcome>(programs.size()), {}, 0, {}};
  batch.demands.reserve(programs.size());
  for (const chase::Program& program : programs) batch.demands.push_back(demand(program, limits_));

  std::vector<std::size_t> pending(programs.size());
  std::iota(pending.begin(), pending.end(), std::size_t{0});
  for (; batch.attempt < attempts && !pending.empty(); ++batch.attempt) pending = attempt(batch, pending);
  for (const std::size_t program : pending) {
    batch.outcomes[program].failure = "not all CTAs of the program were placed on their SMs, at the same time, in " +
                                      std::to_string(attempts) + " attempts";
  }
  textures_.drop_pictures();
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

  std::vector<std::size_t> missed;
  Round round(limits_.sms);
  for (const WavePlan& plan : plans) {
    add_wave(batch, plan, round);
    if (round.traffic() < round_bytes) continue;
    run_round(batch, round, missed);
    round = Round(limits_.sms);
  }
  run_round(batch, round, missed);
  return missed;
}

/// Makes the arena as large as the largest wave needs it, and drops waves that are too large.
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
      const Address before = arena_.base();
      arena_.reserve(wanted, limits_.wave_memory);
      if (arena_.base() != before) textures_.drop_linear();
      return;
    } catch (const OutOfMemory&) {
      std::size_t free = 0;
      std::size_t total = 0;
      check(cudaMemGetInfo(&free, &total), "asking for free memory");
      for (const Placement& placement : largest->placements) {
        batch.outcomes[placement.program].failure = "the arrays that run together take " + std::to_string(wanted) +
                                                    " B, the device has " + std::to_string(free) + " B free of " +
                                                    std::to_string(total) + " B";
      }
      plans.erase(largest);
    }
  }
}

/// Finds a place for each array of the program: arrays in global memory from `next` on, which moves behind them.
std::vector<Place> Executor::lay_out(Batch& batch, const chase::Program& program, Address& next) {
  const std::vector<ConstantPlace> constant = constant_places(program);
  const std::vector<std::int64_t> shared = shared_offsets(program);
  const std::vector<std::int64_t> code = code_offsets(program);
  const AliasedArrays* aliased = nullptr;
  if (has_aliases(program)) {
    batch.aliased.push_back(mapper_.map(program.arrays));
    aliased = batch.aliased.back().get();
  }
  std::vector<Place> places;
  for (std::size_t i = 0; i < program.arrays.size(); ++i) {
    const chase::Array& array = program.arrays[i];
    Place place{static_cast<Address>(constant[i].offset + shared[i] + code[i]), 0, 0};
    if (array.space == chase::Space::texture) {
      const Picture& picture = textures_.picture(array.width / chase::node_bytes, array.bytes / array.width);
      place = {0, picture.texture(), picture.surface()};
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

void Executor::add_wave(Batch& batch, const WavePlan& plan, Round& round) {
  round.begin_wave(batch.demands[plan.placements.front().program]);
  textures_.begin_wave();
  Address next = arena_.base();
  for (const Placement& placement : plan.placements) {
    const chase::Program& program = batch.programs[placement.program];
    try {
      round.add(program, placement, lay_out(batch, program, next), batch.shuffles);
    } catch (const OutOfMemory& error) {
      batch.outcomes[placement.program].failure = error.what();
    }
  }
}

void Executor::run_round(Batch& batch, Round& round, std::vector<std::size_t>& missed) {
  if (round.entries().empty()) return;
  const Output output(round);
  received_.reserve(output.bytes);
  device_output_.reserve(output.bytes);
  const State state(round);
  device_state_.reserve(state.bytes);
  const auto sent = upload(round);
  check(cudaMemcpyAsync(device_sent_.data(), sent.data(), sent.size(), cudaMemcpyHostToDevice, stream_.get()),
        "sending programs");
  check(cudaMemsetAsync(device_state_.data(), 0, state.bytes, stream_.get()), "clearing the state of the waves");
  check(cudaMemsetAsync(device_output_.data(), 0, output.slots, stream_.get()), "clearing the state of the waves");
  launch(batch, round);
  check(cudaMemcpyAsync(received_.data(), device_output_.data(), output.bytes, cudaMemcpyDeviceToHost, stream_.get()),
        "fetching results");
  stream_.synchronize();
  harvest(batch, round, missed);
  if (!batch.aliased.empty()) textures_.drop_linear();
  batch.aliased.clear();
}

std::span<const std::byte> Executor::upload(const Round& round) {
  const Sections sections(round, ring_count(round));
  sent_.reserve(sections.bytes);
  device_sent_.reserve(sections.bytes);
  put(sent_.data(), round.lists());
  put(sent_.data() + sections.starts, round.starts());
  put(sent_.data() + sections.rings, round.rings(reinterpret_cast<Address>(device_sent_.data())));
  put(sent_.data() + sections.shared_rings, round.shared_rings(reinterpret_cast<Address>(device_sent_.data())));
  put(sent_.data() + sections.phases, round.phases());
  put(sent_.data() + sections.parts, round.parts());
  put(sent_.data() + sections.constants, round.constants());
  return {sent_.data(), sections.bytes};
}

/// A launch as the kernel sees it.
Wave Executor::wave(const Round& round, std::size_t launch) const {
  const Sections sections(round, ring_count(round));
  const State state(round);
  const Output output(round);
  const std::size_t first = round.position(launch, 0);
  return Wave{
      .parts = reinterpret_cast<const PartTask*>(device_sent_.data() + sections.parts) + first,
      .phases = reinterpret_cast<const PhaseTask*>(device_sent_.data() + sections.phases),
      .shared_rings = reinterpret_cast<const RingTask*>(device_sent_.data() + sections.shared_rings),
      .starts = reinterpret_cast<const std::uint64_t*>(device_sent_.data() + sections.starts),
      .claimed = reinterpret_cast<std::uint32_t*>(device_state_.data() + state.claimed) + first,
      .started = reinterpret_cast<std::uint32_t*>(device_state_.data() + state.started) + launch,
      .meetings = reinterpret_cast<Meeting*>(device_state_.data()),
      .output = reinterpret_cast<std::uint64_t*>(device_output_.data() + output.slots),
      .done = reinterpret_cast<std::uint32_t*>(device_output_.data()) + first,
      .sms = static_cast<std::uint32_t>(limits_.sms),
      .spreads = 0,
      .scratch = scratch_.get(),
  };
}

void Executor::launch(const Batch& batch, const Round& round) {
  const Sections sections(round, ring_count(round));
  const auto* rings = reinterpret_cast<const RingTask*>(device_sent_.data() + sections.rings);
  const Demand* settings = nullptr;
  Shape shape{};
  for (std::size_t i = 0; i < round.waves().size(); ++i) {
    const WaveEntry& entry = round.waves()[i];
    if (settings == nullptr || !settings->same_launch(entry.settings)) {
      settings = &entry.settings;
      shape = shape_for(*settings, batch.attempt);
      check(prefer_carveout(settings->kernel, carveout_percent(settings->carveout, limits_)), "asking for a carve-out");
    }
    if (entry.rings != 0) {
      const auto blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>(entry.longest_ring / 1024, 1, 256));
      check(launch_link(rings + entry.first_ring, static_cast<std::uint32_t>(entry.rings), blocks, stream_.get()),
            "writing rings");
    }
    if (entry.constants != 0) fill_constants(round, entry);
    launch_wave(round, i, shape);
  }
}

/// One launch for each bank of constant memory that the wave needs, all at the same time. Where there are several, the
/// host waits before and after: a stream that finds an event not yet there looks again after a millisecond or two.
void Executor::launch_wave(const Round& round, std::size_t i, const Shape& shape) {
  const WaveEntry& entry = round.waves()[i];
  const auto banks = static_cast<int>(entry.settings.banks);
  if (banks > 1) stream_.synchronize();
  check(launch_chase(entry.settings.kernel, wave(round, entry.first_launch), shape, stream_.get()),
        "launching programs");
  for (int bank = 1; bank < banks; ++bank) {
    Wave further = wave(round, entry.first_launch + static_cast<std::size_t>(bank));
    further.spreads = 1;
    // So many CTAs that the SMs which the others have filled most are left no way out either.
    const auto ctas = static_cast<std::uint32_t>(limits_.sms * (bank + 2));
    further_banks_->launch(bank, further, {ctas, warp_threads, shape.dynamic_shared});
  }
  if (banks > 1) further_banks_->wait();
}

void Executor::fill_constants(const Round& round, const WaveEntry& wave) {
  const auto most = static_cast<std::uint32_t>(limits_.shared_per_block - limits_.shared_static);
  if (wave.settings.banks > 1 && !further_banks_) further_banks_.emplace(most);
  const Sections sections(round, ring_count(round));
  const std::byte* words = device_sent_.data() + sections.constants + wave.first_constant * sizeof(std::uint64_t);
  std::size_t left = wave.constants * sizeof(std::uint64_t);
  for (int bank = 0; left != 0; ++bank) {
    const Address memory = bank == 0 ? constants_ : further_banks_->memory(bank);
    const std::size_t bytes = std::min<std::size_t>(left, constant_bytes);
    check(cudaMemcpyAsync(reinterpret_cast<void*>(memory), words, bytes, cudaMemcpyDeviceToDevice, stream_.get()),
          "writing constant memory");
    words += bytes;
    left -= bytes;
  }
}

/// Where an SM holds two CTAs, twice as many CTAs as SMs leave none without; each further attempt gets more.
Shape Executor::shape_for(const Demand& settings, int attempt) const {
  const auto threads = static_cast<std::uint32_t>(settings.threads);
  const auto shared = static_cast<std::uint32_t>(settings.dynamic_shared);
  int resident = 1;
  check(resident_ctas(settings.kernel, threads, shared, resident), "asking how many CTAs an SM can hold");
  const std::int64_t ctas = limits_.sms * (std::clamp(resident, 1, 2) + attempt);
  return {static_cast<std::uint32_t>(ctas), threads, shared};
}

void Executor::harvest(Batch& batch, const Round& round, std::vector<std::size_t>& missed) {
  const Output output(round);
  const auto* done = reinterpret_cast<const std::uint32_t*>(received_.data());
  const std::span slots(reinterpret_cast<const std::uint64_t*>(received_.data() + output.slots), round.slots());
  for (const Entry& entry : round.entries()) {
    const bool ran = std::ranges::all_of(entry.positions, [&](std::size_t part) { return done[part] == 1; });
    if (!ran) {
      missed.push_back(entry.program);
      continue;
    }
    Outcome& outcome = batch.outcomes[entry.program];
    try {
      outcome.result = round.result(batch.programs[entry.program], entry, slots);
      const Demand& demand = batch.demands[entry.program];
      outcome.result.kernel_shared =
          demand.banks * (demand.dynamic_shared + limits_.shared_static + limits_.shared_reserved);
    } catch (const Mistake& mistake) {
      outcome.failure = mistake.what();
    }
  }
}

}  // namespace tomograph::cuda
