#include "cuda/shared_access/instrument.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>

#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

using shared_access::Program;

/// A program whose CTAs were not resident at the same time is launched again, so often in all.
constexpr int attempts = 3;
/// Launches with one download.
constexpr std::size_t launches_per_submission = 256;
/// Longest delay, in cycles, of a warp's begin after the first begin on its SM. An SM with a longer delay is discarded.
/// Chosen on an H200.
constexpr unsigned long long most_delay = 1000;

AccessTask task_of(const Program& program) {
  AccessTask task{};
  task.lanes = static_cast<std::uint32_t>(program.offsets.size());
  for (std::size_t lane = 0; lane < program.offsets.size(); ++lane) {
    task.offsets[lane] = static_cast<std::uint32_t>(program.offsets[lane]);
  }
  task.words = static_cast<std::uint32_t>(program.bytes / 4);
  task.accesses = static_cast<std::uint32_t>(program.accesses);
  task.stream_shift = static_cast<std::uint32_t>(program.stream_shift);
  task.warp_shift = static_cast<std::uint32_t>(program.warp_shift);
  task.store_shift = static_cast<std::uint32_t>(program.store_shift);
  return task;
}

/// Whether all CTAs ran on the SM, all warps began in time, and all loads returned the right value.
bool is_complete(const SmReport& sm, std::int64_t ctas) {
  return sm.ctas == static_cast<unsigned long long>(ctas) && sm.last_end != 0 && sm.wrong == 0 &&
         sm.last_begin - ~sm.first_begin <= most_delay;
}

}  // namespace

SharedAccess::SharedAccess(int device)
    : sms_(attribute(cudaDevAttrMultiProcessorCount, device)),
      shared_per_sm_(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device)),
      shared_per_block_(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device)),
      shared_reserved_(attribute(cudaDevAttrReservedSharedMemoryPerBlock, device)) {}

std::vector<Answer> SharedAccess::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers(batch.size());
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    answers[i] = answer_each(batch.subspan(i, 1), [&](const Experiment& experiment) {
                   launches.push_back(prepare(experiment, i));
                   return Arrays{};
                 }).front();
  }
  for (std::span<const Launch> left = launches; !left.empty();
       left = left.subspan(std::min(left.size(), launches_per_submission))) {
    run(left.first(std::min(left.size(), launches_per_submission)), answers);
  }
  return answers;
}

SharedAccess::Launch SharedAccess::prepare(const Experiment& experiment, std::size_t position) {
  Launch launch{shared_access::decode(experiment), nullptr, 0, position};
  const Program& program = launch.program;
  if (const auto why = shared_access::violation(program)) throw std::invalid_argument(*why);
  if (program.mode != shared_access::default_mode) {
    throw Refused(TOMOGRAPH_UNSUPPORTED,
                  "the bank width cannot be set: only GPUs of compute capability 3 have a choice");
  }
  if (program.bytes > shared_per_block_) {
    throw Refused(TOMOGRAPH_UNSUPPORTED,
                  "a CTA has at most " + std::to_string(shared_per_block_) + " B of shared memory");
  }
  launch.kernel = access_kernel(program.width, static_cast<std::int64_t>(program.operation), program.streams);
  allow_all_shared_memory(launch.kernel);
  launch.shared_bytes = static_cast<std::size_t>(program.bytes);
  if (resident_ctas(launch.kernel, program.warps, launch.shared_bytes) < program.ctas) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "an SM cannot hold so many CTAs");
  }
  // Each CTA takes its whole share of the SM's shared memory, so that every SM holds this number of CTAs and no more.
  const std::int64_t share = std::min(shared_per_sm_ / program.ctas - shared_reserved_, shared_per_block_);
  const auto filling = static_cast<std::size_t>(std::max(share, program.bytes));
  if (resident_ctas(launch.kernel, program.warps, filling) == program.ctas) launch.shared_bytes = filling;
  return launch;
}

void SharedAccess::allow_all_shared_memory(const void* kernel) {
  if (!prepared_.insert(kernel).second) return;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_per_block_)),
        "setting the largest dynamic shared memory");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "setting the carve-out");
}

int SharedAccess::resident_ctas(const void* kernel, std::int64_t warps, std::size_t shared_bytes) {
  int ctas = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &ctas, kernel, static_cast<int>(warps * shared_access::warp_lanes), shared_bytes),
        "reading the occupancy");
  return ctas;
}

void SharedAccess::run(std::span<const Launch> launches, std::vector<Answer>& answers) {
  const std::size_t per_launch = static_cast<std::size_t>(sms_) * sizeof(SmReport);
  const std::size_t bytes = launches.size() * (per_launch + sizeof(SmReport));
  reports_.reserve(bytes);
  downloaded_.reserve(bytes);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    check(cudaMemsetAsync(reports_.data(), 0, bytes, stream_.get()), "clearing reports");
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (attempt == 0 || answers[launches[i].position].status == TOMOGRAPH_FAILED) start(launches[i], i);
    }
    check(cudaMemcpyAsync(downloaded_.data(), reports_.data(), bytes, cudaMemcpyDeviceToHost, stream_.get()),
          "fetching reports");
    stream_.synchronize();
    bool complete = true;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      Answer& own = answers[launches[i].position];
      if (attempt > 0 && own.status == TOMOGRAPH_OK) continue;
      own = answer(launches[i],
                   reinterpret_cast<const SmReport*>(downloaded_.data()) + i * (static_cast<std::size_t>(sms_) + 1));
      complete = complete && own.status == TOMOGRAPH_OK;
    }
    if (complete) return;
  }
}

/// Each launch has one report per SM, followed by the number of CTAs that have arrived.
void SharedAccess::start(const Launch& launch, std::size_t number) {
  AccessTask task = task_of(launch.program);
  task.sms = reinterpret_cast<SmReport*>(reports_.data()) + number * (static_cast<std::size_t>(sms_) + 1);
  task.sm_count = static_cast<std::uint32_t>(sms_);
  task.arrived = reinterpret_cast<unsigned int*>(task.sms + sms_);
  std::array<void*, 1> arguments{&task};
  const dim3 grid(static_cast<unsigned int>(launch.program.ctas * sms_));
  const dim3 block(static_cast<unsigned int>(launch.program.warps * shared_access::warp_lanes));
  check(cudaLaunchKernel(launch.kernel, grid, block, arguments.data(), launch.shared_bytes, stream_.get()),
        "launching accesses to shared memory");
}

Answer SharedAccess::answer(const Launch& launch, const SmReport* reports) const {
  shared_access::Result result;
  std::vector<double> empty;
  for (const SmReport& sm : std::span(reports, static_cast<std::size_t>(sms_))) {
    if (!is_complete(sm, launch.program.ctas)) continue;
    result.cycles.push_back(static_cast<double>(sm.last_end - ~sm.first_begin));
    empty.push_back(static_cast<double>(sm.empty_last_end - ~sm.empty_first_begin));
  }
  if (empty.empty()) return {{}, TOMOGRAPH_FAILED, "no SM ran all CTAs of the program at the same time"};
  result.overhead = analysis::median(empty);
  return {shared_access::encode(result), TOMOGRAPH_OK, {}};
}

}  // namespace tomograph::cuda
