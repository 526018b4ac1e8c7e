#include "cuda/streaming/instrument.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "cuda/carveout.hpp"
#include "cuda/sm_times.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/session.hpp"

namespace tomograph::cuda {

namespace {

/// Source and destination of a copy start at multiples of this: the page size of the GPU.
constexpr std::size_t page = std::size_t{2} << 20;
/// Kernels compare the sum of what they read with this number, so that the compiler keeps every load. In the unlikely
/// case that both are equal, a word is written.
constexpr std::uint32_t unlikely_sum = 0x9e3779b9;

/// Trials use so many places in memory in turn, if those take no more than this. On an H100, L2 copied 3 % slower at
/// some physical addresses than at others, in all trials at one place.
constexpr std::size_t places = 8;
constexpr std::size_t most_bytes_of_places = std::size_t{1} << 30;

std::size_t rounded_up(std::size_t bytes, std::size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

/// Bytes of the footprint and, for a copy, of the destination behind it.
std::size_t arena_bytes(const streaming::Program& program, std::int64_t footprint) {
  const auto arrays = static_cast<std::size_t>(streaming::bytes_moved_per_byte(program.operation));
  return arrays * rounded_up(static_cast<std::size_t>(footprint), page);
}

/// Where in the arena a trial has its arrays.
std::size_t place_of(const streaming::Program& program, std::size_t bytes, std::size_t usual) {
  if (places * bytes > std::min(most_bytes_of_places, usual)) return 0;
  return static_cast<std::size_t>(program.trial) % places * bytes;
}

const void* entry(StreamKernel kernel) { return reinterpret_cast<const void*>(kernel); }

}  // namespace

Streaming::Streaming(int device, Arena& arena, NeighbourMonitor& monitor)
    : monitor_(&monitor),
      sm_count_(attribute(cudaDevAttrMultiProcessorCount, device)),
      shared_per_sm_(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device)),
      texels_(attribute(cudaDevAttrMaxTexture1DLinearWidth, device)),
      arena_(&arena) {}

void Streaming::expect_reach(const streaming::Program& program, std::int64_t footprint) const {
  if (program.load == streaming::Load::texture && footprint / program.element > texels_) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "a linear texture has at most " + std::to_string(texels_) + " texels");
  }
  if (program.load == streaming::Load::constant && footprint > streamed_constants) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "there are " + std::to_string(streamed_constants) + " B of constants");
  }
}

Streaming::Job Streaming::prepare(streaming::Program program) const {
  if (const auto why = streaming::violation(program)) throw std::invalid_argument(*why);
  if (program.sms.empty()) {
    program.sms.resize(static_cast<std::size_t>(sm_count_));
    std::iota(program.sms.begin(), program.sms.end(), std::int64_t{0});
  }
  if (std::ranges::any_of(program.sms, [this](std::int64_t sm) { return sm >= sm_count_; })) {
    throw std::invalid_argument("the program names an SM that the device does not have");
  }
  Job job{.kernel = stream_kernel(static_cast<std::int64_t>(program.operation), static_cast<std::int64_t>(program.load),
                                  program.element, program.ilp)};
  check(cudaFuncSetAttribute(entry(job.kernel), cudaFuncAttributePreferredSharedMemoryCarveout,
                             carveout_percent(program.carveout, shared_per_sm_)),
        "setting the carve-out");
  int resident = 0;
  check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, entry(job.kernel), static_cast<int>(program.threads), 0),
      "reading the occupancy");
  if (resident == 0) throw std::invalid_argument("no CTA of this size fits on an SM");
  job.grid = resident * static_cast<int>(sm_count_);
  job.ctas_per_sm = std::min<std::int64_t>(program.ctas_per_sm, resident);
  job.footprint = streaming::rounded_footprint(program, job.ctas_per_sm, static_cast<std::int64_t>(program.sms.size()));
  expect_reach(program, job.footprint);
  job.program = std::move(program);
  return job;
}

void Streaming::reserve(std::span<Job> jobs) {
  const auto sms = static_cast<std::size_t>(sm_count_);
  std::size_t next = 0;
  const auto take = [&](std::size_t bytes) {
    const std::size_t begin = next;
    next = rounded_up(next + bytes, sizeof(std::uint64_t));
    return begin;
  };
  std::size_t arena = 0;
  for (Job& job : jobs) {
    job.words = take(sizeof(StreamRendezvous) + sms * sizeof(std::uint32_t));
    job.times = take(job.program.sms.size() * sizeof(StreamTimes));
    const std::size_t bytes = arena_bytes(job.program, job.footprint);
    job.place = place_of(job.program, bytes, arena_->usual());
    arena = std::max(arena, job.place + bytes);
  }
  ranks_ = take(jobs.size() * sms * sizeof(std::int32_t));
  state_size_ = take(sizeof(std::uint32_t)) + sizeof(std::uint64_t);
  state_.reserve(state_size_);
  mirror_.reserve(state_size_);
  if (!arena_->reserve(arena, this)) filled_ = 0;
  if (filled_ >= arena) return;
  check(launch_fill(reinterpret_cast<std::uint32_t*>(arena_->data()), arena / sizeof(std::uint32_t), stream_.get()),
        "filling memory");
  filled_ = arena;
}

