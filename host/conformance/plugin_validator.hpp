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

/// A check by name, made or not.
struct NamedResult {
  std::string_view check;
  CheckResult result;
};

/// What all checks of one library came to.
struct PluginVerdict {
  std::filesystem::path file;
  std::vector<NamedResult> results;

  /// Nothing failed, crashed or took too long.
  [[nodiscard]] bool is_valid() const;
};

struct CheckName {
  std::string_view name;
  std::string_view description;
};
/// Names and descriptions of all checks of a plugin in the order in which they are made.
[[nodiscard]] std::vector<CheckName> plugin_checks();

/// Puts plugins to the test one after the other. What is measured for one is known to the next, so that plugins that
/// build on each other are checked in little time.
class PluginValidator {
 public:
  /// All plugins, the library among them whether or not its folder is searched.
  using Find = std::function<Catalogue(const std::filesystem::path& library)>;

  /// `device` is the simulated GPU on which probes are run, e.g. "sim:small".
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
