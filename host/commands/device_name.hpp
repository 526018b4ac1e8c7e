#ifndef TOMOGRAPH_HOST_COMMANDS_DEVICE_NAME_HPP
#define TOMOGRAPH_HOST_COMMANDS_DEVICE_NAME_HPP

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// How devices are spelled on the command line, and the files that are named after them. Pure functions.
namespace tomograph::host {

/// Stands for a GPU's UUID in the name of a file.
inline constexpr std::string_view uuid_placeholder = "{uuid}";
/// The target that stands for all targets of a device.
inline constexpr std::string_view all_targets = "all";

/// A device as the user names it: "sim:h200?seed=2&noise=false".
struct DeviceName {
  std::string id;
  std::string target;                   ///< empty if the name has none
  std::vector<std::string> parameters;  ///< "seed=2", "noise=false"

  /// Without parameters, e.g. "sim:h200".
  [[nodiscard]] std::string plain() const { return id + ":" + target; }
};

/// The parts of a name. A '?' without an '=' after it belongs to the target.
[[nodiscard]] DeviceName parsed_device_name(const std::string& name);

/// Whether a target is the path of a file, not a name or number: it has a '/' or a '.'.
[[nodiscard]] bool is_path(const std::string& target);

/// The file that a device's target names, such as a recording; empty if it names none.
[[nodiscard]] std::filesystem::path file_of_device(const std::string& name);

/// The devices of a list: "cuda:0,2" is cuda:0 and cuda:2. A part without a device takes that of the part before it.
/// The text of one existing file, which may have commas, is one device.
[[nodiscard]] std::vector<std::string> listed_devices(const std::string& list);

/// The name of a device as a part of a file's name: "sim:h200?seed=2" becomes "sim-h200-seed-2".
[[nodiscard]] std::string as_file_part(const std::string& device);

[[nodiscard]] bool has_placeholder(const std::filesystem::path& file);
/// Puts the placeholder before the extension of a file whose name lacks it: "a.toml" becomes "a.{uuid}.toml".
[[nodiscard]] std::filesystem::path with_placeholder(const std::filesystem::path& file);
/// Replaces the placeholder in a file's name.
[[nodiscard]] std::filesystem::path named_after(const std::filesystem::path& file, const std::string& gpu);

}  // namespace tomograph::host

#endif
