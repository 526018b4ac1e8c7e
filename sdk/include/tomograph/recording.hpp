#ifndef TOMOGRAPH_RECORDING_HPP
#define TOMOGRAPH_RECORDING_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tomograph/experiment.hpp"
#include "tomograph/value.hpp"

/// Recordings: every experiment of a run with its answer, in one compressed file with a checksum. Library
/// Tomograph::recording. sdk/source/recording/README.md describes the format.
namespace tomograph {

/// The recording could not be read or written. `what()` names the file and the error in one sentence.
class RecordingError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Identifies an experiment: a hash of its id and of the names and values of its parameters, in order.
struct ExperimentIdentity {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const ExperimentIdentity&) const = default;
};
[[nodiscard]] ExperimentIdentity identity(const Experiment& experiment);

/// The experiment in one readable line, e.g. "tomograph.chase/1, ring 0: 512 nodes of stride 128 B, ..., trial 3".
[[nodiscard]] std::string describe(const Experiment& experiment);

struct RecordingHeader {
  std::string tool_version;
  std::string device;       ///< as on the command line, e.g. "cuda:0"
  std::string device_name;  ///< a readable name, e.g. "NVIDIA H200"
  /// The API facts of the device: tables with "key" and the fields of the fact's record (value, unit, method,
  /// confidence, ...).
  std::vector<Value> facts;
};

/// Writes a recording to a temporary file in the folder of `path`; `finish` renames it to `path`. Without `finish` no
/// file remains. One thread only. Every function throws RecordingError if the file cannot be written.
class RecordingWriter {
 public:
  RecordingWriter(const std::filesystem::path& path, const RecordingHeader& header);
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&& other) noexcept;
  RecordingWriter& operator=(RecordingWriter&& other) noexcept;

  /// Appends an experiment with its answer or refusal. The same experiment may be added several times.
  void add(const Experiment& experiment, const Answer& answer);
  /// Completes the file and renames it to its path. Nothing may be added afterwards.
  void finish();

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// A complete and intact recording.
class Recording {
 public:
  /// @throws RecordingError if `path` is not a recording, has a newer format, or is truncated or altered.
  [[nodiscard]] static Recording read(const std::filesystem::path& path);
  ~Recording();
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&& other) noexcept;

  [[nodiscard]] const RecordingHeader& header() const;
  /// Number of recorded experiments, repetitions included.
  [[nodiscard]] std::uint64_t size() const;

  /// The answer to the `occurrence`-th request of this experiment (the first is 0). If fewer were recorded, the last
  /// answer; if none was, nothing.
  [[nodiscard]] std::optional<Answer> find(const ExperimentIdentity& experiment, std::uint64_t occurrence = 0) const;
  [[nodiscard]] std::optional<Answer> find(const Experiment& experiment, std::uint64_t occurrence = 0) const {
    return find(identity(experiment), occurrence);
  }
  /// Whether it holds experiments of this id, with any parameters.
  [[nodiscard]] bool holds(std::string_view id) const;
  /// How the most similar recorded experiment differs from this one, in one sentence.
  [[nodiscard]] std::string nearest(const Experiment& experiment) const;

 private:
  struct Content;
  explicit Recording(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace tomograph

#endif
