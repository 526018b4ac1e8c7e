#ifndef TOMOGRAPH_SESSION_HPP
#define TOMOGRAPH_SESSION_HPP

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tomograph/abi/plugin.h"
#include "tomograph/chase.hpp"
#include "tomograph/experiment.hpp"
#include "tomograph/fact.hpp"
#include "tomograph/streaming.hpp"

namespace tomograph {

/// Thrown if a probe does not apply to the device: the probe is skipped.
class Skip : public std::runtime_error {
 public:
  Skip(std::string category, const std::string& reason) : std::runtime_error(reason), category(std::move(category)) {}
  std::string category;  ///< "device", "configuration", "resource" or "permission"
};

/// Thrown by devices that are lost, and then by `execute`: the process must end.
class DeviceLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown if another program disturbed an experiment whenever it was executed. A probe lets it pass: what it has not
/// published is inconclusive.
class Disturbed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown if the device refuses an experiment; `what()` gives the reason.
class Refused : public std::runtime_error {
 public:
  Refused(tomograph_status status, const std::string& reason) : std::runtime_error(reason), status(status) {}
  tomograph_status status;
};

/// The host during the run of a probe, model or device: tomograph_host in C++ types. All functions except `log` must be
/// called from one thread.
class Session {
 public:
  /// `provides` declares the units of published facts; it is empty for devices.
  explicit Session(const tomograph_host& host, std::span<const tomograph_fact_spec* const> provides = {})
      : host_(&host), provides_(provides) {}

  void log(tomograph_log_level level, const std::string& message) const;

  /// Value of a declared parameter. @throws std::logic_error if it is not declared, std::invalid_argument if it is no
  /// T.
  template <typename T>
  [[nodiscard]] T parameter(const char* name) const {
    return parameter_value(name).get<T>();
  }

  /// Record of a declared need (value, confidence, interval, ...), or nothing if the fact is not known.
  [[nodiscard]] std::optional<Value> fact_record(const std::string& key) const;

  /// Value of a declared need, or nothing if the fact is not known. @throws std::invalid_argument if it is no T.
  template <typename T>
  [[nodiscard]] std::optional<T> fact(const std::string& key) const {
    const auto record = fact_record(key);
    if (!record) return std::nullopt;
    try {
      return record->at("value").get<T>();
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("fact " + key + ": " + error.what());
    }
  }

  /// Why the device does not have a declared need. Nothing if it has it, or if nobody knows: the probe that tells the
  /// fact failed, or was left out.
  [[nodiscard]] std::optional<std::string> absence(const std::string& key) const;

  /// Value of a need that is not optional. @throws std::logic_error if it is not declared as such.
  template <typename T>
  [[nodiscard]] T needed(const std::string& key) const {
    if (const auto value = fact<T>(key)) return *value;
    throw std::logic_error("fact " + key + " is not declared as a hard need");
  }

  /// Publishes a fact with the unit declared for its key. A fact that breaks a rule of `tomograph_host::publish` is
  /// logged and becomes inconclusive; the probe goes on. @throws std::logic_error if the key is not declared.
  void publish(const Fact& fact) const;
  /// Publishes a fact with this unit, for devices, which do not declare their facts. @throws std::logic_error if the
  /// host refuses it.
  void publish(const Fact& fact, const char* unit) const;
  /// How the question for a fact ended, and the curve behind facts. @throws std::logic_error if the host refuses the
  /// call, as for a key that is not declared.
  void inconclusive(const std::string& key, const std::string& reason) const;
  void absent(const std::string& key, const std::string& reason) const;
  void evidence(const std::string& name, std::span<const NamedArray> columns) const;
  void evidence(const std::string& name, const Arrays& columns) const;
  void progress(double fraction) const { host_->progress(host_->context, fraction); }

  /// Executes a batch. Returns one answer per experiment, in order. @throws DeviceLost, Refused if the batch fails.
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) const;

  /// The results of programs, in order. A program is any type with `Experiment encode(const Program&)` and
  /// `Result decode_result(const Program&, const Answer&)` in its namespace: chase::Program, streaming::Program, ...
  /// @throws Skip if the device does not support one of them, Disturbed, Refused if it refuses one for another reason,
  /// DeviceLost.
  template <typename Program>
  [[nodiscard]] auto ask(std::span<const Program> programs) const {
    return results(programs, &skip_unless_supported);
  }
  template <typename Program>
  [[nodiscard]] auto ask(const std::vector<Program>& programs) const {
    return ask(std::span<const Program>(programs));
  }
  /// The result of one program. @throws as for several.
  template <typename Program>
  [[nodiscard]] auto ask(const Program& program) const {
    return ask(std::span<const Program>(&program, 1)).front();
  }
  /// The same, but nothing for each program that the device does not support.
  template <typename Program>
  [[nodiscard]] auto ask_each(std::span<const Program> programs) const {
    const std::vector<Answer> answers = execute(encoded(programs));
    std::vector<std::optional<decltype(decode_result(programs[0], answers[0]))>> results(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].status == TOMOGRAPH_UNSUPPORTED) continue;
      expect_result(answers[i]);
      results[i] = decode_result(programs[i], answers[i]);
    }
    return results;
  }
  /// The arrays that answer one experiment. @throws as for programs.
  [[nodiscard]] Arrays ask(const Experiment& experiment) const;

  /// The results of chase programs. @throws Disturbed, Refused if one of them is refused, unsupported or not,
  /// DeviceLost.
  [[nodiscard]] std::vector<chase::Result> execute(std::span<const chase::Program> batch) const;
  /// The results of streaming programs. @throws as for chase programs.
  [[nodiscard]] std::vector<streaming::Result> execute(std::span<const streaming::Program> batch) const;

  [[nodiscard]] const tomograph_host& host() const { return *host_; }

 private:
  [[nodiscard]] Value parameter_value(const char* name) const;
  [[nodiscard]] tomograph_status send(const Fact& fact, const char* unit) const;
  void evidence(const std::string& name, std::span<const ArrayView> columns) const;

  /// @throws Disturbed or Refused unless `answer` holds a result.
  static void expect_result(const Answer& answer);
  /// @throws Skip if the device does not support the experiment, Refused as `expect_result`.
  static void skip_unless_supported(const Answer& answer);

  template <typename Program>
  [[nodiscard]] static std::vector<Experiment> encoded(std::span<const Program> programs) {
    std::vector<Experiment> experiments;
    experiments.reserve(programs.size());
    [[maybe_unused]] ArrayMemory memory;
    for (const Program& program : programs) {
      if constexpr (requires { encode(program, memory); }) {
        experiments.push_back(encode(program, memory));
      } else {
        experiments.push_back(encode(program));
      }
    }
    return experiments;
  }
  template <typename Program, typename Check>
  [[nodiscard]] auto results(std::span<const Program> programs, Check check) const {
    const std::vector<Answer> answers = execute(encoded(programs));
    std::vector<decltype(decode_result(programs[0], answers[0]))> results;
    results.reserve(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      check(answers[i]);
      results.push_back(decode_result(programs[i], answers[i]));
    }
    return results;
  }

  const tomograph_host* host_;
  std::span<const tomograph_fact_spec* const> provides_;
};

}  // namespace tomograph

#endif
