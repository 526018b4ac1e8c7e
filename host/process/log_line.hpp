#ifndef TOMOGRAPH_HOST_PROCESS_LOG_LINE_HPP
#define TOMOGRAPH_HOST_PROCESS_LOG_LINE_HPP

#include <string>

namespace tomograph::host {

enum class LogLevel { debug, info, warning, error };

/// What a line in the log is about.
enum class LogSubject {
  message,          ///< whatever the plugin has to say
  refused_fact,     ///< a fact of the plugin that broke a rule
  own_output,       ///< what the plugin wrote to standard output or standard error
  changed_process,  ///< something that the plugin did not leave as it found it
  broken_rule,      ///< a call that abi/host.h does not allow
  omitted_lines     ///< lines beyond what a plugin may write in one call
};

/// A line that a plugin wrote, or that the host wrote about a plugin.
struct LogLine {
  LogLevel level = LogLevel::warning;
  LogSubject subject = LogSubject::message;
  std::string plugin = {};
  std::string text = {};
};

}  // namespace tomograph::host

#endif
