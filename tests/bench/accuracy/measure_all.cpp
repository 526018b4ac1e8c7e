#include "measure_all.hpp"

#include <set>
#include <span>
#include <string>
#include <utility>

#include "parallel.hpp"
#include "plugins.hpp"

namespace tomograph::bench {

namespace {

Measurement measure_case(std::span<const std::string> plugins, const Case& drawn) {
  std::set<std::string> wanted;
  for (const Expected& expected : drawn.expected) wanted.insert(expected.key);
  return measure(load_probes(plugins, drawn.method), {drawn.gpu, drawn.number + 1, drawn.given}, wanted);
}

}  // namespace

std::vector<Measured> measure_all(const Family& family, std::uint64_t first, std::uint64_t count, unsigned jobs,
                                  const std::function<void(sim::Gpu&)>& change) {
  std::vector<Measured> measured(count);
  run_all(count, jobs, [&](std::uint64_t i) {
    Case drawn = family.draw(first + i);
    if (change) change(drawn.gpu);
    measured[i].said = measure_case(family.plugins, drawn);
    measured[i].drawn = std::move(drawn);
  });
  return measured;
}

}  // namespace tomograph::bench
