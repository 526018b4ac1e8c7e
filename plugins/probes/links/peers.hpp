#ifndef TOMOGRAPH_LINKS_PEERS_HPP
#define TOMOGRAPH_LINKS_PEERS_HPP

#include <string>
#include <vector>

#include "tomograph/session.hpp"
#include "tomograph/transfer.hpp"

namespace tomograph::links {

/// The GPUs whose memory this one reaches, in ascending order.
struct Peers {
  transfer::Place own = 0;
  std::vector<transfer::Place> numbers = {};
};

/// The peers as the device reports them. If there are none, the facts `keys` are absent.
[[nodiscard]] Peers peers_of(const Session& session, const std::vector<std::string>& keys);

/// Those whose memory atomics of this one reach. Needs "device.native_atomics", optionally.
[[nodiscard]] std::vector<transfer::Place> peers_with_atomics(const Session& session);

}  // namespace tomograph::links

#endif
