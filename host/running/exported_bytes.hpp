#ifndef TOMOGRAPH_HOST_RUNNING_EXPORTED_BYTES_HPP
#define TOMOGRAPH_HOST_RUNNING_EXPORTED_BYTES_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace tomograph::host {

/// Collects the file that an exporter writes, for WorkerEvents::output.
class ExportedBytes {
 public:
  /// Bytes that one file may have. All evidence of a run has about one megabyte, and a hundred times as much is no
  /// sensible file: an exporter that never stops writing is ended here, before it takes the host's memory.
  static constexpr std::size_t most = std::size_t{64} << 20;

  /// Appends bytes, or returns the reason why there are too many.
  [[nodiscard]] std::optional<std::string> add(const std::string& bytes) {
    if (bytes.size() > most - bytes_.size()) return "it wrote more than " + std::to_string(most >> 20) + " MiB";
    bytes_ += bytes;
    return std::nullopt;
  }
  /// Returns the file and starts anew.
  [[nodiscard]] std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

}  // namespace tomograph::host

#endif
