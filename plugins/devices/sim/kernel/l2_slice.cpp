#include "sim/kernel/l2_slice.hpp"

#include <bit>
#include <utility>

namespace tomograph::sim::timed {

namespace {

/// The sets of one slice: those of the whole cache are dealt to the slices.
std::vector<std::int64_t> set_ways_of_slice(const L2& l2) {
  std::vector<std::int64_t> ways = l2.cache.set_ways;
  const auto all = static_cast<std::size_t>(l2.partitions) * ways.size();
  ways.resize(std::max<std::size_t>(all / static_cast<std::size_t>(l2.slices), 1), ways.front());
  return ways;
}

/// The organisation of one slice. Its sets are those of consecutive lines that it holds.
Cache cache_of_slice(const L2& l2) {
  Cache cache = l2.cache;
  cache.index = {.kind = Index::Kind::modulo, .bits = {}, .masks = {}};
  return cache;
}

}  // namespace

L2Slice::L2Slice(const Gpu& gpu, Traffic& traffic, DramChannel& channel, std::uint32_t number)
    : noc_(gpu.timing->noc),
      traffic_(traffic),
      channel_(channel),
      number_(number),
      request_cycles_(gpu.timing->l2.request_cycles),
      mshrs_(static_cast<std::size_t>(gpu.timing->l2.mshrs)),
      fetch_sectors_(static_cast<int>(gpu.l2.cache.fetch_granularity / 32)),
      all_sectors_(static_cast<std::uint32_t>((std::uint64_t{1} << (gpu.l2.cache.line_size / 32)) - 1)),
      ways_(ways(gpu)),
      store_(cache_of_slice(gpu.l2), set_ways_of_slice(gpu.l2)),
      miss_of_line_(mshrs_) {}

void L2Slice::arrive(std::uint32_t request) {
  if (!blocked_.empty() || !accept(request)) blocked_.push_back(request);
}

void L2Slice::resume() {
  while (!blocked_.empty() && accept(blocked_.front())) blocked_.pop_front();
}

bool L2Slice::accept(std::uint32_t request) {
  const Request wanted = traffic_.requests[request];
  if (wanted.kind == Request::Kind::write) return accept_write(request);
  const std::uint32_t missing = wanted.sectors & ~store_.use(wanted.line, wanted.sectors);
  if (missing != 0 && misses_.in_use() == mshrs_ && miss_of_line_.find(wanted.line) == LineMap::nothing) return false;
  const Cycle when = pipeline_.serve(traffic_.events.now(), request_cycles_);
  if (missing != 0) {
    miss(request, missing, when);
    return true;
  }
  if (wanted.kind == Request::Kind::atomic) store_.fill(wanted.line, wanted.sectors, true);
  reply(request, when);
  return true;
}

bool L2Slice::accept_write(std::uint32_t request) {
  if (channel_.is_full()) return false;
  const Request written = traffic_.requests[request];
  const Cycle when = pipeline_.serve(traffic_.events.now(), request_cycles_);
  write_back(store_.fill(written.line, written.sectors, true), when);
  traffic_.events.push(when + ways_.from_slice, {EventKind::reply, written.sm, request});
  return true;
}

void L2Slice::miss(std::uint32_t request, std::uint32_t missing, Cycle when) {
  const std::uint64_t line = traffic_.requests[request].line;
  std::uint32_t number = miss_of_line_.find(line);
  if (number == LineMap::nothing) {
    number = misses_.add({});
    miss_of_line_.set(line, number);
  }
  Miss& miss = misses_[number];
  waiting_.push(miss.waiting, request);
  if (const std::uint32_t more = fetched(missing) & ~miss.sectors; more != 0) {
    ++misses_seen_;
    ++miss.answers;
    miss.sectors |= more;
    traffic_.events.push(when + ways_.to_memory,
                         {EventKind::at_channel, number_, traffic_.requests.add({.line = line, .sectors = more})});
  }
}

std::uint32_t L2Slice::fetched(std::uint32_t sectors) const {
  const std::uint32_t group = (std::uint32_t{1} << fetch_sectors_) - 1;
  std::uint32_t result = 0;
  for (std::uint32_t mask = group; mask != 0 && (mask & all_sectors_) != 0; mask <<= fetch_sectors_) {
    if ((sectors & mask) != 0) result |= mask;
  }
  return result & all_sectors_;
}

void L2Slice::from_memory(std::uint32_t request) {
  const Request answer = traffic_.requests[request];
  traffic_.requests.remove(request);
  const Cycle now = traffic_.events.now();
  write_back(store_.fill(answer.line, answer.sectors, false), now);
  const std::uint32_t number = miss_of_line_.find(answer.line);
  if (--misses_[number].answers > 0) return;
  Miss miss = misses_[number];
  misses_.remove(number);
  miss_of_line_.erase(answer.line);
  while (!miss.waiting.empty()) serve(waiting_.pop(miss.waiting));
  resume();
}

void L2Slice::serve(std::uint32_t request) {
  const Request& wanted = traffic_.requests[request];
  if (wanted.kind == Request::Kind::atomic) store_.fill(wanted.line, wanted.sectors, true);
  reply(request, traffic_.events.now());
}

void L2Slice::reply(std::uint32_t request, Cycle when) {
  const Request& wanted = traffic_.requests[request];
  const double bytes = noc_.header + 32 * std::popcount(wanted.sectors);
  const Cycle sent = reply_port_.serve(when, bytes / noc_.slice_reply);
  traffic_.events.push(sent + ways_.from_slice, {EventKind::at_sm, wanted.sm, request});
}

void L2Slice::write_back(LineStore::Evicted evicted, Cycle when) {
  if (evicted.modified == 0) return;
  const std::uint32_t request =
      traffic_.requests.add({.line = evicted.address, .sectors = evicted.modified, .kind = Request::Kind::write});
  traffic_.events.push(when + ways_.to_memory, {EventKind::at_channel, number_, request});
}

}  // namespace tomograph::sim::timed
