#ifndef TOMOGRAPH_SIM_CHASE_DENSE_IDS_HPP
#define TOMOGRAPH_SIM_CHASE_DENSE_IDS_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/chase/large_pages.hpp"
#include "sim/random.hpp"

namespace tomograph::sim {

/// Numbers keys 0, 1, 2, ... in the order in which they first appear. Uses a table over all keys if they are few
/// compared with the number of look-ups, otherwise a hash table with linear probing.
class DenseIds {
 public:
  /// Forgets everything. Keys are below `key_count`; about `lookups` look-ups will follow.
  void reset(std::uint64_t key_count, std::uint64_t lookups) {
    count_ = 0;
    last_key_ = no_key;
    direct_ = key_count <= 8 * lookups + 4096;
    if (direct_) {
      ids_.assign(key_count, none);
    } else {
      rehash(1024);
    }
  }

  std::uint32_t operator()(std::uint64_t key) {
    if (key != last_key_) {
      last_key_ = key;
      last_id_ = direct_ ? assign(ids_[key]) : look_up(key);
    }
    return last_id_;
  }

  /// Prefetches the host's memory for a later look-up of `key`.
  void prefetch_on_host(std::uint64_t key) const {
    if (direct_) __builtin_prefetch(&ids_[key], 1);
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};

  std::uint32_t assign(std::uint32_t& id) {
    if (id == none) id = count_++;
    return id;
  }

  std::uint32_t look_up(std::uint64_t key) {
    if (2 * std::size_t{count_} >= keys_.size()) rehash(2 * keys_.size());
    const std::size_t slot = slot_of(key);
    keys_[slot] = key;
    return assign(ids_[slot]);
  }

  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    std::size_t slot = mix(key) & (keys_.size() - 1);
    while (keys_[slot] != no_key && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
    return slot;
  }

  void rehash(std::size_t size) {
    const std::vector<std::uint64_t> old_keys = std::exchange(keys_, std::vector<std::uint64_t>(size, no_key));
    const LargeVector<std::uint32_t> old_ids = std::exchange(ids_, LargeVector<std::uint32_t>(size, none));
    if (count_ == 0) return;
    for (std::size_t i = 0; i < old_keys.size(); ++i) {
      if (old_keys[i] == no_key) continue;
      const std::size_t slot = slot_of(old_keys[i]);
      keys_[slot] = old_keys[i];
      ids_[slot] = old_ids[i];
    }
  }

  bool direct_ = true;
  std::uint32_t count_ = 0;
  std::uint64_t last_key_ = no_key;
  std::uint32_t last_id_ = none;
  std::vector<std::uint64_t> keys_;
  LargeVector<std::uint32_t> ids_;
};

}  // namespace tomograph::sim

#endif
