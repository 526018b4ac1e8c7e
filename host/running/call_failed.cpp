#include "running/call_failed.hpp"

namespace tomograph::host {

std::string reason_of(const CallResult& result) {
  if (!result.error.empty()) return result.error;
  return result.skip_reason.empty() ? "it gave no reason" : result.skip_reason;
}

}  // namespace tomograph::host
