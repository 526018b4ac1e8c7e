#include <cmath>

#include "catch.hpp"
#include "cuda/nvml/conditions.hpp"

using namespace tomograph::cuda;

TEST_CASE("NVML's reasons for a clock become the host's, and unknown ones are left out") {
  CHECK(throttle_reasons(0) == 0);
  CHECK(throttle_reasons(0x1 | 0x4) == (TOMOGRAPH_THROTTLE_IDLE | TOMOGRAPH_THROTTLE_POWER_CAP));
  CHECK(throttle_reasons(0x20) == TOMOGRAPH_THROTTLE_THERMAL);
  CHECK(throttle_reasons(0x40) == TOMOGRAPH_THROTTLE_THERMAL);
  CHECK(throttle_reasons(0x80) == TOMOGRAPH_THROTTLE_POWER_BRAKE);
  CHECK(throttle_reasons(0x10000) == 0);
}

TEST_CASE("the step of a clock is the usual difference of supported clocks, in any order, gaps or not") {
  CHECK(clock_step({1980, 1965, 1950, 1935, 345}) == 15);
  CHECK(clock_step({135, 1911, 1898, 1885, 1873, 1860}) == 13);
  CHECK(std::isnan(clock_step({1980, 1980})));
  CHECK(std::isnan(clock_step({})));
}

TEST_CASE("a GPU that NVML does not know tells nothing") {
  const Nvml nvml("no such bus");
  CHECK_FALSE(nvml.processes());
  CHECK_FALSE(nvml.megahertz(Nvml::Clock::sm));
  CHECK_FALSE(nvml.cores());
  CHECK(nvml.supported_sm_megahertz(1000).empty());
  const Conditions conditions(nvml, std::nullopt);
  tomograph_reading reading{};
  reading.struct_size = sizeof reading;
  reading.throttle_reasons = TOMOGRAPH_THROTTLE_UNKNOWN;
  conditions.read(reading);
  CHECK(std::isnan(reading.sm_clock));
  CHECK(std::isnan(reading.power));
  CHECK(reading.throttle_reasons == TOMOGRAPH_THROTTLE_UNKNOWN);
}
