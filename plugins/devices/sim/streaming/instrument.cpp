#include "sim/streaming/instrument.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "sim/random.hpp"

namespace tomograph::sim {

namespace {

using streaming::Operation;
using streaming::Program;

enum class Serving { l1, l2, dram };

/// A program with what a device makes of it.
struct Work {
  Program program;
  std::int64_t ctas_per_sm = 0;
  std::int64_t footprint = 0;

  [[nodiscard]] double sms() const { return static_cast<double>(program.sms.size()); }
};

double of(const StreamingRates& rates, Operation operation) {
  switch (operation) {
    case Operation::read: return rates.read;
    case Operation::write: return rates.write;
    case Operation::copy: return rates.copy;
  }
  return 0;
}

const PrivateCache* l1(const Gpu& gpu) { return gpu.serving(chase::Path::global_ca); }

/// Bytes that loads on global.ca find in their cache beside a carve-out; none without such a cache.
std::int64_t l1_bytes(const Gpu& gpu, std::int64_t carveout) {
  const PrivateCache* cache = l1(gpu);
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

/// What serves a pass over a footprint that was passed over before.
Serving serving(const Gpu& gpu, const Work& work) {
  const Program& program = work.program;
  const bool through_l1 = program.operation == Operation::read && program.load == streaming::Load::ca;
  const std::int64_t of_sm = work.footprint / static_cast<std::int64_t>(program.sms.size());
  if (through_l1 && of_sm <= l1_bytes(gpu, program.carveout)) return Serving::l1;
  const std::int64_t all = work.footprint * streaming::bytes_moved_per_byte(program.operation);
  return all <= l2_bytes(gpu.l2) ? Serving::l2 : Serving::dram;
}

std::int64_t latency(const Gpu& gpu, Serving level) {
  switch (level) {
    case Serving::l1: return l1(gpu)->latency;
    case Serving::l2: return gpu.l2.latency;
    case Serving::dram: return gpu.dram.latency;
  }
  return 0;
}

/// Bytes moved per cycle of all SMs that take part.
double pace(const Gpu& gpu, const Work& work, Serving level) {
  const Bandwidth& bandwidth = *gpu.bandwidth;
  const Program& program = work.program;
  const auto copies = static_cast<double>(streaming::bytes_moved_per_byte(program.operation));
  const double of_warp = static_cast<double>(streaming::warp_threads * program.element);
  double pace = work.sms() * of_warp / bandwidth.access_cycles;
  if (program.operation != Operation::write) {
    const auto in_flight = static_cast<double>(
        streaming::bytes_in_flight(program, work.ctas_per_sm, static_cast<std::int64_t>(program.sms.size())));
    pace = std::min(pace, copies * in_flight / static_cast<double>(latency(gpu, level)));
  }
  if (level == Serving::l1) return std::min(pace, work.sms() * bandwidth.l1);
  pace = std::min({pace, work.sms() * bandwidth.sm, of(bandwidth.l2, program.operation)});
  if (level == Serving::l2) return pace;
  return std::min(pace, of(bandwidth.dram, program.operation) / (static_cast<double>(gpu.sm_clock_mhz) * 1e6));
}

/// Cycles that the timed passes take.
double cycles(const Gpu& gpu, const Work& work) {
  const auto of_pass = static_cast<double>(work.footprint * streaming::bytes_moved_per_byte(work.program.operation));
  const bool cold = work.program.warm_passes == 0;
  const auto warm_passes = static_cast<double>(work.program.passes - (cold ? 1 : 0));
  const double warm = warm_passes * of_pass / pace(gpu, work, serving(gpu, work));
  return cold ? warm + of_pass / pace(gpu, work, Serving::dram) : warm;
}

std::uint64_t identity(const Experiment& experiment) {
  std::uint64_t digest = 0;
  for (const NamedArray& parameter : experiment.parameters) {
    for (const std::int64_t value : numbers<std::int64_t>(std::span(&parameter, 1), parameter.name)) {
      digest = mix(digest ^ mix(static_cast<std::uint64_t>(value)));
    }
  }
  return digest;
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

}  // namespace

std::vector<Answer> Streaming::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const Program program = streaming::decode(experiment);
    if (const auto why = streaming::violation(program)) throw std::invalid_argument(*why);
    return streaming::encode(run(program, mix(identity(experiment) ^ mix(options_.seed))));
  });
}

streaming::Result Streaming::run(Program program, std::uint64_t seed) const {
  if (!gpu_.bandwidth) throw Refused(TOMOGRAPH_UNSUPPORTED, "nothing is said of this GPU's bandwidth");
  const Work work = work_of(gpu_, std::move(program));
  const auto copies = streaming::bytes_moved_per_byte(work.program.operation);
  if (gpu_.dram.size && copies * work.footprint > *gpu_.dram.size) {
    throw std::runtime_error("the footprint is larger than the memory");
  }
  const double expected = cycles(gpu_, work);
  const boost::math::normal_distribution<double> standard;
  Random random(seed);
  const auto noisy = [&] {
    if (!options_.noise) return expected;
    const double z = quantile(standard, random.unit() * (1 - 0x1p-52) + 0x1p-54);
    return expected * (1 + gpu_.bandwidth->sigma * z);
  };
  const double clock = static_cast<double>(gpu_.sm_clock_mhz) * 1e6;
  streaming::Result result{.elapsed_ns = noisy() / clock * 1e9,
                           .cycles = {},
                           .clock_hz = clock,
                           .moved = copies * work.footprint * work.program.passes,
                           .footprint = work.footprint,
                           .ctas_per_sm = work.ctas_per_sm};
  for (std::size_t i = 0; i < work.program.sms.size(); ++i) result.cycles.push_back(noisy());
  return result;
}

}  // namespace tomograph::sim
