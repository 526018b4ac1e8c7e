#ifndef TOMOGRAPH_CUDA_KERNEL_PTX_LOOP_HPP
#define TOMOGRAPH_CUDA_KERNEL_PTX_LOOP_HPP

#include <string>
#include <vector>

#include "cuda/kernel/ptx_addresses.hpp"
#include "tomograph/kernel.hpp"

namespace tomograph::cuda {

/// PTX of the instructions of a kernel's loop. Register v<k> holds the result of instruction k, old<k> that of the
/// iteration before where an instruction needs it later.
class LoopCode {
 public:
  /// Both outlive the object.
  LoopCode(const kernel::Kernel& kernel, const AddressCode& addresses);

  [[nodiscard]] std::string registers() const;
  /// Runs once in each thread.
  [[nodiscard]] std::string once() const;
  /// One iteration, without the loop's own instructions.
  [[nodiscard]] std::string body() const;
  /// Makes `combined` depend on all results.
  [[nodiscard]] std::string combine_all() const;

 private:
  [[nodiscard]] const kernel::Step& step(std::size_t k) const { return kernel_->loop[k]; }
  /// The register that holds the result of a need of instruction `k`.
  [[nodiscard]] std::string operand(std::size_t k, std::int64_t need) const;
  [[nodiscard]] std::vector<std::string> operands(std::size_t k, const std::vector<std::int64_t>& needs) const;
  /// "@active3 ", or nothing where all lanes take part.
  [[nodiscard]] std::string guard(std::size_t k) const;
  [[nodiscard]] std::string instruction(std::size_t k) const;
  [[nodiscard]] std::string arithmetic(std::size_t k, const char* operation, const char* summand) const;
  [[nodiscard]] std::string double_precision(std::size_t k) const;
  [[nodiscard]] std::string special(std::size_t k) const;
  /// Sets register a<k> and, where several conditions say which lanes take part, takes_part<k>.
  [[nodiscard]] std::string address(std::size_t k) const;
  [[nodiscard]] std::string load(std::size_t k) const;
  [[nodiscard]] std::string store(std::size_t k) const;
  [[nodiscard]] std::string atomic(std::size_t k) const;
  [[nodiscard]] std::string shared_load(std::size_t k) const;
  [[nodiscard]] std::string shared_store(std::size_t k) const;

  const kernel::Kernel* kernel_;
  const AddressCode* addresses_;
  std::vector<bool> is_needed_;
  std::vector<bool> is_needed_later_;  ///< whether an instruction after k needs k's result of the iteration before
};

}  // namespace tomograph::cuda

#endif
