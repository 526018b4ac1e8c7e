#ifndef TOMOGRAPH_SIM_CHASE_DENSE_IDS_HPP
#define TOMOGRAPH_SIM_CHASE_DENSE_IDS_HPP

#include <cstdint>
#include <utility>

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
    if (direct_) {
      __builtin_prefetch(&ids_[key], 1);
    } else {
      __builtin_prefetch(&slots_[first_slot(key)], 1);
    }
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};

  std::uint32_t assign(std::uint32_t& id) {
    if (id == none) id = count_++;
    return id;
  }

  /// A key and its number lie together, so that a look-up misses the host's caches once.
  struct Slot {
    std::uint64_t key = no_key;
    std::uint32_t id = none;
  };

  std::uint32_t look_up(std::uint64_t key) {
    if (2 * std::size_t{count_} >= slots_.size()) rehash(2 * slots_.size());
    Slot& slot = slot_of(key);
    slot.key = key;
    return assign(slot.id);
  }

  [[nodiscard]] std::size_t first_slot(std::uint64_t key) const { return mix(key) & (slots_.size() - 1); }

  [[nodiscard]] Slot& slot_of(std::uint64_t key) {
    std::size_t slot = first_slot(key);
    while (slots_[slot].key != no_key && slots_[slot].key != key) slot = (slot + 1) & (slots_.size() - 1);
    return slots_[slot];
  }

  void rehash(std::size_t size) {
    const LargeVector<Slot> old = std::exchange(slots_, LargeVector<Slot>(size));
    if (count_ == 0) return;
    for (const Slot& slot : old) {
      if (slot.key != no_key) slot_of(slot.key) = slot;
    }
  }

  bool direct_ = true;
  std::uint32_t count_ = 0;
  std::uint64_t last_key_ = no_key;
  std::uint32_t last_id_ = none;
  LargeVector<std::uint32_t> ids_;  ///< by key, in the table over all keys
  LargeVector<Slot> slots_;         ///< of the hash table
};

}  // namespace tomograph::sim

#endif
