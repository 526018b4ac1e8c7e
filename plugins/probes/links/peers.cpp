#include "peers.hpp"

#include <utility>

namespace tomograph::links {

namespace {

/// The peers of which a fact says yes.
std::vector<transfer::Place> with(const Session& session, const char* key) {
  using Pairs = std::vector<std::pair<transfer::Place, bool>>;
  std::vector<transfer::Place> peers;
  for (const auto& [peer, has] : session.fact<Pairs>(key).value_or(Pairs{})) {
    if (has) peers.push_back(peer);
  }
  return peers;
}

}  // namespace

Peers peers_of(const Session& session, const std::vector<std::string>& keys) {
  Peers peers{.own = session.needed<transfer::Place>("device.gpu"), .numbers = with(session, "device.peer_access")};
  const bool is_alone = session.needed<std::vector<std::string>>("device.gpus").size() < 2;
  const char* reason = is_alone ? "this process sees one GPU" : "this GPU has no access to the memory of another";
  for (const std::string& key : keys) {
    if (peers.numbers.empty()) session.absent(key, reason);
  }
  return peers;
}

std::vector<transfer::Place> peers_with_atomics(const Session& session) {
  return with(session, "device.native_atomics");
}

}  // namespace tomograph::links
