#include "executors.hpp"

#include "bodies/workload.hpp"
#include "kernels.hpp"

namespace tomograph::workloads {

std::byte* WorkloadGpu::with_content(const std::vector<std::byte>& content) {
  memory_.reserve(content.size());
  cuda::check(cudaMemcpyAsync(memory_.data(), content.data(), content.size(), cudaMemcpyHostToDevice, stream()),
              "sending inputs");
  return memory_.data();
}

Arrays answer_run(WorkloadGpu& gpu, const Experiment& experiment) {
  const RunRequest request = decode_run(experiment);
  const Workload& workload = *all_workloads()[static_cast<std::size_t>(request.workload)];
  std::vector<std::byte> content = workload.memory();
  std::byte* memory = gpu.with_content(content);
  const auto run = [&] {
    auto* times = gpu.zeros<CtaTime>(workload.ctas());
    cuda::check(launch_workload(request.workload, memory, times, gpu.stream()), "launching a workload");
    return gpu.fetch(times, workload.ctas());
  };
  static_cast<void>(run());
  content = gpu.fetch(memory, content.size());
  int ctas_per_sm = 0;
  cuda::check(resident_ctas(request.workload, &ctas_per_sm), "reading the occupancy");
  RunAnswer answer{.wrong = static_cast<std::int64_t>(workload.wrong(content)), .ctas_per_sm = ctas_per_sm};
  for (std::int64_t i = 0; i < request.repetitions; ++i) {
    const std::vector<CtaTime> times = run();
    double cycles = 0;
    double nanoseconds = 0;
    for (const CtaTime& one : times) {
      cycles += static_cast<double>(one.cycles);
      nanoseconds += static_cast<double>(one.end_ns - one.begin_ns);
    }
    answer.elapsed_ns.push_back(cuda::elapsed_nanoseconds(times));
    answer.clock_hz.push_back(nanoseconds > 0 ? cycles / nanoseconds * 1e9 : 0);
  }
  return encode(answer);
}

}  // namespace tomograph::workloads
