#ifndef TOMOGRAPH_HOST_RUNNING_LINK_TURN_HPP
#define TOMOGRAPH_HOST_RUNNING_LINK_TURN_HPP

#include <filesystem>
#include <functional>

#include "process/channel.hpp"

namespace tomograph::host {

/// The file whose lock is the turn: in the folder for temporary files of this host, one for each user. A folder that
/// hosts share would make them wait for each other.
[[nodiscard]] std::filesystem::path link_turn_file();

/// Waits until no other process measures links, calls `waits` once if that takes time, and returns what keeps the turn.
/// The operating system frees it when its owner ends, however that happens. Which of several processes is next is open.
/// @throws std::system_error if the file cannot be opened or belongs to someone else, Interrupted if the descriptor
/// `interruption` (-1: there is none) becomes readable meanwhile.
[[nodiscard]] Descriptor take_link_turn(const std::filesystem::path& file, int interruption,
                                        const std::function<void()>& waits);

}  // namespace tomograph::host

#endif
