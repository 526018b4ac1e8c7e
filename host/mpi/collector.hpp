#ifndef TOMOGRAPH_HOST_MPI_COLLECTOR_HPP
#define TOMOGRAPH_HOST_MPI_COLLECTOR_HPP

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "reporting/terminal.hpp"

/// What rank 0 does with what the ranks tell.
namespace tomograph::host {

/// The topologies that rank 0 keeps: files whose name has the GPU's in the place of {uuid}.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& pattern);

  [[nodiscard]] std::filesystem::path file(const std::string& gpu) const;
  /// @throws InputError
  void require_writable() const;
  /// Names of the GPUs whose topologies are there.
  [[nodiscard]] std::set<std::string> gpus() const;

 private:
  std::filesystem::path pattern_;
};

/// Keeps topologies as they arrive, and says so on standard error.
class Collector {
 public:
  /// Borrows `folder`.
  Collector(const Folder& folder, int ranks) : folder_(&folder), ranks_(ranks) {}

  /// A message of a rank: it began or ended, a topology, or why there is none.
  void take(const nlohmann::json& message);
  [[nodiscard]] bool has_all() const { return ended_ == ranks_; }
  [[nodiscard]] bool has_failed() const { return failures_ > 0; }

 private:
  void keep(const nlohmann::json& message);
  void report(const nlohmann::json& message);

  const Folder* folder_;
  Terminal terminal_{stderr};
  int ranks_;
  int ended_ = 0;
  std::size_t expected_ = 0;
  std::size_t arrived_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace tomograph::host

#endif
