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
  std::vector<transfer::Place> with_atomics = {};
};

/// The peers as the device reports them. If there are none, the facts `keys` are absent.
[[nodiscard]] Peers peers_of(const Session& session, const std::vector<std::string>& keys);

}  // namespace tomograph::links

#endif
