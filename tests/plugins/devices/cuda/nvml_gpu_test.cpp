// Plausible ranges, wide enough for every GPU since Kepler: a wrong unit, field or function is off by far more.
#include <cmath>

#include "catch.hpp"
#include "cuda/facts.hpp"
#include "cuda/nvml/conditions.hpp"
#include "tomograph/cuda/device.hpp"

using namespace tomograph;

TEST_CASE("NVML tells clocks, power, temperature and reasons of the first GPU in plausible ranges") {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  const cuda::Nvml nvml(cuda::pci_bus_id(0));
  if (!nvml.driver_version()) skip_here("NVML does not answer");
  const auto processes_before = nvml.processes();
  cuda::check(cudaSetDevice(0), "selecting the device");
  cuda::check(cudaFree(nullptr), "creating a context");
  const cuda::Conditions conditions(nvml, processes_before);
  tomograph_reading reading{};
  reading.struct_size = sizeof reading;
  conditions.read(reading);
  const auto is_in = [](double value, double low, double high) {
    return std::isnan(value) || (low <= value && value <= high);
  };
  CHECK(is_in(reading.sm_clock, 50e6, 5e9));
  CHECK(is_in(reading.sm_clock_step, 1e6, 200e6));
  CHECK(is_in(reading.memory_clock, 100e6, 20e9));
  CHECK(is_in(reading.power, 1, 3000));
  CHECK(is_in(reading.temperature, 5, 120));
  CHECK(is_in(reading.other_processes, 0, 1000));
  INFO("driver " << *nvml.driver_version() << ", " << reading.sm_clock << " Hz, step " << reading.sm_clock_step << ", "
                 << reading.power << " W, " << reading.temperature << " degrees, reasons " << reading.throttle_reasons);
  // Every GPU tells its clock and its temperature.
  CHECK_FALSE(std::isnan(reading.sm_clock));
  CHECK_FALSE(std::isnan(reading.temperature));
}

TEST_CASE("the cores of all SMs are a multiple of the number of SMs") {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) skip_here("no CUDA device");
  const auto cores = cuda::Nvml(cuda::pci_bus_id(0)).cores();
  if (!cores) skip_here("NVML does not tell the number of cores");
  const auto sms = cuda::attribute(cudaDevAttrMultiProcessorCount, 0);
  CHECK(*cores >= sms);
  CHECK(*cores % sms == 0);
}
