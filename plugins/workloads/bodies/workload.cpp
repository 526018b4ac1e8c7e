#include "bodies/workload.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "bodies/data.hpp"
#include "bodies/lanes.hpp"
#include "bodies/list.hpp"

namespace tomograph::workloads {

namespace {

constexpr std::uint32_t warps_of_a_cta = cta_threads / static_cast<std::uint32_t>(warp_lanes);
/// As many as the device's kernels are compiled for: 2048 threads of an SM.
constexpr std::uint32_t ctas_of_an_sm = 8;

/// Instructions of every kernel around its body, as compiled for sm_90: parameters and bases of arrays (seven), numbers
/// of CTA and thread (two), the clocks (two), the barrier, the choice of who notes the time, and the exit.
constexpr int frame_instructions = 14;

template <typename Body>
kernel::Warp execute_warp(const Body& body, std::byte* memory, std::uint32_t cta, std::uint32_t warp,
                          bool is_executing) {
  Recorder recorder;
  for (int i = 0; i < frame_instructions; ++i) recorder.note(kernel::Operation::integer, {-1, -1, -1});
  body.body(HostMachine(memory, cta, warp, is_executing));
  return recorder.take();
}

template <typename Body>
class BodyTrace : public kernel::Trace {
 public:
  BodyTrace(const Body& body, std::vector<std::byte> memory) : body_(body), memory_(std::move(memory)) {
    launch_ = {.name = Body::name,
               .ctas = Body::threads / cta_threads,
               .warps_per_cta = warps_of_a_cta,
               .ctas_per_sm = ctas_of_an_sm,
               .footprint = memory_.size()};
  }

  [[nodiscard]] const kernel::Launch& launch() const override { return launch_; }
  [[nodiscard]] kernel::Warp warp(std::uint32_t cta, std::uint32_t warp) const override {
    // Nothing is written, since the machine does not execute.
    return execute_warp(body_, const_cast<std::byte*>(memory_.data()), cta, warp, false);
  }

 private:
  Body body_;
  std::vector<std::byte> memory_;
  kernel::Launch launch_;
};

template <typename Body, bool divergent>
class BodyWorkload : public Workload {
 public:
  [[nodiscard]] std::string_view name() const override { return Body::name; }
  [[nodiscard]] bool is_divergent() const override { return divergent; }
  [[nodiscard]] std::uint32_t ctas() const override { return Body::threads / cta_threads; }
  [[nodiscard]] std::vector<std::byte> memory() const override {
    std::vector<std::byte> memory(body_.layout.bytes());
    fill(body_, memory.data());
    return memory;
  }
  [[nodiscard]] std::size_t wrong(const std::vector<std::byte>& memory) const override {
    return workloads::wrong(body_, memory.data());
  }
  void execute(std::vector<std::byte>& memory) const override {
    for (std::uint32_t cta = 0; cta < ctas(); ++cta) {
      for (std::uint32_t warp = 0; warp < warps_of_a_cta; ++warp) {
        static_cast<void>(execute_warp(body_, memory.data(), cta, warp, true));
      }
    }
  }
  [[nodiscard]] std::unique_ptr<kernel::Trace> trace() const override {
    return std::make_unique<BodyTrace<Body>>(body_, memory());
  }

 private:
  Body body_;
};

template <bool divergent, typename... Bodies>
void add(std::vector<std::unique_ptr<Workload>>& all, List<Bodies...> /*bodies*/) {
  (all.push_back(std::make_unique<BodyWorkload<Bodies, divergent>>()), ...);
}

}  // namespace

const std::vector<std::unique_ptr<Workload>>& all_workloads() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Workload>> list;
    add<false>(list, RegularBodies{});
    add<true>(list, DivergentBodies{});
    return list;
  }();
  return all;
}

Character character_of(const kernel::Trace& trace, std::uint32_t warps) {
  const kernel::Launch& launch = trace.launch();
  const std::uint64_t count = std::uint64_t{launch.ctas} * launch.warps_per_cta;
  if (count == 0 || warps == 0) throw std::invalid_argument("a trace without warps");
  const std::uint64_t sampled = std::min<std::uint64_t>(warps, count);
  Character sum;
  double loads = 0;
  double accesses = 0;
  std::set<std::uint64_t> distinct;
  for (std::uint64_t i = 0; i < sampled; ++i) {
    const std::uint64_t number = i * count / sampled;
    const auto warp = trace.warp(static_cast<std::uint32_t>(number / launch.warps_per_cta),
                                 static_cast<std::uint32_t>(number % launch.warps_per_cta));
    sum.instructions += static_cast<double>(warp.instructions.size());
    for (const kernel::Instruction& instruction : warp.instructions) {
      sum.active_lanes += instruction.lanes;
      const auto first = warp.sectors.begin() + instruction.first_sector;
      distinct.insert(first, first + instruction.sector_count);
      accesses += instruction.sector_count;
      if (instruction.operation != kernel::Operation::load) continue;
      ++loads;
      sum.sectors_per_load += instruction.sector_count;
      std::set<std::uint64_t> lines;
      constexpr std::uint64_t sectors_of_a_line = 4;
      std::for_each(first, first + instruction.sector_count, [&](auto s) { lines.insert(s / sectors_of_a_line); });
      sum.lines_per_load += static_cast<double>(lines.size());
    }
  }
  return {.lines_per_load = sum.lines_per_load / std::max(loads, 1.0),
          .sectors_per_load = sum.sectors_per_load / std::max(loads, 1.0),
          .reuse = accesses / std::max(static_cast<double>(distinct.size()), 1.0),
          .active_lanes = sum.active_lanes / sum.instructions,
          .instructions = sum.instructions / static_cast<double>(sampled)};
}

}  // namespace tomograph::workloads
