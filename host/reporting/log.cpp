#include "reporting/log.hpp"

#include <fmt/format.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <string>

namespace tomograph::host {
namespace {

/// Writes through the terminal, so that log lines and the status line do not mix. The terminal does the locking.
class TerminalSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit TerminalSink(Terminal& terminal) : terminal_(&terminal) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    terminal_->line({text.data(), text.size()});
  }
  void flush_() override {}

 private:
  Terminal* terminal_;
};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

Log::Log(Terminal& terminal, LogLevel threshold)
    : logger_(std::make_unique<spdlog::logger>("tomograph", std::make_shared<TerminalSink>(terminal))) {
  logger_->set_formatter(
      std::make_unique<spdlog::pattern_formatter>("%n: %l: %v", spdlog::pattern_time_type::local, std::string()));
  logger_->set_level(spdlog_level(threshold));
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message) {
  logger_->log(spdlog_level(level), spdlog::string_view_t(message.data(), message.size()));
}

void Log::write(const LogLine& line) {
  if (!logger_->should_log(spdlog_level(line.level))) return;
  write(line.level, fmt::format("[{}] {}", line.plugin, line.text));
}

}  // namespace tomograph::host
