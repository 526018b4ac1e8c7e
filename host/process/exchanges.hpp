#ifndef TOMOGRAPH_HOST_PROCESS_EXCHANGES_HPP
#define TOMOGRAPH_HOST_PROCESS_EXCHANGES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tomograph/experiment/experiment.hpp"

namespace tomograph::host {

/// Makes bytes of experiments with their answers. A recorded run sends all of them from the process that measures to
/// the host, so this is no more than a copy.
class ExchangeWriter {
 public:
  void add(const Experiment& experiment, const Answer& answer);
  /// Bytes so far.
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// What was added; there is nothing left afterwards.
  [[nodiscard]] std::vector<std::uint8_t> take();

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Experiments with their answers, as they came from a worker.
class Exchanges {
 public:
  /// Takes over what ExchangeWriter made. @throws std::invalid_argument if `bytes` are anything else.
  explicit Exchanges(std::vector<std::uint8_t> bytes);

  /// Calls `visit` with each in their order.
  void for_each(const std::function<void(const Experiment&, const Answer&)>& visit) const;
  [[nodiscard]] std::size_t size_bytes() const { return bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace tomograph::host

#endif
