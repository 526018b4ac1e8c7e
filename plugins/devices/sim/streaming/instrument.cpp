#include "sim/streaming/instrument.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "sim/experiment_noise.hpp"
#include "tomograph/session.hpp"
#include "tomograph/streaming.hpp"

namespace tomograph::sim {

namespace {

using streaming::Operation;
using streaming::Program;

enum class Serving { l1, l2, dram };

/// A program with the CTAs and the footprint that this GPU gives it.
struct Work {
  Program program;
  std::int64_t ctas_per_sm = 0;
  std::int64_t footprint = 0;

  [[nodiscard]] double sms() const { return static_cast<double>(program.sms.size()); }
  [[nodiscard]] std::int64_t moved() const {
    return streaming::bytes_moved(program, footprint, ctas_per_sm, static_cast<std::int64_t>(program.sms.size()));
  }
};

double of(const StreamingRates& rates, Operation operation) {
  switch (operation) {
    case Operation::read: return rates.read;
    case Operation::write: return rates.write;
    case Operation::copy: return rates.copy;
  }
  return 0;
}

/// The first cache that serves reads on a path, or null; loads by cg bypass it.
const PrivateCache* first_cache(const Gpu& gpu, streaming::Load load) {
  switch (load) {
    case streaming::Load::ca: return gpu.serving(chase::Path::global_ca);
    case streaming::Load::cg: return nullptr;
    case streaming::Load::nc: return gpu.serving(chase::Path::global_nc);
    case streaming::Load::texture: return gpu.serving(chase::Path::texture);
    case streaming::Load::constant: return gpu.serving(chase::Path::constant);
  }
  return nullptr;
}

/// Bytes per cycle that an SM reads from the first cache of a path.
std::optional<double> first_rate(const Bandwidth& bandwidth, streaming::Load load) {
  switch (load) {
    case streaming::Load::ca:
    case streaming::Load::cg: return bandwidth.l1;
    case streaming::Load::nc: return bandwidth.read_only;
    case streaming::Load::texture: return bandwidth.texture;
    case streaming::Load::constant: return bandwidth.constant;
  }
  return std::nullopt;
}

/// Bytes of the first cache of a path at this carve-out; 0 if there is none.
std::int64_t first_bytes(const Gpu& gpu, streaming::Load load, std::int64_t carveout) {
  const PrivateCache* cache = first_cache(gpu, load);
  if (cache == nullptr) return 0;
  std::int64_t selected = 0;
  if (cache->carveouts) {
    const auto& sizes = cache->carveouts->shared_memory;
    const std::int64_t wanted = carveout < 0 ? cache->carveouts->default_size : carveout;
    const auto enough = std::ranges::find_if(sizes, [&](std::int64_t size) { return size >= wanted; });
    selected = enough == sizes.end() ? sizes.back() : *enough;
  }
  return cache->lines_beside(selected) * cache->cache.line_size;
}

std::int64_t l2_bytes(const L2& l2) { return l2.cache.lines() * l2.cache.line_size * l2.partitions; }

/// The level that serves a pass over a warm footprint.
Serving serving(const Gpu& gpu, const Work& work) {
  const Program& program = work.program;
  const bool is_shared_out = program.load != streaming::Load::constant;
  const auto parts = is_shared_out ? static_cast<std::int64_t>(program.sms.size()) : 1;
  const bool fits = work.footprint / parts <= first_bytes(gpu, program.load, program.carveout);
  if (program.operation == Operation::read && fits) return Serving::l1;
  const std::int64_t all = work.footprint * streaming::bytes_moved_per_byte(program.operation);
  return all <= l2_bytes(gpu.l2) ? Serving::l2 : Serving::dram;
}

/// Mean latency of a load that `level` serves. All partitions are equally likely, unless copies make all of them near.
double latency(const Gpu& gpu, streaming::Load load, Serving level) {
  const auto mean = [&](std::int64_t near, std::int64_t far) {
    const std::int64_t partitions = gpu.l2.partitions;
    return static_cast<double>(near + (partitions - 1) * far) / static_cast<double>(partitions);
  };
  switch (level) {
    case Serving::l1: return static_cast<double>(first_cache(gpu, load)->latency);
    case Serving::l2: return mean(gpu.l2.latency, gpu.l2.replicate ? gpu.l2.latency : gpu.l2.far_latency);
    case Serving::dram: return mean(gpu.dram.latency, gpu.dram.far_latency);
  }
  return 0;
}

double service(const Bandwidth& bandwidth, Serving level) {
  return level == Serving::l1 ? 0 : level == Serving::l2 ? bandwidth.service.l2 : bandwidth.service.dram;
}

/// Cycles between two turns of a lone warp.
double turn(const Gpu& gpu, const Program& program, Serving level) {
  const Bandwidth& bandwidth = *gpu.bandwidth;
  const bool requests = level == Serving::dram && bandwidth.request_cycles;
  return bandwidth.turn_cycles +
         (requests ? of_element(*bandwidth.request_cycles, program.element) : latency(gpu, program.load, level));
}

/// Bytes per cycle that Little's law allows with `in_flight` bytes. Each request takes `alone` cycles and waits in an
/// M/D/1 queue with a service time of `service` cycles and utilisation u = rate / roof. The waiting time is service x u
/// / (2 (1 - u)) (Pollaczek-Khinchine), so u solves the quadratic equation in_flight = roof x u x (alone + waiting
/// time).
double under_load(double in_flight, double alone, double service, double roof) {
  const double offered = in_flight / (alone * roof);
  const double factor = 2 - service / alone;
  const double half = 1 + offered;
  return roof * (half - std::sqrt(half * half - 2 * offered * factor)) / factor;
}

/// Bytes per cycle that the ports of all groups of SMs carry together.
double through_ports(const Gpu& gpu, const std::vector<std::int64_t>& sms) {
  const Bandwidth& bandwidth = *gpu.bandwidth;
  if (!bandwidth.port) return static_cast<double>(sms.size()) * bandwidth.sm;
  const auto group_of = group_of_each_sm(bandwidth.port->shared_by, gpu.sm_count);
  std::map<std::uint32_t, double> wanted;
  for (const std::int64_t sm : sms) wanted[group_of[static_cast<std::size_t>(sm)]] += bandwidth.sm;
  double sum = 0;
  for (const auto& [group, rate] : wanted) sum += std::min(rate, bandwidth.port->rate);
  return sum;
}

/// Bytes moved per cycle by all participating SMs.
double pace(const Gpu& gpu, const Work& work, Serving level) {
  const Bandwidth& bandwidth = *gpu.bandwidth;
  const Program& program = work.program;
  const auto copies = static_cast<double>(streaming::bytes_moved_per_byte(program.operation));
  const bool is_broadcast = program.load == streaming::Load::constant;
  const std::int64_t bytes_of_access = (is_broadcast ? 1 : streaming::warp_threads) * program.element;
  double roof =
      work.sms() * static_cast<double>(bytes_of_access) / of_element(bandwidth.access_cycles, program.element);
  if (level == Serving::l1) roof = std::min(roof, work.sms() * *first_rate(bandwidth, program.load));
  if (level != Serving::l1) {
    roof = std::min({roof, through_ports(gpu, program.sms), of(bandwidth.l2, program.operation)});
  }
  if (level == Serving::dram) {
    roof = std::min(roof, of(bandwidth.dram, program.operation) / (static_cast<double>(gpu.sm_clock_mhz) * 1e6));
  }
  if (program.operation == Operation::write) return roof;
  const auto in_flight = static_cast<double>(
      streaming::bytes_in_flight(program, work.ctas_per_sm, static_cast<std::int64_t>(program.sms.size())));
  return under_load(copies * in_flight, turn(gpu, program, level), service(bandwidth, level), roof);
}

/// Time of each SM relative to the mean. SMs move equal shares, so those whose port serves more SMs take longer.
std::vector<double> shares_of_time(const Gpu& gpu, const Work& work, double pace) {
  const auto& sms = work.program.sms;
  std::vector<double> shares(sms.size(), 1);
  if (!gpu.bandwidth->port || work.program.distribution == streaming::Distribution::queued) return shares;
  const auto group_of = group_of_each_sm(gpu.bandwidth->port->shared_by, gpu.sm_count);
  std::map<std::uint32_t, double> together;
  for (const std::int64_t sm : sms) together[group_of[static_cast<std::size_t>(sm)]] += 1;
  const double of_sm = pace / work.sms();
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const double most = gpu.bandwidth->port->rate / together[group_of[static_cast<std::size_t>(sms[i])]];
    shares[i] = std::max(1.0, of_sm / most);
  }
  return shares;
}

/// Cycles of the timed passes.
double cycles(const Gpu& gpu, const Work& work) {
  const auto of_pass = static_cast<double>(work.moved()) / static_cast<double>(work.program.passes);
  const bool cold = work.program.warm_passes == 0;
  const auto warm_passes = static_cast<double>(work.program.passes - (cold ? 1 : 0));
  const double warm = warm_passes * of_pass / pace(gpu, work, serving(gpu, work));
  return cold ? warm + of_pass / pace(gpu, work, Serving::dram) : warm;
}

Work work_of(const Gpu& gpu, Program program) {
  if (program.sms.empty()) {
    program.sms.resize(static_cast<std::size_t>(gpu.sm_count));
    std::iota(program.sms.begin(), program.sms.end(), std::int64_t{0});
  }
  if (std::ranges::max(program.sms) >= gpu.sm_count) {
    throw std::invalid_argument("an SM takes part that the GPU does not have");
  }
  const std::int64_t warps = program.threads / streaming::warp_threads;
  const std::int64_t room = std::min(gpu.bandwidth->max_ctas, gpu.bandwidth->max_warps / warps);
  if (room == 0) throw std::invalid_argument("no CTA of this size fits on an SM");
  const auto sms = static_cast<std::int64_t>(program.sms.size());
  const std::int64_t ctas = std::min(program.ctas_per_sm, room);
  const std::int64_t footprint = streaming::rounded_footprint(program, ctas, sms);
  return {std::move(program), ctas, footprint};
}

streaming::Result answer(const Gpu& gpu, const Options& options, Program program, std::uint64_t seed) {
  if (!gpu.bandwidth) throw Refused(TOMOGRAPH_UNSUPPORTED, "the description of this GPU has no bandwidth");
  const Work work = work_of(gpu, std::move(program));
  const auto copies = streaming::bytes_moved_per_byte(work.program.operation);
  if (gpu.dram.size && copies * work.footprint > *gpu.dram.size) {
    throw std::runtime_error("the footprint is larger than the memory");
  }
  if (!first_rate(*gpu.bandwidth, work.program.load)) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the description of this GPU has no bandwidth of this path");
  }
  if (work.program.load == streaming::Load::constant && serving(gpu, work) != Serving::l1) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "constants are simulated in their first cache only");
  }
  const double expected = cycles(gpu, work);
  const auto shares = serving(gpu, work) == Serving::l1
                          ? std::vector<double>(work.program.sms.size(), 1)
                          : shares_of_time(gpu, work, pace(gpu, work, serving(gpu, work)));
  Random random(seed);
  const auto noisy = [&](double time) {
    if (!options.noise) return time;
    const double z = draw_normal(random);
    return time * (1 + gpu.bandwidth->sigma * z);
  };
  const double clock = static_cast<double>(gpu.sm_clock_mhz) * 1e6;
  streaming::Result result{.elapsed_ns = noisy(expected * std::ranges::max(shares)) / clock * 1e9,
                           .cycles = {},
                           .clock_hz = clock,
                           .moved = work.moved(),
                           .footprint = work.footprint,
                           .ctas_per_sm = work.ctas_per_sm};
  for (const double share : shares) result.cycles.push_back(noisy(expected * share));
  return result;
}

}  // namespace

Arrays answer_streaming(const Gpu& gpu, const Options& options, const Experiment& experiment) {
  const streaming::Program program = streaming::decode(experiment);
  if (const auto why = streaming::violation(program)) throw std::invalid_argument(*why);
  return streaming::encode(answer(gpu, options, program, noise_seed(experiment, options)));
}

}  // namespace tomograph::sim
