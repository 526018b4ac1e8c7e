#ifndef TOMOGRAPH_HOST_RUNNING_LINK_TURN_HPP
#define TOMOGRAPH_HOST_RUNNING_LINK_TURN_HPP

#include <cstdint>
#include <filesystem>
#include <functional>

#include "process/channel.hpp"

namespace tomograph::host {

/// The file whose locks are the turns: in the folder for temporary files of this host, one for each user. A folder that
/// hosts share would make them wait for each other.
[[nodiscard]] std::filesystem::path link_turn_file();

/// What a probe does in its turn.
enum class LinkTurn : std::uint8_t {
  links_to_gpus,  ///< it measures links to other GPUs, while no other process has a turn
  link_to_host,   ///< it measures the link to the host, while other processes use only their GPUs
  own_gpu         ///< it uses only its GPU, while no other process measures links to other GPUs
};

/// What a turn locks, for as long as it lives.
struct LinkLocks {
  Descriptor turn;
  Descriptor host;  ///< of a turn on the link to the host
};

/// Waits for a turn, calls `waits` once if that takes time, and returns what keeps the turn. Who waits to measure links
/// to other GPUs has the next turn after those that run. The operating system ends a turn when its owner ends, however
/// that happens.
/// @throws std::system_error if the file cannot be opened or belongs to someone else, Interrupted if the descriptor
/// `interruption` (-1: there is none) becomes readable meanwhile.
[[nodiscard]] LinkLocks take_link_turn(const std::filesystem::path& file, LinkTurn turn, int interruption,
                                       const std::function<void()>& waits);

/// Whether another process has the turn on the link to the host.
/// @throws std::system_error as take_link_turn().
[[nodiscard]] bool is_link_to_host_taken(const std::filesystem::path& file);

/// Whether another process waits for its turn on links, until the turns that others have now are over.
/// @throws std::system_error as take_link_turn().
[[nodiscard]] bool is_link_turn_awaited(const std::filesystem::path& file);

}  // namespace tomograph::host

#endif
