#include "executors.hpp"

#include "analysis_launch.hpp"
#include "bodies/workload.hpp"
#include "kernels.hpp"
#include "tomograph/parallel.hpp"

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

Arrays answer_launch(WorkloadGpu& gpu, const Experiment& experiment) {
  const LaunchRequest request = decode_launch(experiment);
  int places = 0;
  cuda::check(resident_waiting_ctas(request.warps, &places), "reading the occupancy");
  const std::int64_t ctas = gpu.sms() * places * request.rounds;
  LaunchAnswer answer{.ctas_per_sm = places};
  const auto run = [&] {
    auto* spans = gpu.zeros<CtaSpan>(static_cast<std::size_t>(ctas));
    cuda::check(launch_waiting(ctas, request.warps, request.wait_cycles, spans, gpu.stream()), "launching CTAs");
    return gpu.fetch(spans, static_cast<std::size_t>(ctas));
  };
  static_cast<void>(run());  // loads the code
  std::vector<std::vector<CtaSpan>> runs;
  for (std::int64_t i = 0; i < request.repetitions; ++i) runs.push_back(run());
  std::vector<Succession> successions(runs.size());
  in_parallel(runs.size(), 1,
              [&](std::size_t i) { successions[i] = succession_of(runs[i], static_cast<std::size_t>(places)); });
  for (const Succession& succession : successions) {
    answer.rate.push_back(succession.rate);
    answer.turnover.push_back(succession.turnover);
  }
  return encode(answer);
}

}  // namespace tomograph::workloads
