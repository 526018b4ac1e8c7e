#ifndef TOMOGRAPH_HOST_REPORTING_LOG_HPP
#define TOMOGRAPH_HOST_REPORTING_LOG_HPP

#include <memory>
#include <string_view>

#include "process/messages.hpp"
#include "reporting/terminal.hpp"

namespace spdlog {
class logger;
}

namespace tomograph::host {

/// The log of this process, on stderr. Silent where all is normal: the threshold is `warning` unless the user
/// asks for more. Any thread.
class Log {
 public:
  /// `terminal` outlives the log.
  explicit Log(Terminal& terminal, LogLevel threshold = LogLevel::warning);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void write(LogLevel level, std::string_view message);
  /// A line of a plugin, marked with the plugin's id.
  void write(LogLevel level, std::string_view plugin, std::string_view message);

 private:
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace tomograph::host

#endif
