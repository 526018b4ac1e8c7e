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
  links,   ///< it measures links, while no other process has a turn
  own_gpu  ///< it uses only its GPU, while no other process measures links
};

/// Waits for a turn, calls `waits` once if that takes time, and returns what keeps the turn. Who waits to measure links
/// has the next turn after those that run. The operating system ends a turn when its owner ends, however that happens.
/// @throws std::system_error if the file cannot be opened or belongs to someone else, Interrupted if the descriptor
/// `interruption` (-1: there is none) becomes readable meanwhile.
[[nodiscard]] Descriptor take_link_turn(const std::filesystem::path& file, LinkTurn turn, int interruption,
                                        const std::function<void()>& waits);

}  // namespace tomograph::host

#endif
