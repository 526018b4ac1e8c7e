#ifndef TOMOGRAPH_CUDA_KERNEL_PTX_ADDRESSES_HPP
#define TOMOGRAPH_CUDA_KERNEL_PTX_ADDRESSES_HPP

#include <string>

#include "tomograph/kernel.hpp"

namespace tomograph::cuda {

/// PTX that computes the addresses of a kernel's patterns. Registers of instruction k end in its number. Uses the
/// registers of ptx.cpp: thread, lane, warp, warps, place, i, ...
class AddressCode {
 public:
  /// `kernel` outlives the object.
  explicit AddressCode(const kernel::Kernel& kernel) : kernel_(&kernel) {}

  [[nodiscard]] std::string registers() const;
  /// Runs once in each thread.
  [[nodiscard]] std::string once() const;
  /// Runs before the first CTA of a place, outside of the measured time.
  [[nodiscard]] std::string of_place() const;
  /// Runs before the loop of each CTA.
  [[nodiscard]] std::string of_cta() const;
  /// Runs after the loop of each CTA.
  [[nodiscard]] std::string next_cta() const;

  /// Sets register a<k> to the address of instruction `k` in this iteration. The address depends on the registers
  /// `needs`, at most two. A CSR pattern also sets the predicate active<k>.
  [[nodiscard]] std::string in_iteration(std::size_t k, const std::vector<std::string>& needs) const;
  /// Prepares the next iteration.
  [[nodiscard]] std::string advance(std::size_t k) const;

 private:
  template <typename OfPattern>
  [[nodiscard]] std::string of_each(OfPattern of_pattern) const;

  const kernel::Kernel* kernel_;
};

/// `register` with the number of an instruction.
[[nodiscard]] std::string numbered(const char* name, std::size_t k);

}  // namespace tomograph::cuda

#endif
