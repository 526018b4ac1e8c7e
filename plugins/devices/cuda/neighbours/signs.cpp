#include "cuda/neighbours/signs.hpp"

#include <algorithm>
#include <vector>

namespace tomograph::cuda {

namespace {

/// Time for which a neighbour counts as present after its last turn. Longer than programs usually leave a GPU idle
/// between two kernels, short compared with a run.
constexpr std::chrono::seconds lookback{1};
/// Watching the clock takes some milliseconds; at most so often, it costs a few percent of the time.
constexpr std::chrono::milliseconds rest{200};
/// Turns of which the median counts.
constexpr std::size_t remembered = 9;
/// Turns of the same program differ by a few percent.
constexpr double shortest_share = 0.9;

}  // namespace

void Turns::add(Time when, Duration length) {
  last_ = when;
  lengths_.push_back(length);
  if (lengths_.size() > remembered) lengths_.pop_front();
}

bool Turns::are_recent(Time now) const { return last_ && now - *last_ < lookback; }

bool Turns::are_doubtful(Time now) const {
  const auto is_fresh = [now](const std::optional<Time>& when) { return when && now - *when < rest; };
  return !is_fresh(last_) && !is_fresh(watched_in_vain_);
}

bool Turns::may_lie_in(Duration time) const { return !lengths_.empty() && time > shortest_share * usual_length(); }

Turns::Duration Turns::usual_length() const {
  std::vector<Duration> sorted(lengths_.begin(), lengths_.end());
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

}  // namespace tomograph::cuda
