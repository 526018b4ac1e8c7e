#include "tlb_ground.hpp"

#include <algorithm>

namespace tomograph::cache_sharing {

namespace {

/// More pages of a tester, or more testers, tell no more than a second program would.
constexpr std::int64_t most_pages = 12;
constexpr std::int64_t most_testers = 32;

std::string key(std::int64_t level, const char* name) { return "tlb.l" + std::to_string(level) + "." + name; }

/// Pages of the levels before, and how far apart they must lie.
struct Before {
  std::int64_t entries = 0;
  std::int64_t span = 0;
};

Before levels_before(const Session& session, std::int64_t level) {
  Before before;
  for (std::int64_t inner = 1; inner < level; ++inner) {
    before.entries = std::max(before.entries, session.needed<std::int64_t>(key(inner, "entries")));
    before.span = std::max(before.span, session.needed<std::int64_t>(key(inner, "entry_span")));
  }
  return before;
}

/// Shares half of the entries out among fillers and slots.
void share_out(Ground& ground, std::int64_t entries, const Before& before) {
  const std::int64_t half = std::max<std::int64_t>(entries / 2, 2);
  if (before.entries > 0) {
    constexpr std::int64_t margin = 8;
    const std::int64_t fewest = before.entries + before.entries / 4 + 1;
    if (fewest >= half) {
      throw TooLittle{"half of its entries are not more than the " + std::to_string(before.entries) +
                      " of the levels before it"};
    }
    ground.fillers = std::max(fewest, std::min(2 * before.entries + margin, half - half / 4));
  }
  const std::int64_t left = half - ground.fillers;
  ground.pages = std::min(left, most_pages);
  ground.testers = std::clamp<std::int64_t>(left / ground.pages, 1, most_testers);
}

std::int64_t room_of(const Session& session) {
  constexpr std::int64_t modest_bytes = std::int64_t{1} << 30;
  const auto all = session.fact<std::int64_t>("dram.size").value_or(modest_bytes);
  const auto free = session.fact<std::int64_t>("dram.free").value_or(all);
  return free - free / 16;
}

}  // namespace

Ground find_ground(const Session& session, std::int64_t level, std::int64_t entries) {
  Ground ground;
  ground.line = session.needed<std::int64_t>("l2.line_size");
  ground.span = session.needed<std::int64_t>(key(level, "entry_span"));
  ground.penalty = session.needed<double>(key(level, "miss_penalty"));
  const Before before = levels_before(session, level);
  ground.stride = std::max(ground.span, before.span);
  share_out(ground, entries, before);
  const std::int64_t room = room_of(session);
  const auto places = [&] { return (room - ground.start_of_walk()) / (ground.span + ground.line) - 1; };
  while (places() < 2 * entries && ground.testers > 1) ground.testers /= 2;
  ground.walk = std::min(2 * entries, places());
  if (ground.walk < entries + entries / 4) {
    throw TooLittle{"the " + std::to_string(room) + " B of memory that can be had hold too few pages to evict all of " +
                    std::to_string(entries)};
  }
  return ground;
}

}  // namespace tomograph::cache_sharing
