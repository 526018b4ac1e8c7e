#include "commands/exit_code.hpp"

#include "running/call_failed.hpp"
#include "tomograph/documents/atomic_file.hpp"

namespace tomograph::host {

int exit_code_of(const std::function<void()>& work, Log& log) {
  try {
    work();
    return 0;
  } catch (const CallFailed& failure) {
    log.write(LogLevel::error, failure.what());
  } catch (const FileError& failure) {
    log.write(LogLevel::error, failure.what());
  }
  return 1;
}

}  // namespace tomograph::host
