#ifndef TOMOGRAPH_EXPORTER_HPP
#define TOMOGRAPH_EXPORTER_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tomograph/plugin.hpp"

/// Exporters: plugins that write topologies in the formats of other programs.
///
/// An exporter is a type with static constexpr const char* id (the format), description and suffix, optionally
/// `parameters` (as for a probe), `bool takes_evidence` and `double time_budget` (seconds, 60 by default), and one of
///   static void write(const Topology&, Sink&)                      it takes one topology
///   static void write(std::span<const Topology>, Sink&)            it takes one or more
///   the same with a third argument, const Session&, for `parameter<T>(name)` and `log`
/// If it throws Refused(TOMOGRAPH_INVALID, reason), the topology is bad input. Any other exception makes the export
/// fail, with what() as the reason. In both cases nothing is written.
///
/// One source file of the library then contains, at namespace scope:
///   TOMOGRAPH_PLUGIN("id", "1.0.0", "what it is for", tomograph::Exporters<A>)
namespace tomograph {

/// A fact of a topology: its value and how it is known.
struct KnownFact {
  std::string key;
  Value value;
  std::string unit;    ///< "B", "cycle", "B/cycle", "FLOP/cycle", "B/s", "Hz", "s", "1"; "" if the value is no quantity
  std::string source;  ///< "measured", "api" or "derived"
  std::string method;
  std::string probe;  ///< id of the probe, model or device that published it
  std::string scope;  ///< "sm", "partition" or "device": what one value describes
  double confidence = 0;
  std::optional<Interval> interval;
  std::uint64_t samples = 0;
  Value conditions = Value::table();
  std::string evidence;     ///< name of its curve among those of `probe`; may be empty
  std::string description;  ///< what the fact means, in one sentence; empty if no loaded plugin declares it
};

/// How the question for a fact ended.
struct KnownOutcome {
  std::string status;  ///< "measured", "skipped", "inconclusive", "failed", "crashed", "timed-out" or "blocked"
  std::string reason;  ///< empty for "measured"
  std::string probe;   ///< id of the probe or model that was to answer
};

/// A measured fact that contradicts what an interface reports.
struct KnownFinding {
  std::string key;
  std::string against;  ///< key of the reported fact
  std::string message;  ///< one sentence with both values
};

/// A topology, read-only.
class Topology {
 public:
  /// The texts are those of tomograph_document; `evidence_json` is empty where there is none.
  /// @throws std::invalid_argument or std::out_of_range if they are no topology.
  explicit Topology(std::string name, std::string topology_json, std::string findings_json = "[]",
                    std::string evidence_json = {});

  /// The file's name, e.g. "topology.toml", with the folders that tell it from the others'.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// All facts, by key in alphabetical order.
  [[nodiscard]] const std::map<std::string, KnownFact, std::less<>>& facts() const { return facts_; }
  /// The fact with this key, or null.
  [[nodiscard]] const KnownFact* fact(std::string_view key) const;
  /// The value of a fact, or nothing if it is not known. @throws Refused as INVALID, naming the fact, if it is no T.
  template <typename T>
  [[nodiscard]] std::optional<T> value(std::string_view key) const {
    const KnownFact* known = fact(key);
    return known == nullptr ? std::nullopt : std::optional<T>(value_of<T>(*known));
  }
  /// A number rounded to an integer, or nothing if it is not known. Bytes need not be whole if their fact has an
  /// interval. @throws Refused as `value`.
  [[nodiscard]] std::optional<std::int64_t> rounded(std::string_view key) const;
  /// The value of a fact without which the format cannot be written. @throws Refused as `value`, or with the reason why
  /// the fact is not known.
  template <typename T>
  [[nodiscard]] T needed(const std::string& key) const {
    return value_of<T>(needed_fact(key));
  }
  /// The record of such a fact. @throws Refused as `needed`.
  [[nodiscard]] const KnownFact& needed_fact(const std::string& key) const;

  /// Name of the GPU, or of the target that was measured if the GPU gave no name, e.g. "sim:small". May be empty.
  [[nodiscard]] std::string device() const;
  /// UUID of the GPU; empty if it has none.
  [[nodiscard]] std::string uuid() const { return value<std::string>("device.uuid").value_or(""); }

  /// How each question ended, by key of the fact. Facts that an interface reports have no outcome.
  [[nodiscard]] const std::map<std::string, KnownOutcome, std::less<>>& outcomes() const { return outcomes_; }
  [[nodiscard]] const std::vector<KnownFinding>& findings() const { return findings_; }
  /// Tool, versions, device, plugins, options and start of the run: a table.
  [[nodiscard]] const Value& provenance() const { return provenance_; }

