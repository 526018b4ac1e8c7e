#include "parts.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace independent {

unsigned log2_of(std::int64_t power) {
  return static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(power)));
}

SetIndex contiguous_index(unsigned lowest, unsigned bits) {
  SetIndex index{.sets = 1U << bits};
  for (unsigned bit = lowest; bit < lowest + bits; ++bit) index.masks.push_back(std::uint64_t{1} << bit);
  return index;
}

SetIndex scattered_index(Random& random, unsigned lowest, unsigned bits, unsigned end) {
  std::vector<unsigned> places(end - lowest);
  std::iota(places.begin(), places.end(), lowest);
  random.shuffle(places);
  places.resize(bits);
  std::sort(places.begin(), places.end());
  SetIndex index{.sets = 1U << bits};
  for (const unsigned bit : places) index.masks.push_back(std::uint64_t{1} << bit);
  return index;
}

SetIndex hashed_index(Random& random, unsigned lowest, unsigned bits, unsigned end) {
  SetIndex index = contiguous_index(lowest, bits);
  if (lowest + bits >= end) return index;
  for (std::uint64_t& mask : index.masks) {
    for (std::int64_t more = random.between(0, 3); more > 0; --more) {
      mask |= std::uint64_t{1} << random.between(lowest + bits, end - 1);
    }
  }
  return index;
}

void set_geometry(CacheDescription& cache, SetIndex index, int ways) {
  cache.set_ways.assign(index.sets, ways);
  cache.index = std::move(index);
}

namespace {

/// Probabilities of which one is clearly higher than the others, as on Fermi.
std::vector<double> draw_weights(Random& random, int ways) {
  std::vector<double> weights(static_cast<std::size_t>(ways), 1.0);
  weights[random.below(weights.size())] = static_cast<double>(random.between(2, 4));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

void draw_known_policy(Random& random, CacheDescription& cache, int ways) {
  std::vector<Policy> choices{Policy::lru, Policy::lru, Policy::lru, Policy::fifo, Policy::random};
  if (ways >= 4 && std::has_single_bit(static_cast<unsigned>(ways))) {
    choices.insert(choices.end(), {Policy::tree_plru, Policy::tree_plru});
  }
  if (ways >= 3 && ways <= 8) choices.push_back(Policy::way_weighted);
  if (ways >= 4) choices.push_back(Policy::segmented_lru);
  cache.policy = choices[random.below(choices.size())];
  if (cache.policy == Policy::way_weighted) cache.way_weights = draw_weights(random, ways);
  if (cache.policy == Policy::segmented_lru) cache.protected_ways = static_cast<int>(random.between(1, ways / 2));
}

Groups neighbours(std::int64_t sms, std::int64_t size) {
  Groups groups;
  for (std::int64_t sm = 0; sm < sms; ++sm) groups.push_back(static_cast<std::uint32_t>(sm / size));
  return groups;
}

Groups dealt(std::int64_t sms, std::int64_t count) {
  Groups groups;
  for (std::int64_t sm = 0; sm < sms; ++sm) groups.push_back(static_cast<std::uint32_t>(sm % count));
  return groups;
}

std::uint32_t group_count(const Groups& of_sm) {
  return of_sm.empty() ? 0 : *std::max_element(of_sm.begin(), of_sm.end()) + 1;
}

}  // namespace independent
