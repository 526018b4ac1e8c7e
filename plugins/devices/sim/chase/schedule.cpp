#include "sim/chase/schedule.hpp"

#include <algorithm>

namespace tomograph::sim {

Schedule::Schedule(const chase::Phase& phase, std::size_t nodes, std::size_t threads)
    : nodes_(nodes), left_(static_cast<std::size_t>(phase.loads)), positions_(threads) {
  for (std::size_t thread = 0; thread < threads; ++thread) {
    const std::size_t first = static_cast<std::size_t>(phase.first) + thread * nodes / threads;
    positions_[thread] = static_cast<std::uint32_t>(first % nodes);
  }
}

bool Schedule::next(Batch& batch) {
  batch.size = std::min(left_, Batch::capacity);
  if (positions_.size() > warp_size) {
    const std::size_t end_of_warp = std::min((thread_ / warp_size + 1) * warp_size, positions_.size());
    batch.size = std::min(batch.size, end_of_warp - thread_);
  }
  left_ -= batch.size;
  if (positions_.size() == 1) {
    follow(batch);
  } else {
    take_turns(batch);
  }
  return batch.size != 0;
}

/// A lone thread goes from node to node.
void Schedule::follow(Batch& batch) {
  std::uint32_t position = positions_.front();
  for (std::size_t load = 0; load < batch.size;) {
    const std::size_t end = load + std::min(batch.size - load, nodes_ - position);
    for (; load < end; ++load) batch.position[load] = position++;
    if (position == nodes_) position = 0;
  }
  positions_.front() = position;
  std::fill_n(batch.thread.begin(), batch.size, std::uint16_t{0});
}

void Schedule::take_turns(Batch& batch) {
  for (std::size_t load = 0; load < batch.size; ++load) {
    std::uint32_t& position = positions_[thread_];
    batch.position[load] = position;
    batch.thread[load] = static_cast<std::uint16_t>(thread_);
    if (++position == nodes_) position = 0;
    if (++thread_ == positions_.size()) thread_ = 0;
  }
}

}  // namespace tomograph::sim
