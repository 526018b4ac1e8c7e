#ifndef TOMOGRAPH_HOST_PROCESS_PROCESS_STATE_HPP
#define TOMOGRAPH_HOST_PROCESS_PROCESS_STATE_HPP

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tomograph::host {

/// Process-wide state that a plugin must not change, since all plugins of the process share it. Linux only.
class ProcessState {
 public:
  /// Reads the state of this process from system calls and /proc. Takes about 0.1 ms.
  ProcessState();
  /// The state after a call that began in the state `before`.
  [[nodiscard]] static ProcessState after_call(const ProcessState& before);

  /// The differences in `after`, each as what the plugin did: "changed the locale from C to de_DE.UTF-8". Unless it
  /// `was_alone`, nobody knows whose memory is left.
  [[nodiscard]] std::vector<std::string> changes(const ProcessState& after, bool was_alone = true) const;

 private:
  using Identity = std::pair<std::uint64_t, std::uint64_t>;  ///< device and inode

  std::string locale_;
  std::string folder_;
  std::string umask_;
  std::vector<std::string> environment_;
  std::map<int, Identity>
      descriptors_;  ///< the standard ones and the connection to the host, with the file that each refers to
  std::array<const void*, 32> handlers_{};
  std::vector<std::uint64_t> limits_;
  std::uint64_t memory_ = 0;  ///< resident bytes that belong to no file
  int rounding_ = 0;
  bool keeps_subnormals_ = true;
  bool has_alarm_ = false;
  bool has_children_ = false;
};

}  // namespace tomograph::host

#endif
