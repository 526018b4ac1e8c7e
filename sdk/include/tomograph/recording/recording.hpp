#ifndef TOMOGRAPH_RECORDING_HPP
#define TOMOGRAPH_RECORDING_HPP

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tomograph/experiment/experiment.hpp"
#include "tomograph/session/value.hpp"

/// Recordings: every experiment of a run with its answer, in one compressed and checksummed file.
/// Library Tomograph::recording. The format is described in sdk/source/recording/README.md.
namespace tomograph {

/// The recording could not be read or written. `what()` names the file and what is wrong, in one sentence.
class RecordingError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What identifies an experiment: a hash of its id and its parameters, names and values, in their order.
struct ExperimentIdentity {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  auto operator<=>(const ExperimentIdentity&) const = default;
};
[[nodiscard]] ExperimentIdentity identity(const Experiment& experiment);

/// The experiment in one line for people, e.g. "tomograph.chase/1, ring 0: 512 nodes of stride 128 B, ..., trial 3".
[[nodiscard]] std::string describe(const Experiment& experiment);

struct RecordingHeader {
  std::string tool_version;
  std::string device;       ///< as on the command line, e.g. "cuda:0"
  std::string device_name;  ///< for people, e.g. "NVIDIA H200"
  /// The API facts of the device: tables with "key" and the fields of the fact's record (value, unit, method,
  /// confidence, ...).
  std::vector<Value> facts;
};

/// Writes a recording to a temporary file beside `path`, which takes its place in `finish`. Without `finish`
/// nothing is left behind. One thread only. Every function throws RecordingError if the disk refuses.
class RecordingWriter {
 public:
  RecordingWriter(const std::filesystem::path& path, const RecordingHeader& header);
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&& other) noexcept;
  RecordingWriter& operator=(RecordingWriter&& other) noexcept;

  /// Appends an experiment with its answer, a refusal included. The same experiment may come several times.
  void add(const Experiment& experiment, const Answer& answer);
  /// Completes the file and puts it in place. Nothing may be added afterwards.
  void finish();

 private:
  class File;
  std::unique_ptr<File> file_;
};

/// A recording that was read whole and found intact.
class Recording {
 public:
  /// @throws RecordingError if `path` is no recording, of a newer format, cut off or altered.
  [[nodiscard]] static Recording read(const std::filesystem::path& path);
  ~Recording();
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&& other) noexcept;

  [[nodiscard]] const RecordingHeader& header() const;
  /// Number of recorded experiments, repetitions included.
  [[nodiscard]] std::uint64_t size() const;

  /// The answer to the `occurrence`-th request of this experiment (the first is 0), the last one that was
  /// recorded if there were fewer, or nothing if there was none.
  [[nodiscard]] std::optional<Answer> find(const Experiment& experiment, std::uint64_t occurrence = 0) const;
  /// How the most similar recorded experiment differs from this one, in one sentence.
  [[nodiscard]] std::string nearest(const Experiment& experiment) const;

 private:
  struct Content;
  explicit Recording(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace tomograph

#endif
