#include "tomograph/analysis/queue_policies.hpp"

#include <algorithm>

namespace tomograph::analysis {

namespace {

std::vector<bool> queue_hits(std::span<const std::int64_t> lines, std::size_t ways, bool hits_renew) {
  std::vector<std::int64_t> queue;  // the next victim comes first
  std::vector<bool> hits;
  for (const std::int64_t line : lines) {
    const auto held = std::ranges::find(queue, line);
    hits.push_back(held != queue.end());
    if (hits.back() && !hits_renew) continue;
    if (hits.back()) queue.erase(held);
    if (queue.size() == ways) queue.erase(queue.begin());
    queue.push_back(line);
  }
  return hits;
}

}  // namespace

std::vector<bool> lru_hits(std::span<const std::int64_t> lines, std::size_t ways) {
  return queue_hits(lines, ways, true);
}

std::vector<bool> fifo_hits(std::span<const std::int64_t> lines, std::size_t ways) {
  return queue_hits(lines, ways, false);
}

std::vector<bool> segmented_lru_hits(std::span<const std::int64_t> lines, std::size_t ways,
                                     std::size_t most_protected) {
  std::vector<std::int64_t> queue;  // the next victim comes first
  std::vector<std::int64_t> kept;   // protected, the one used longest ago first
  std::vector<bool> hits;
  for (const std::int64_t line : lines) {
    hits.push_back(std::erase(queue, line) + std::erase(kept, line) > 0);
    if (!hits.back()) {
      if (queue.size() + kept.size() == ways) queue.erase(queue.begin());
      queue.push_back(line);
      continue;
    }
    kept.push_back(line);
    if (kept.size() <= most_protected) continue;
    queue.push_back(kept.front());
    kept.erase(kept.begin());
  }
  return hits;
}

}  // namespace tomograph::analysis
