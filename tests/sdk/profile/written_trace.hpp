#ifndef TOMOGRAPH_TESTS_WRITTEN_TRACE_HPP
#define TOMOGRAPH_TESTS_WRITTEN_TRACE_HPP

#include <functional>

#include "tomograph/kernel/trace.hpp"

namespace tomograph::kernel {

/// A trace whose warps a function writes.
class WrittenTrace : public Trace {
 public:
  WrittenTrace(Launch launch, std::function<Warp(std::uint32_t cta, std::uint32_t warp)> write)
      : launch_(std::move(launch)), write_(std::move(write)) {}
  [[nodiscard]] const Launch& launch() const override { return launch_; }
  [[nodiscard]] Warp warp(std::uint32_t cta, std::uint32_t warp) const override { return write_(cta, warp); }

 private:
  Launch launch_;
  std::function<Warp(std::uint32_t, std::uint32_t)> write_;
};

/// Adds an instruction without memory.
inline void add(Warp& warp, Operation operation, std::int32_t need = Instruction::no_need) {
  warp.instructions.push_back({.operation = operation, .needs = {need, -1, -1}});
}

/// Adds an access to these sectors.
inline void add_access(Warp& warp, Operation operation, const std::vector<std::uint64_t>& sectors,
                       std::int32_t need = Instruction::no_need) {
  warp.instructions.push_back({.operation = operation,
                               .needs = {need, -1, -1},
                               .first_sector = static_cast<std::uint32_t>(warp.sectors.size()),
                               .sector_count = static_cast<std::uint32_t>(sectors.size())});
  warp.sectors.insert(warp.sectors.end(), sectors.begin(), sectors.end());
}

}  // namespace tomograph::kernel

#endif
