#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>

#include "tomograph/chase.hpp"

namespace tomograph::chase {

namespace {

/// Sattolo's algorithm: a permutation that is a single cycle. The modulo gives the same result with every standard
/// library; its bias is below 2^-24 for any ring that fits. Partners are drawn a few steps ahead, so that their memory
/// accesses overlap.
std::vector<std::uint32_t> single_cycle(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint32_t> next(size);
  std::iota(next.begin(), next.end(), 0U);
  std::mt19937_64 random(seed);
  std::array<std::size_t, 16> partners{};
  for (std::size_t i = next.size() - 1; i > 0;) {
    const std::size_t steps = std::min(i, partners.size());
    for (std::size_t k = 0; k < steps; ++k) {
      partners[k] = random() % (i - k);
      __builtin_prefetch(&next[partners[k]], 1);
    }
    for (std::size_t k = 0; k < steps; ++k, --i) std::swap(next[i], next[partners[k]]);
  }
  return next;
}

/// Calls `visit` for the nodes of a cycle in order from node 0. A large cycle is cut at evenly spaced nodes and its
/// pieces are followed together, so that accesses to this machine's memory overlap.
template <typename Visit>
void follow(const std::vector<std::uint32_t>& next, Visit visit) {
  // More accesses at a time than a core can have in flight; pieces long enough that starting one costs nothing.
  constexpr std::size_t lanes = 32;
  const int spacing = std::countr_zero(std::bit_floor(std::max<std::size_t>(next.size() / 64, 1 << 14)));
  const std::uint32_t between = (std::uint32_t{1} << spacing) - 1;
  struct Piece {
    std::vector<std::uint32_t> nodes;
    std::size_t follower = 0;
  };
  std::vector<Piece> pieces(((next.size() - 1) >> spacing) + 1);
  std::vector<std::pair<Piece*, std::uint32_t>> followed;
  for (std::size_t begun = 0; begun < pieces.size() || !followed.empty();) {
    for (; followed.size() < lanes && begun < pieces.size(); ++begun) {
      followed.emplace_back(&pieces[begun], static_cast<std::uint32_t>(begun << spacing));
    }
    for (auto& [piece, node] : followed) {
      piece->nodes.push_back(node);
      node = next[node];
      __builtin_prefetch(&next[node]);
      if ((node & between) == 0) piece->follower = (node >> spacing) + 1;
    }
    std::erase_if(followed, [](const auto& lane) { return lane.first->follower != 0; });
  }
  std::size_t piece = 0;
  do {
    std::ranges::for_each(pieces[piece].nodes, visit);
    piece = pieces[piece].follower - 1;
  } while (piece != 0);
}

}  // namespace

std::vector<std::int64_t> node_offsets(const Ring& ring) {
  if (!ring.nodes.empty()) return ring.nodes;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(std::max<std::int64_t>(ring.count, 0)));
  const auto at = [&](std::size_t node) { return ring.start + static_cast<std::int64_t>(node) * ring.stride; };
  if (ring.order == Order::sequential || offsets.size() < 2) {
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = at(i);
    return offsets;
  }
  auto offset = offsets.begin();
  follow(single_cycle(offsets.size(), static_cast<std::uint64_t>(ring.seed)),
         [&](std::uint32_t node) { *offset++ = at(node); });
  return offsets;
}

}  // namespace tomograph::chase
