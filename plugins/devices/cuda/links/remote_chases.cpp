#include "cuda/links/remote_chases.hpp"

#include <cstring>
#include <stdexcept>

#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

using remote_chase::Operation;

bool has_native_atomics(int device, transfer::Place place) {
  if (place == device) return true;
  if (!transfer::is_gpu(place)) return attribute(cudaDevAttrHostNativeAtomicSupported, device) != 0;
  int native = 0;
  check(cudaDeviceGetP2PAttribute(&native, cudaDevP2PAttrNativeAtomicSupported, device, static_cast<int>(place)),
        "asking for native atomics");
  return native != 0;
}

/// Writes a ring that begins at `base` for the GPU into `image`.
void write_ring(std::byte* image, std::uint64_t base, std::int64_t nodes, std::int64_t stride) {
  for (std::int64_t node = 0; node < nodes; ++node) {
    const std::uint64_t next = base + static_cast<std::uint64_t>((node + 1) % nodes * stride);
    std::memcpy(image + node * stride, &next, sizeof next);
  }
}

}  // namespace

RemoteChases::RemoteChases(int device) : places_(device) { times_.reserve(sizeof(RemoteChaseTimes)); }

void RemoteChases::expect_access(const remote_chase::Program& program) {
  if (program.place == transfer::managed) {
    const bool may_fault = attribute(cudaDevAttrConcurrentManagedAccess, places_.device()) != 0;
    const bool reads_in_place = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables, places_.device()) != 0;
    if (may_fault && !reads_in_place) return;
    throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU does not fault on pages of managed memory");
  }
  places_.connect(program.place);
  if (program.operation == Operation::atomic && !has_native_atomics(places_.device(), program.place)) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the link has no native atomics");
  }
}

std::uint64_t RemoteChases::place_ring(const remote_chase::Program& program) {
  const auto bytes = static_cast<std::size_t>(program.nodes * program.stride);
  const auto write = [&](std::byte* image, std::uint64_t base) {
    write_ring(image, base, program.nodes, program.stride);
    return base;
  };
  if (program.place == transfer::managed) {
    managed_.release_all();  // what was resident on the GPU would not fault
    managed_.reserve(bytes);
    return write(managed_.data(), reinterpret_cast<std::uint64_t>(managed_.data()));
  }
  std::byte* const memory = places_.memory(program.place, bytes);
  const auto base = reinterpret_cast<std::uint64_t>(memory);
  if (program.place == transfer::pinned) return write(memory, base);
  std::vector<std::byte> image(bytes);
  write(image.data(), base);
  const CurrentGpu there(static_cast<int>(program.place));
  check(cudaMemcpy(memory, image.data(), bytes, cudaMemcpyHostToDevice), "writing the ring");
  return base;
}

remote_chase::Result RemoteChases::result(const remote_chase::Program& program, const RemoteChaseTask& task) {
  RemoteChaseTimes times{};
  check(cudaMemcpyAsync(&times, times_.data(), sizeof times, cudaMemcpyDeviceToHost, stream_.get()),
        "fetching results");
  stream_.synchronize();
  const std::int64_t steps = task.warm_steps + program.runs * program.steps;
  if (times.last != task.first + static_cast<std::uint64_t>(steps % program.nodes * program.stride)) {
    throw std::runtime_error("the chase has left its ring");
  }
  if (times.nanoseconds == 0) throw std::runtime_error("the device's clock stands still");
  remote_chase::Result result;
  for (std::int64_t run = 0; run < program.runs; ++run) {
    result.cycles.push_back(static_cast<double>(times.cycles[run]));
  }
  result.clock_hz = static_cast<double>(times.all_cycles) / static_cast<double>(times.nanoseconds) * 1e9;
  return result;
}

remote_chase::Result RemoteChases::run(const remote_chase::Program& program) {
  if (const auto why = remote_chase::violation(program)) throw std::invalid_argument(*why);
  expect_access(program);
  const bool is_managed = program.place == transfer::managed;
  const RemoteChaseTask task{.first = place_ring(program),
                             .steps = static_cast<std::uint32_t>(program.steps),
                             .runs = static_cast<std::uint32_t>(program.runs),
                             .warm_steps = static_cast<std::uint32_t>(is_managed ? 0 : program.steps),
                             .times = reinterpret_cast<RemoteChaseTimes*>(times_.data())};
  check(cudaMemsetAsync(times_.data(), 0, sizeof(RemoteChaseTimes), stream_.get()), "clearing memory");
  check(launch_remote_chase(program.operation == Operation::atomic, task, stream_.get()), "starting a kernel");
  return result(program, task);
}

std::vector<Answer> RemoteChases::execute(std::span<const Experiment> batch) {
  auto answers = answer_each(batch, [this](const Experiment& experiment) {
    return remote_chase::encode(run(remote_chase::decode(experiment)));
  });
  places_.release();
  managed_.release_all();
  return answers;
}

}  // namespace tomograph::cuda
