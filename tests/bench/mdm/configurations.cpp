#include "configurations.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "sim/gpu/reader.hpp"

namespace tomograph::bench {

namespace {

struct Named {
  const char* file;
  bool divergent;
};
constexpr std::array table_2{Named{"hotspot", false}, Named{"b+tree", false},  Named{"backprop", false},
                             Named{"fdtd3d", false},  Named{"srad", false},    Named{"raytrace", false},
                             Named{"2dconv", false},  Named{"stencil", false}, Named{"cfd", true},
                             Named{"bfs", true},      Named{"pvr", true},      Named{"pvc", true},
                             Named{"iix", true},      Named{"spmv", true},     Named{"kmeans", true}};

sim::Gpu table_1() { return sim::read_gpu(std::filesystem::path(TOMOGRAPH_GPUS) / "pascal-mdm.toml"); }

sim::Gpu scaled_noc(double factor) {
  sim::Gpu gpu = table_1();
  for (double* const rate : {&gpu.timing->noc.sm_request, &gpu.timing->noc.sm_reply, &gpu.timing->noc.slice_reply}) {
    *rate *= factor;
  }
  return gpu;
}

sim::Gpu scaled_dram(double factor) {
  sim::Gpu gpu = table_1();
  gpu.timing->dram.bandwidth *= factor;
  return gpu;
}

sim::Gpu with_mshrs(std::int64_t mshrs) {
  sim::Gpu gpu = table_1();
  gpu.timing->l1_mshrs = mshrs;
  return gpu;
}

sim::Gpu with_sms(std::int64_t sms) {
  sim::Gpu gpu = table_1();
  gpu.sm_count = sms;
  return gpu;
}

sim::Gpu greedy() {
  sim::Gpu gpu = table_1();
  gpu.timing->scheduler = sim::WarpScheduler::gto;
  return gpu;
}

}  // namespace

std::vector<Workload> workloads() {
  std::vector<Workload> read;
  for (const Named& named : table_2) {
    const auto file = std::filesystem::path(TOMOGRAPH_FOLDER) / "kernels" / (std::string(named.file) + ".toml");
    read.push_back({kernel::read_description(file), named.divergent});
  }
  return read;
}

std::vector<Configuration> configurations() {
  std::vector<Configuration> all{{"Table 1", table_1()},
                                 {"DRAM x 1/2", scaled_dram(0.5)},
                                 {"DRAM x 2", scaled_dram(2)},
                                 {"NoC x 1/2", scaled_noc(0.5)},
                                 {"NoC x 2", scaled_noc(2)}};
  for (const std::int64_t mshrs : {32, 64, 256, 512, 1024}) {
    all.push_back({std::to_string(mshrs) + " MSHRs", with_mshrs(mshrs)});
  }
  for (const std::int64_t sms : {14, 56}) all.push_back({std::to_string(sms) + " SMs", with_sms(sms)});
  for (const std::int64_t ctas : {2, 4, 8}) {
    all.push_back({std::to_string(8 * ctas) + " warps", table_1(), ctas});
  }
  for (const std::int64_t lanes : {8, 16}) {
    all.push_back({"SIMT width " + std::to_string(lanes), table_1(), 6, lanes});
  }
  all.push_back({"greedy-then-oldest", greedy()});
  return all;
}

kernel::Kernel kernel_on(const Configuration& configuration, const Workload& workload) {
  kernel::Kernel kernel = workload.description.kernel;
  kernel.ctas_per_sm = configuration.ctas_per_sm;
  for (kernel::Step& step : kernel.loop) step.lanes = std::min(step.lanes, configuration.lanes);
  return kernel;
}

}  // namespace tomograph::bench
