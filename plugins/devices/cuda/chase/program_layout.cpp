#include "cuda/chase/program_layout.hpp"

#include <algorithm>
#include <bit>

namespace tomograph::cuda {

namespace {

std::int64_t inner_bytes(const chase::Array& array) {
  return (array.bytes + inner_alignment - 1) / inner_alignment * inner_alignment;
}

}  // namespace

std::vector<std::int64_t> distinct_sms(const chase::Program& program) {
  std::vector<std::int64_t> sms;
  for (const chase::Actor& actor : program.actors) {
    if (std::ranges::find(sms, actor.sm) == sms.end()) sms.push_back(actor.sm);
  }
  return sms;
}

std::uint32_t timed_warps(const chase::Program& program) {
  std::uint32_t warps = 1;
  for (const chase::Actor& actor : program.actors) {
    if (actor.threads == 1) warps |= 1U << static_cast<std::uint32_t>(actor.warp);
  }
  return warps;
}

std::int64_t physical_threads(const chase::Actor& actor, std::uint32_t timed_warps) {
  return std::min<std::int64_t>(actor.threads, most_threads - std::int64_t{warp_threads} * std::popcount(timed_warps));
}

std::vector<std::int64_t> offsets_in(const chase::Program& program, chase::Space space) {
  std::vector<std::int64_t> starts;
  std::int64_t next = 0;
  for (const chase::Array& array : program.arrays) {
    starts.push_back(array.space == space ? next : 0);
    if (array.space == space) next += inner_bytes(array);
  }
  starts.push_back(next);
  return starts;
}

std::vector<ConstantPlace> constant_places(const chase::Program& program) {
  std::vector<ConstantPlace> places;
  ConstantPlace next;
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::constant) {
      places.push_back({});
      continue;
    }
    if (next.offset != 0 && next.offset + inner_bytes(array) > constant_bytes) next = {next.bank + 1, 0};
    places.push_back(next);
    next.offset += inner_bytes(array);
  }
  places.push_back(next);
  return places;
}

std::int64_t banks(const chase::Program& program) { return constant_places(program).back().bank + 1; }

std::size_t parts(const chase::Program& program) {
  const auto needed = static_cast<std::size_t>(banks(program));
  return needed > 1 ? needed : distinct_sms(program).size();
}

std::vector<std::size_t> parts_of_phases(const chase::Program& program) {
  std::vector<std::size_t> parts;
  parts.reserve(program.phases.size());
  if (banks(program) > 1) {
    const std::vector<ConstantPlace> places = constant_places(program);
    for (const chase::Phase& phase : program.phases) {
      const std::int64_t array = program.rings[static_cast<std::size_t>(phase.ring)].array;
      parts.push_back(static_cast<std::size_t>(places[static_cast<std::size_t>(array)].bank));
    }
    return parts;
  }
  const std::vector<std::int64_t> sms = distinct_sms(program);
  for (const chase::Phase& phase : program.phases) {
    const auto sm = std::ranges::find(sms, program.actors[static_cast<std::size_t>(phase.actor)].sm);
    parts.push_back(static_cast<std::size_t>(sm - sms.begin()));
  }
  return parts;
}

std::vector<std::int64_t> slots(const chase::Program& program) {
  std::vector<std::int64_t> counts(parts(program), 0);
  const std::vector<std::size_t> parts = parts_of_phases(program);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const chase::Phase& phase = program.phases[i];
    std::int64_t& count = counts[parts[i]];
    if (phase.timing == chase::Timing::total) ++count;
    if (phase.timing == chase::Timing::each) count += phase.loads;
  }
  return counts;
}

std::int64_t memory(const chase::Program& program) {
  std::int64_t bytes = 0;
  for (const chase::Array& array : program.arrays) {
    if (array.space != chase::Space::global && array.space != chase::Space::texture) continue;
    bytes += (array.bytes + chase::array_alignment - 1) / chase::array_alignment * chase::array_alignment;
  }
  return bytes;
}

std::int64_t most_slots(const chase::Program& program) {
  const std::vector<std::int64_t> counts = slots(program);
  return counts.empty() ? 0 : std::ranges::max(counts);
}

std::int64_t shared_arrays(const chase::Program& program) {
  const std::int64_t bytes = offsets_in(program, chase::Space::shared).back();
  return bytes == 0 ? 0 : bytes + inner_alignment;
}

bool has_code(const chase::Program& program) {
  return std::ranges::any_of(program.actors,
                             [](const chase::Actor& one) { return one.path == chase::Path::instruction; });
}

}  // namespace tomograph::cuda
