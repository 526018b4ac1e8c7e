#include "sim/links/remote_chases.hpp"

#include <stdexcept>

#include "sim/experiment_noise.hpp"
#include "sim/links/transfers.hpp"
#include "tomograph/remote_chase.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

double required_ns(const std::optional<double>& latency, const char* reason) {
  if (!latency) throw Refused(TOMOGRAPH_UNSUPPORTED, reason);
  return *latency;
}

double access_ns(const Gpu& gpu, const remote_chase::Program& program) {
  const bool is_atomic = program.operation == remote_chase::Operation::atomic;
  if (transfer::is_gpu(program.place)) {
    if (program.place == gpu.node.own) throw Refused(TOMOGRAPH_UNSUPPORTED, "own memory is not simulated here");
    const GpuLink& link = link_between(gpu, gpu.node.own, program.place);
    return is_atomic ? required_ns(link.atomic_latency_ns, "the link has no native atomics") : link.latency_ns;
  }
  const HostLink& host = host_link(gpu);
  if (is_atomic) throw Refused(TOMOGRAPH_UNSUPPORTED, "the link has no native atomics");
  if (program.place == transfer::managed) return required_ns(host.page_fault_ns, "page faults are not described");
  return host.latency_ns;
}

remote_chase::Result answer(const Gpu& gpu, const Options& options, const remote_chase::Program& program,
                            std::uint64_t seed) {
  const double clock = static_cast<double>(gpu.sm_clock_mhz) * 1e6;
  const double cycles = static_cast<double>(program.steps) * access_ns(gpu, program) * 1e-9 * clock;
  const double sigma = transfer::is_gpu(program.place) ? gpu.node.sigma : gpu.host->sigma;
  remote_chase::Result result{.cycles = {}, .clock_hz = clock};
  Random random(seed);
  for (std::int64_t i = 0; i < program.runs; ++i) {
    result.cycles.push_back(options.noise ? cycles * (1 + sigma * draw_normal(random)) : cycles);
  }
  return result;
}

}  // namespace

Arrays answer_remote_chase(const Gpu& gpu, const Options& options, const Experiment& experiment) {
  const remote_chase::Program program = remote_chase::decode(experiment);
  if (const auto why = remote_chase::violation(program)) throw std::invalid_argument(*why);
  return remote_chase::encode(answer(gpu, options, program, noise_seed(experiment, options)));
}

}  // namespace tomograph::sim