  /// The curve behind a fact: columns by name, lists of numbers or null. Null where there is none.
  /// Not for two threads at once, since it parses the evidence when it is first asked. What it points to stays valid as
  /// long as this topology.
  [[nodiscard]] const Value* curve(const KnownFact& fact) const;

  /// The JSON texts, for exporters with a JSON library of their own. Without evidence, the last is empty.
  [[nodiscard]] const std::string& topology_json() const { return topology_json_; }
  [[nodiscard]] const std::string& findings_json() const { return findings_json_; }
  [[nodiscard]] const std::string& evidence_json() const { return evidence_json_; }

 private:
  template <typename T>
  [[nodiscard]] T value_of(const KnownFact& known) const {
    try {
      return known.value.get<T>();
    } catch (const std::invalid_argument& error) {
      refuse(known, error.what());
    }
  }
  [[noreturn]] void refuse(const KnownFact& known, const std::string& why) const;

  std::string name_;
  std::string topology_json_;
  std::string findings_json_;
  std::string evidence_json_;
  std::map<std::string, KnownFact, std::less<>> facts_;
  std::map<std::string, KnownOutcome, std::less<>> outcomes_;
  std::vector<KnownFinding> findings_;
  Value provenance_;
  mutable std::optional<Value> evidence_;  ///< parsed when a curve is asked for
};

/// CUDA's numbers of the GPUs of a node: "1" for a topology measured on cuda:1, or whose device.gpu is 1. Others get,
/// in their order, the first numbers that no other has, and so do all if two state the same number.
/// @throws Refused as INVALID if two topologies are of one GPU.
[[nodiscard]] std::vector<std::string> gpu_numbers(std::span<const Topology> topologies);

/// Receives the exported file, text or bytes.
class Sink {
 public:
  explicit Sink(const tomograph_byte_sink& sink) : sink_(&sink) {}

  /// Appends to the file. @throws std::runtime_error if the host wants no more; let it pass.
  void write(std::string_view bytes);

 private:
  const tomograph_byte_sink* sink_;
};

namespace detail {

/// The topologies of documents as they cross the boundary.
[[nodiscard]] std::vector<Topology> topologies_in(const tomograph_document* const* documents, std::uint64_t count);

template <typename T>
inline constexpr bool takes_several = requires(std::span<const Topology> topologies, Sink& sink,
                                               const Session& session) {
  T::write(topologies, sink);
}
|| requires(std::span<const Topology> topologies, Sink& sink, const Session& session) {
  T::write(topologies, sink, session);
};

template <typename T>
constexpr bool takes_evidence() {
  if constexpr (requires { T::takes_evidence; }) {
    return T::takes_evidence;
  } else {
    return false;
  }
}

template <typename T>
constexpr double export_budget() {
  if constexpr (requires { T::time_budget; }) {
    return T::time_budget;
  } else {
    return 60;
  }
}

template <typename T, typename Input>
void call_write(const Input& input, Sink& sink, const Session& session) {
  if constexpr (requires { T::write(input, sink, session); }) {
    T::write(input, sink, session);
  } else {
    T::write(input, sink);
  }
}

template <typename T>
tomograph_status export_thunk(const tomograph_host* host, const tomograph_document* const* documents,
                              std::uint64_t count, const tomograph_byte_sink* sink) noexcept {
  return guard(*host, [=] {
    const std::vector<Topology> topologies = topologies_in(documents, count);
    Sink file(*sink);
    if constexpr (takes_several<T>) {
      call_write<T>(std::span<const Topology>(topologies), file, Session(*host));
    } else {
      call_write<T>(topologies.at(0), file, Session(*host));
    }
  });
}

template <typename T>
inline constexpr tomograph_exporter exporter_descriptor{
    sizeof(tomograph_exporter),
    parameter_pointers<T>().second,
    T::id,
    T::description,
    T::suffix,
    parameter_pointers<T>().first,
    export_budget<T>(),
    takes_several<T> ? 1u : 0u,
    takes_evidence<T>() ? 1u : 0u,
    &export_thunk<T>,
};

}  // namespace detail

template <typename... T>
struct Exporters {
  static constexpr std::array<const tomograph_exporter*, sizeof...(T)> list{&detail::exporter_descriptor<T>...};
};

}  // namespace tomograph

#endif
