#include "sim/chase/prefetch.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tomograph::sim {

void Prefetch::reset(std::span<const Site> sites, std::uint64_t size, std::uint64_t page_size) {
  sites_ = sites;
  size_ = size;
  page_size_ = page_size;
  by_address_.resize(sites.size());
  std::iota(by_address_.begin(), by_address_.end(), 0U);
  const auto key = [&](std::uint32_t line) { return std::tuple(sites[line].home, sites[line].position); };
  if (!std::ranges::is_sorted(by_address_, {}, key)) std::ranges::sort(by_address_, {}, key);
  rank_.resize(sites.size());
  for (std::uint32_t rank = 0; rank < by_address_.size(); ++rank) rank_[by_address_[rank]] = rank;
  next_.resize(sites.size() + 1);
  std::iota(next_.begin(), next_.end(), 0U);
}

}  // namespace tomograph::sim
