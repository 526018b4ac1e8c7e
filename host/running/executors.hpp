#ifndef TOMOGRAPH_HOST_RUNNING_EXECUTORS_HPP
#define TOMOGRAPH_HOST_RUNNING_EXECUTORS_HPP

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "running/host_interface.hpp"

namespace tomograph::host {

/// The executors for the device that is open in this process.
class Executors {
 public:
  using Load = std::function<const tomograph_plugin&(const std::string& path)>;

  /// `served` has the path of the plugin that executes an experiment, by the experiment's id. Before the first such
  /// experiment, the plugin is loaded with `load` and its executor is opened for `target`. `channel` must outlive this.
  Executors(Channel& channel, Load load, std::string device, std::string target,
            std::map<std::string, std::string> served);
  Executors(const Executors&) = delete;
  Executors& operator=(const Executors&) = delete;

  /// Executes a batch: each experiment in its executor, or on `device` if it has none. If an executor cannot be opened,
  /// its experiments are refused. `sink` receives answers with their positions in the batch. Any status but OK ends the
  /// batch.
  [[nodiscard]] tomograph_status execute(const OpenDevice& device, const tomograph_experiment* const* batch,
                                         std::uint64_t count, const tomograph_result_sink& sink);

  /// What the device said about other programs during `execute`, by position in the batch.
  [[nodiscard]] const std::map<std::uint64_t, tomograph_disturbance>& seen() const { return seen_; }

  /// The last error message of an executor during `execute`, if any.
  [[nodiscard]] const std::string& error() const { return error_; }

  /// Closes the executors in reverse order of opening.
  void close();

 private:
  struct Executor {
    std::unique_ptr<HostInterface> interface;
    const tomograph_executor* descriptor = nullptr;
    void* session = nullptr;
    tomograph_status status = TOMOGRAPH_OK;  ///< of opening it
    std::string refusal{};                   ///< why it could not be opened
  };

  Executor& opened(const std::string& experiment);
  [[nodiscard]] Executor open(const std::string& experiment, const std::string& plugin_path) const;
  /// Executes experiments, of which number i has position `positions[i]` in the batch.
  tomograph_status execute_on(const OpenDevice& device, const std::vector<const tomograph_experiment*>& experiments,
                              const std::vector<std::uint64_t>& positions, const tomograph_result_sink& sink);
  tomograph_status execute_part(Executor& executor, const std::vector<const tomograph_experiment*>& part,
                                const tomograph_result_sink& sink);

  Channel* channel_;
  Load load_;
  std::string device_;
  std::string target_;
  std::map<std::string, std::string> served_;
  std::map<std::string, Executor> open_;
  std::vector<std::string> order_;
  std::map<std::uint64_t, tomograph_disturbance> seen_;
  std::string error_;
};

}  // namespace tomograph::host

#endif
