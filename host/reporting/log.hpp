#ifndef TOMOGRAPH_HOST_REPORTING_LOG_HPP
#define TOMOGRAPH_HOST_REPORTING_LOG_HPP

#include <memory>
#include <string_view>

#include "process/log_line.hpp"
#include "reporting/terminal.hpp"

namespace spdlog {
class logger;
}

namespace tomograph::host {

/// The log of the host, on stderr. Lines below the threshold are not written. Any thread.
class Log {
 public:
  /// `terminal` outlives the log.
  explicit Log(Terminal& terminal, LogLevel threshold = LogLevel::warning);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void write(LogLevel level, std::string_view message);
  /// Writes a line about a plugin, marked with the plugin's id.
  void write(const LogLine& line);

 private:
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace tomograph::host

#endif