void Streaming::upload(std::span<const Job> jobs) {
  const auto sms = static_cast<std::size_t>(sm_count_);
  std::memset(mirror_.data(), 0, state_size_);
  std::vector<std::int32_t> ranks(jobs.size() * sms, -1);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::int32_t rank = 0;
    for (const std::int64_t sm : jobs[i].program.sms) ranks[i * sms + static_cast<std::size_t>(sm)] = rank++;
  }
  std::memcpy(mirror_.data() + ranks_, ranks.data(), ranks.size() * sizeof(std::int32_t));
  check(cudaMemcpyAsync(state_.data(), mirror_.data(), state_size_, cudaMemcpyHostToDevice, stream_.get()),
        "sending programs");
}

void Streaming::launch(const Job& job) {
  const streaming::Program& program = job.program;
  const std::int64_t groups = program.distribution == streaming::Distribution::sliced ? job.sms() : 1;
  std::byte* const words = state_.data() + job.words;
  StreamTask task{
      .source = arena_->data() + job.place,
      .target = arena_->data() + job.place + rounded_up(static_cast<std::size_t>(job.footprint), page),
      .texture = texture_of(job),
      .slice = static_cast<std::uint64_t>(job.footprint / groups),
      .ranks =
          reinterpret_cast<const std::int32_t*>(state_.data() + ranks_) + job.row * static_cast<std::size_t>(sm_count_),
      .rendezvous = reinterpret_cast<StreamRendezvous*>(words),
      .claimed = reinterpret_cast<std::uint32_t*>(words + sizeof(StreamRendezvous)),
      .times = reinterpret_cast<StreamTimes*>(state_.data() + job.times),
      .sink = reinterpret_cast<std::uint32_t*>(state_.data() + state_size_ - sizeof(std::uint64_t)),
      .unlikely_sum = unlikely_sum,
      .sm_limit = static_cast<std::uint32_t>(sm_count_),
      .sms = static_cast<std::uint32_t>(job.sms()),
      .ctas_per_sm = static_cast<std::uint32_t>(job.ctas_per_sm),
      .warm_passes = static_cast<std::uint32_t>(program.warm_passes),
      .passes = static_cast<std::uint32_t>(program.passes),
      .distribution = static_cast<std::int64_t>(program.distribution),
  };
  std::array<void*, 1> arguments{&task};
  check(cudaFuncSetAttribute(entry(job.kernel), cudaFuncAttributePreferredSharedMemoryCarveout,
                             carveout_percent(program.carveout, shared_per_sm_)),
        "setting the carve-out");
  check(cudaLaunchKernel(entry(job.kernel), dim3(static_cast<unsigned>(job.grid)),
                         dim3(static_cast<unsigned>(program.threads)), arguments.data(), 0, stream_.get()),
        "launching a program");
}

std::uint64_t Streaming::texture_of(const Job& job) {
  if (job.program.load != streaming::Load::texture) return 0;
  return textures_
      .try_emplace({job.place, job.program.element, job.footprint},
                   reinterpret_cast<Address>(arena_->data() + job.place), job.footprint, job.program.element)
      .first->second.texture();
}

void Streaming::run(std::span<Job> jobs) {
  if (jobs.empty()) return;
  reserve(jobs);
  upload(jobs);
  for (const Job& job : jobs) launch(job);
  check(cudaMemcpyAsync(mirror_.data(), state_.data(), state_size_, cudaMemcpyDeviceToHost, stream_.get()),
        "fetching results");
  stream_.synchronize();
  textures_.clear();
}

Answer Streaming::answer(const Job& job) const {
  const std::span times(reinterpret_cast<const StreamTimes*>(mirror_.data() + job.times), job.program.sms.size());
  const auto all = static_cast<std::uint64_t>(job.ctas_per_sm);
  if (std::ranges::any_of(times, [all](const StreamTimes& one) { return one.finished != all; })) {
    monitor_->suspect();
    return {{},
            TOMOGRAPH_FAILED,
            "not all CTAs were resident at the same time; other processes may use the device",
            TOMOGRAPH_TIMES_DISTURBED};
  }
  return {streaming::encode(result(job, times))};
}

streaming::Result Streaming::result(const Job& job, std::span<const StreamTimes> times) {
  streaming::Result result{.moved = streaming::bytes_moved(job.program, job.footprint, job.ctas_per_sm, job.sms()),
                           .footprint = job.footprint,
                           .ctas_per_sm = job.ctas_per_sm};
  set_times(result, times);
  return result;
}

std::vector<Answer> Streaming::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers(batch.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    try {
      Job job = prepare(streaming::decode(batch[i]));
      job.position = i;
      job.row = jobs.size();
      jobs.push_back(std::move(job));
    } catch (const Refused& refusal) {
      answers[i] = {{}, refusal.status, refusal.what()};
    } catch (const std::invalid_argument& error) {
      answers[i] = {{}, TOMOGRAPH_INVALID, error.what()};
    }
  }
  try {
    run(jobs);
  } catch (const OutOfMemory& error) {
    for (const Job& job : jobs) answers[job.position] = {{}, error.status, error.what()};
    return answers;
  }
  for (const Job& job : jobs) answers[job.position] = answer(job);
  return answers;
}

}  // namespace tomograph::cuda
