#ifndef TOMOGRAPH_HOST_CONFORMANCE_PLUGIN_VALIDATOR_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_PLUGIN_VALIDATOR_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/checks.hpp"
#include "loading/catalogue.hpp"
#include "running/workers.hpp"
#include "topology/topology.hpp"

namespace tomograph::host {

/// The result of a check, by the name of the check.
struct NamedResult {
  std::string_view check;
  CheckResult result;
};

/// The results of all checks of one library.
struct PluginVerdict {
  std::filesystem::path file;
  std::vector<NamedResult> results;

  /// Whether no check failed, crashed or timed out.
  [[nodiscard]] bool is_valid() const;
};

struct CheckName {
  std::string_view name;
  std::string_view description;
};
/// Names and descriptions of all checks of a plugin, in order.
[[nodiscard]] std::vector<CheckName> plugin_checks();

/// Validates plugins. Facts that are measured for one plugin are known to the next, which saves time.
class PluginValidator {
 public:
  /// Returns all plugins, including the library even if its folder is not searched.
  using Find = std::function<Catalogue(const std::filesystem::path& library)>;

  /// `device` is the simulated GPU on which the probes run, e.g. "sim:small".
  PluginValidator(std::filesystem::path program, std::string device, Find find)
      : program_(std::move(program)), device_(std::move(device)), find_(std::move(find)) {}

  [[nodiscard]] PluginVerdict validate(const std::filesystem::path& library);

 private:
  std::filesystem::path program_;
  std::string device_;
  Find find_;
  Topology known_;
};

}  // namespace tomograph::host

#endif
