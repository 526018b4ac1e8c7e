#ifndef TOMOGRAPH_TESTS_TOMOGRAPH_PROGRAM_HPP
#define TOMOGRAPH_TESTS_TOMOGRAPH_PROGRAM_HPP

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

/// What a finished program left.
struct Ended {
  int exit_code = 0;  ///< 128 + signal if it was killed
  std::string out;
  std::string err;
};

/// A folder of its own, in which `tomograph` runs. It is empty at first and gone afterwards. The program knows the
/// shipped plugins if ctest had them described before.
class Workspace {
 public:
  Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string text(const std::string& name) const;
  /// Content of a file of the source tree.
  [[nodiscard]] static std::string source(const std::string& name);
  void write(const std::string& name, const std::string& text) const;
  /// Names of all files in the folder, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

  /// Runs `tomograph` with these arguments to its end.
  [[nodiscard]] Ended run(const Arguments& arguments) const;
  /// The same, but no file may grow past `limit` bytes, as on a disk that is full.
  [[nodiscard]] Ended run_on_full_disk(const Arguments& arguments, std::uint64_t limit) const;
  /// The same with a standard output or error (STDOUT_FILENO, STDERR_FILENO) that cannot be written.
  [[nodiscard]] Ended run_into_full(int stream, const Arguments& arguments) const;
  /// The same with a standard output or error that is closed.
  [[nodiscard]] Ended run_without(int stream, const Arguments& arguments) const;
  /// The same as a user who may not write into the folder.
  [[nodiscard]] Ended run_on_read_only_folder(const Arguments& arguments) const;
  /// The same below a program that ignores how its processes end, as some supervisors do.
  [[nodiscard]] Ended run_below_careless_parent(const Arguments& arguments) const;
  /// Runs `tomograph` until `text` is on its standard error, sends it `signal` and waits for its end.
  [[nodiscard]] Ended run_and_signal(const Arguments& arguments, const std::string& text, int signal) const;

 private:
  /// `prepare` is called in the new process before it becomes `tomograph`.
  template <typename Prepare>
  [[nodiscard]] pid_t start(const Arguments& arguments, Prepare prepare) const;
  [[nodiscard]] Ended wait_for(pid_t process) const;

  TemporaryFolder private_;                                  ///< output and cache
  std::filesystem::path folder_ = private_.path() / "work";  ///< the working directory, beside them
};

/// Options that make the fixture plugin of this name known.
[[nodiscard]] std::vector<std::string> with_plugins(Arguments arguments, const std::vector<std::string>& fixtures);

/// What `show` says of a topology file.
[[nodiscard]] Json shown_topology(const Workspace& workspace, const std::string& file = "topology.toml");
/// The record of a fact in a topology, or null.
[[nodiscard]] Json fact(const Json& topology, const std::string& key);
/// The value of a fact in a topology, or "absent".
[[nodiscard]] Json value(const Json& topology, const std::string& key);
/// All facts of a topology. Who published what an interface says is left out: a recording stands in for a device.
[[nodiscard]] Json facts(const Json& topology);

#endif
