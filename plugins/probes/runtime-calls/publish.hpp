#ifndef TOMOGRAPH_RUNTIME_CALLS_PUBLISH_HPP
#define TOMOGRAPH_RUNTIME_CALLS_PUBLISH_HPP

#include <vector>

#include "tomograph/session.hpp"

namespace tomograph::runtime_calls {

/// A quantity by trial.
struct Measured {
  const char* key;
  const char* column;  ///< of the evidence
  std::vector<double> values;
  double from_run_to_run = 1;  ///< medians of two runs may be so many times as large as each other
  Value conditions = Value::table();
};

/// Publishes the median with its interval, and the values as evidence.
void publish(const Session& session, const Measured& measured);
/// Publishes what the fastest tenth takes, of times that the host's other users lengthen.
void publish_undisturbed(const Session& session, const Measured& measured);

}  // namespace tomograph::runtime_calls

#endif
