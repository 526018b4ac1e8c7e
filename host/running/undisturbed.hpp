#ifndef TOMOGRAPH_HOST_RUNNING_UNDISTURBED_HPP
#define TOMOGRAPH_HOST_RUNNING_UNDISTURBED_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tomograph/experiment.hpp"
#include "topology/topology.hpp"

/// Measures beside other programs: what they disturbed is measured again.
namespace tomograph::host {

/// `Answer::disturbance` of an experiment of which the device tells nothing, such as one of an executor.
constexpr tomograph_disturbance unseen = UINT32_MAX;

/// Whether two executions of an experiment took the same times: the sums of each array of U32 or F64 numbers differ by
/// at most 2 %, or by chance where only the warm-up was interrupted. Nearly all single times must then be alike.
[[nodiscard]] bool agree(const Answer& a, const Answer& b);

/// The number of the answer to use among the answers of an experiment that was perhaps disturbed, or -1 if it must be
/// executed again. Turns of other programs only lengthen times, and rarely by the same amount. So among three answers
/// or more the two with the shortest times must agree.
[[nodiscard]] int reliable(std::span<const Answer> answers);

/// Time that a run may spend on something.
class Allowance {
 public:
  explicit Allowance(std::chrono::duration<double> left) : left_(left) {}

  [[nodiscard]] bool is_spent() const { return left_.count() <= 0; }
  void spend(std::chrono::duration<double> time) { left_ -= time; }
  /// A part of what is left.
  [[nodiscard]] Allowance share(double part) const { return Allowance(left_ * part); }

 private:
  std::chrono::duration<double> left_;
};

/// Time that a run may spend beside another program.
struct TimeBeside {
  Allowance all{std::chrono::seconds(40)};          ///< whole runs shall then take less than a minute
  Allowance repetitions{std::chrono::seconds(25)};  ///< of what was disturbed
};

/// The positions of experiments, divided into parts for the execution with this number, 1 for the first repetition. A
/// part that is executed after a pause usually begins with a turn on the device. So the later the execution, the
/// smaller the parts, until they take less than a turn; and the parts begin elsewhere in each execution, since other
/// programs have their turns after the same time in each part and would disturb the same experiments, by the same time.
[[nodiscard]] std::vector<std::vector<std::size_t>> parts(std::vector<std::size_t> left, int execution);

/// A part with the predecessors in the batch of its experiments: an experiment may begin with caches as another one
/// left them.
[[nodiscard]] std::vector<std::size_t> with_predecessors(std::span<const std::size_t> part);

/// How a batch is executed.
struct Execution {
  /// Executes the experiments at these positions of the batch, with `Answer::disturbance` set.
  std::function<std::vector<Answer>(std::span<const std::size_t> positions)> execute;
  /// Whether another program has used the device lately.
  std::function<bool()> in_use;
};

/// The answers to a batch of `count` experiments. While another program uses the device, experiments that it disturbed
/// are executed again, and those that it disturbs each time are refused as DISTURBED. If the time for all is spent,
/// none is executed before the other program is gone.
[[nodiscard]] std::vector<Answer> undisturbed(std::size_t count, const Execution& execution, TimeBeside& time,
                                              Disturbances& disturbances);

}  // namespace tomograph::host

#endif
