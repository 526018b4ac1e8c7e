#ifndef TOMOGRAPH_HOST_RUNNING_CALL_FAILED_HPP
#define TOMOGRAPH_HOST_RUNNING_CALL_FAILED_HPP

#include <stdexcept>
#include <string>

#include "running/workers.hpp"

namespace tomograph::host {

/// An exporter or a model crashed, hung, failed or gave too little; `what()` is one message that names it.
class CallFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The reason that a plugin gave for a status other than OK.
[[nodiscard]] std::string reason_of(const CallResult& result);

}  // namespace tomograph::host

#endif
