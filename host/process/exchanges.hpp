#ifndef TOMOGRAPH_HOST_PROCESS_EXCHANGES_HPP
#define TOMOGRAPH_HOST_PROCESS_EXCHANGES_HPP

#include <cstddef>
#include <functional>
#include <string>

#include "tomograph/experiment.hpp"

namespace tomograph::host {

/// Packs experiments with their answers into bytes. A recorded run sends all of them from the worker to the host.
class ExchangeWriter {
 public:
  void add(const Experiment& experiment, const Answer& answer);
  /// Bytes so far.
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// Returns the bytes and starts anew.
  [[nodiscard]] std::string take();

 private:
  std::string bytes_;
};

/// Experiments with their answers, as they came from a worker.
class Exchanges {
 public:
  /// Takes over the bytes of an ExchangeWriter. @throws std::invalid_argument if `bytes` are anything else.
  explicit Exchanges(std::string bytes);

  /// Calls `visit` with each in their order.
  void for_each(const std::function<void(const Experiment&, const Answer&)>& visit) const;
  [[nodiscard]] std::size_t size_bytes() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

}  // namespace tomograph::host

#endif
