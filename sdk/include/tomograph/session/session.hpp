#ifndef TOMOGRAPH_SESSION_HPP
#define TOMOGRAPH_SESSION_HPP

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tomograph/abi/plugin.h"
#include "tomograph/experiment/chase.hpp"
#include "tomograph/experiment/experiment.hpp"
#include "tomograph/experiment/streaming.hpp"
#include "tomograph/session/fact.hpp"

namespace tomograph {

/// Thrown where a probe does not apply: the run ends as "skipped".
class Skip : public std::runtime_error {
 public:
  Skip(std::string category, const std::string& reason) : std::runtime_error(reason), category(std::move(category)) {}
  std::string category;  ///< "device", "configuration", "resource" or "permission"
};

/// Thrown by `execute` when the device is lost, and by devices when they notice: the process must end.
class DeviceLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by `execute` when the device refuses an experiment; `what()` says which and why.
class Refused : public std::runtime_error {
 public:
  Refused(tomograph_status status, const std::string& reason) : std::runtime_error(reason), status(status) {}
  tomograph_status status;
};

/// The host as a running probe, model or device sees it: tomograph_host in C++ types. One thread only,
/// but `log`. Every function may throw std::runtime_error if the host refuses the call.
class Session {
 public:
  /// `provides` are the declarations that give published facts their units; empty for devices.
  explicit Session(const tomograph_host& host, std::span<const tomograph_fact_spec* const> provides = {})
      : host_(&host), provides_(provides) {}

  void log(tomograph_log_level level, const std::string& message) const;

  /// Value of a declared parameter. @throws std::logic_error if it is undeclared or not convertible to T.
  template <typename T>
  [[nodiscard]] T parameter(const char* name) const {
    return parameter_json(name).get<T>();
  }

  /// Record of a declared need, or nothing if it is not known.
  [[nodiscard]] std::optional<Json> fact_record(const std::string& key) const;

  /// Value of a declared need, or nothing if it is not known.
  template <typename T>
  [[nodiscard]] std::optional<T> fact(const std::string& key) const {
    const auto record = fact_record(key);
    return record ? std::optional<T>(record->at("value").get<T>()) : std::nullopt;
  }

  /// Value of a hard need. @throws std::logic_error if it is not known, which the host rules out.
  template <typename T>
  [[nodiscard]] T needed(const std::string& key) const {
    if (const auto value = fact<T>(key)) return *value;
    throw std::logic_error("fact " + key + " is not declared as a hard need");
  }

  /// Publishes a fact with the unit declared for its key. @throws std::logic_error if the host refuses it.
  void publish(const Fact& fact) const;
  /// Publishes a fact with a unit of its own (devices, whose facts are not declared).
  void publish(const Fact& fact, const char* unit) const;
  void inconclusive(const std::string& key, const std::string& reason) const;
  void absent(const std::string& key, const std::string& reason) const;
  void evidence(const std::string& name, std::span<const NamedArray> columns) const;
  void evidence(const std::string& name, const Arrays& columns) const;
  void progress(double fraction) const { host_->progress(host_->context, fraction); }

  /// Executes a batch; one answer per experiment, in order. @throws DeviceLost.
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) const;
  /// Executes chase programs. @throws Refused if one of them is refused, DeviceLost.
  [[nodiscard]] std::vector<chase::Result> execute(std::span<const chase::Program> batch) const;
  /// Executes streaming programs. @throws Refused if one of them is refused, DeviceLost.
  [[nodiscard]] std::vector<streaming::Result> execute(std::span<const streaming::Program> batch) const;

  [[nodiscard]] const tomograph_host& host() const { return *host_; }

 private:
  [[nodiscard]] Json parameter_json(const char* name) const;
  void evidence(const std::string& name, std::span<const ArrayView> columns) const;

  const tomograph_host* host_;
  std::span<const tomograph_fact_spec* const> provides_;
};

}  // namespace tomograph

#endif
