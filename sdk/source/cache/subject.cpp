#include "tomograph/cache/subject.hpp"

#include <random>
#include <stdexcept>

namespace tomograph::cache {

chase::Program program_for(const Subject& subject, std::int64_t bytes) {
  chase::Program program;
  program.arrays = {{.bytes = bytes, .space = chase::space_of(subject.path)}};
  program.actors = {{subject.sm, subject.path, 1}};
  program.carveout = subject.carveout;
  program.alone = subject.shared;
  return program;
}

std::int64_t add_ring(chase::Program& program, chase::Ring ring) {
  program.rings.push_back(std::move(ring));
  return static_cast<std::int64_t>(program.rings.size()) - 1;
}

std::int64_t add_bringing_ring(chase::Program& program, const Subject& subject, chase::Ring ring) {
  if (chase::is_global(subject.path)) return 0;
  ring.start += sample_offset;
  for (std::int64_t& node : ring.nodes) node += sample_offset;
  return add_ring(program, std::move(ring));
}

bool is_hit(const Subject& subject, const chase::Result& result, std::uint32_t latency) {
  return latency - result.overhead_each <= subject.threshold.cycles;
}

std::vector<double> net(const chase::Result& result, std::size_t trace) { return result.net_latencies(trace); }

std::vector<std::int64_t> random_choice(std::int64_t limit, std::int64_t count, std::uint64_t seed) {
  if (count > limit) throw std::invalid_argument("more different numbers asked for than there are");
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> chosen;
  std::vector<bool> taken(static_cast<std::size_t>(limit));
  chosen.reserve(static_cast<std::size_t>(count));
  // Floyd's algorithm: one draw a number, however many of them are taken.
  for (std::int64_t i = limit - count; i < limit; ++i) {
    const auto drawn = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(i + 1));
    chosen.push_back(taken[static_cast<std::size_t>(drawn)] ? i : drawn);
    taken[static_cast<std::size_t>(chosen.back())] = true;
  }
  for (std::size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[random() % i]);
  return chosen;
}

}  // namespace tomograph::cache
