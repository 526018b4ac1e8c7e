#include "sim/links/transfers.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/experiment_noise.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

/// What one transfer takes: a fixed time for each pass, and a rate.
struct Cost {
  double latency_ns = 0;
  double rate = 0;
  double sigma = 0;
};

bool is_under_way(const transfer::Program& program, const transfer::Route& route) {
  return std::ranges::find(program.routes, route) != program.routes.end();
}

Cost by_sms(const Gpu& gpu, const transfer::Route& route) {
  const std::int64_t own = gpu.node.own;
  if (route.from != own && route.to != own) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "SMs of another GPU do not move data");
  }
  const bool reads = route.to == own;
  const transfer::Place far = reads ? route.from : route.to;
  if (far == transfer::pinned) {
    const HostLink& host = host_link(gpu);
    return {host.latency_ns, reads ? host.read : host.write, host.sigma};
  }
  const GpuLink& link = link_between(gpu, own, far);
  return {link.latency_ns, reads ? link.read : link.write, gpu.node.sigma};
}

Cost with_host(const Gpu& gpu, const transfer::Program& program, const transfer::Route& route) {
  const HostLink& host = host_link(gpu);
  const bool is_in = transfer::is_gpu(route.to);
  if ((is_in ? route.to : route.from) != gpu.node.own) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the host's links to other GPUs are not described");
  }
  const transfer::Place memory = is_in ? route.from : route.to;
  if (memory == transfer::pageable) {
    return {host.copy_latency_ns, is_in ? host.pageable_in : host.pageable_out, host.sigma};
  }
  const double alone = is_in ? host.copy_in : host.copy_out;
  const bool both = is_under_way(program, {route.to, route.from});
  return {host.copy_latency_ns, both ? std::min(alone, host.both_ways / 2) : alone, host.sigma};
}

Cost between_gpus(const Gpu& gpu, const transfer::Program& program, const transfer::Route& route) {
  const GpuLink& link = link_between(gpu, route.from, route.to);
  double rate = link.copy;
  if (is_under_way(program, {route.to, route.from})) rate = std::min(rate, link.both_ways / 2);
  if (gpu.node.port) {
    const auto sharing = std::max(std::ranges::count(program.routes, route.from, &transfer::Route::from),
                                  std::ranges::count(program.routes, route.to, &transfer::Route::to));
    rate = std::min(rate, *gpu.node.port / static_cast<double>(sharing));
  }
  if (gpu.node.fabric) rate = std::min(rate, *gpu.node.fabric / static_cast<double>(program.routes.size()));
  return {link.copy_latency_ns, rate, gpu.node.sigma};
}

Cost cost_of(const Gpu& gpu, const transfer::Program& program, const transfer::Route& route) {
  if (program.engine == transfer::Engine::sms) return by_sms(gpu, route);
  const bool is_between_gpus = transfer::is_gpu(route.from) && transfer::is_gpu(route.to);
  return is_between_gpus ? between_gpus(gpu, program, route) : with_host(gpu, program, route);
}

transfer::Result answer(const Gpu& gpu, const Options& options, const transfer::Program& program, std::uint64_t seed) {
  transfer::Result result;
  Random random(seed);
  for (const transfer::Route& route : program.routes) {
    const Cost cost = cost_of(gpu, program, route);
    const double of_pass = cost.latency_ns + static_cast<double>(program.bytes) / cost.rate * 1e9;
    const double noise = options.noise ? cost.sigma * draw_normal(random) : 0;
    result.elapsed_ns.push_back(static_cast<double>(program.passes) * of_pass * (1 + noise));
  }
  return result;
}

}  // namespace

const GpuLink& link_between(const Gpu& gpu, transfer::Place one, transfer::Place other) {
  for (const transfer::Place place : {one, other}) {
    if (place < gpu.node.gpus) continue;
    throw Refused(TOMOGRAPH_UNSUPPORTED, "there is no GPU " + std::to_string(place));
  }
  const GpuLink* link = gpu.node.between(one, other);
  if (link == nullptr) throw Refused(TOMOGRAPH_UNSUPPORTED, "no peer access to GPU " + std::to_string(other));
  return *link;
}

const HostLink& host_link(const Gpu& gpu) {
  if (!gpu.host) throw Refused(TOMOGRAPH_UNSUPPORTED, "the host of this GPU is not described");
  return *gpu.host;
}

Arrays answer_transfer(const Gpu& gpu, const Options& options, const Experiment& experiment) {
  const transfer::Program program = transfer::decode(experiment);
  if (const auto why = transfer::violation(program)) throw std::invalid_argument(*why);
  return transfer::encode(answer(gpu, options, program, noise_seed(experiment, options)));
}

}  // namespace tomograph::sim
