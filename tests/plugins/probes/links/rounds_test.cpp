#include <algorithm>
#include <cmath>
#include <span>

#include "catch.hpp"
#include "memory_host.hpp"
#include "tomograph/abi/plugin.h"
#include "tomograph/transfer.hpp"

extern "C" const tomograph_plugin tomograph_plugin_entry;

using namespace tomograph;

namespace {

constexpr double copy_rate = 50e9;
constexpr double sm_rate = 45e9;
constexpr double pageable_rate = 12e9;
constexpr double copy_latency = 2e-6;

double rate_of(const transfer::Program& program) {
  const bool is_pageable = std::ranges::any_of(program.routes, [](const transfer::Route& route) {
    return route.from == transfer::pageable || route.to == transfer::pageable;
  });
  if (is_pageable) return pageable_rate;
  return program.engine == transfer::Engine::sms ? sm_rate : copy_rate;
}

/// A link that another program uses for 60 ms of each 100 ms, and then is 1.4 times as slow.
class BusyLink {
 public:
  transfer::Result answer(const transfer::Program& program) {
    const double seconds = copy_latency + static_cast<double>(program.bytes) / rate_of(program);
    const bool is_disturbed = std::fmod(time_, 0.1) < 0.06;
    const double elapsed = static_cast<double>(program.passes) * seconds * (is_disturbed ? 1.4 : 1);
    time_ += elapsed;
    return {std::vector(program.routes.size(), elapsed * 1e9)};
  }

 private:
  double time_ = 0;
};

void connect(MemoryHost& host, BusyLink& link) {
  host.facts["device.gpu"] = R"({"value": 0, "unit": ""})";
  host.facts["device.gpus"] = R"({"value": ["GPU-0"], "unit": ""})";
  host.device = [&](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) -> tomograph_status {
    for (std::uint64_t i = 0; i < batch.size(); ++i) {
      const Arrays arrays = transfer::encode(link.answer(transfer::decode(batch[i])));
      for (const ArrayView& array : arrays) sink.array(sink.context, i, &array.crossing());
    }
    return TOMOGRAPH_OK;
  };
}

}  // namespace

TEST_CASE("another program that uses the link for longer than all repetitions of one rate changes none") {
  MemoryHost host;
  BusyLink link;
  connect(host, link);
  const std::span probes(tomograph_plugin_entry.probes, tomograph_plugin_entry.probe_count);
  const auto probe = std::ranges::find_if(
      probes, [](const tomograph_probe* one) { return std::string(one->id) == "links/host.bandwidth"; });
  REQUIRE(probe != probes.end());
  REQUIRE((*probe)->run(host.abi()) == TOMOGRAPH_OK);
  CHECK(host.inconclusive.empty());
  const auto rate = [&](const std::string& name) {
    return host.published.at("host.bandwidth." + name).value.get<double>();
  };
  CHECK(rate("copy_in") == Approx(copy_rate).epsilon(0.01));
  CHECK(rate("copy_out") == Approx(copy_rate).epsilon(0.01));
  CHECK(rate("both_ways") == Approx(2 * copy_rate).epsilon(0.01));
  CHECK(rate("read") == Approx(sm_rate).epsilon(0.01));
  CHECK(rate("write") == Approx(sm_rate).epsilon(0.01));
  CHECK(rate("pageable_in") == Approx(pageable_rate).epsilon(0.01));
  CHECK(rate("pageable_out") == Approx(pageable_rate).epsilon(0.01));
  CHECK(host.published.at("host.half_peak_size").value.get<double>() == Approx(copy_latency * copy_rate).epsilon(0.02));
}
