#include "sim/kernel/l2_slice.hpp"

#include <algorithm>
#include <bit>

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

L2Slice::L2Slice(const Gpu& gpu, Network& network, std::size_t number)
    : noc_(gpu.timing->noc),
      network_(network),
      number_(number),
      request_cycles_(gpu.timing->l2.request_cycles),
      mshrs_(static_cast<std::uint32_t>(gpu.timing->l2.mshrs)),
      fetch_sectors_(static_cast<int>(gpu.l2.cache.fetch_granularity / 32)),
      all_sectors_(static_cast<std::uint32_t>((std::uint64_t{1} << (gpu.l2.cache.line_size / 32)) - 1)),
      store_(cache_of_slice(gpu.l2), set_ways_of_slice(gpu.l2)),
      channel_(gpu),
      miss_of_line_(mshrs_) {}

void L2Slice::run(Cycle until) {
  const auto messages = network_.at_slice(number_, until);
  for (const Message& message : messages) store_.prefetch(message.request.line);
  for (std::size_t i = 0; i < channel_.answers().size() && channel_.answers().when(i) < until; ++i) {
    store_.prefetch(channel_.answers()[i].line);
    misses_.prefetch(channel_.answers()[i].miss);
  }
  for (const Message& message : messages) {
    // What was on its way for longer comes first: memory's answers.
    while (channel_.next_answer() <= message.when || channel_.next_choice() < message.when) step_of_channel();
    now_ = message.when;
    arrive(message.request);
  }
  while (next_of_channel() < until) step_of_channel();
}

Cycle L2Slice::next_of_channel() const { return std::min(channel_.next_answer(), channel_.next_choice()); }

void L2Slice::step_of_channel() {
  now_ = next_of_channel();
  if (channel_.next_answer() == now_) {
    from_memory(channel_.take_answer());
  } else {
    channel_.choose();
    // Only memory's answers help a read.
    if (!blocked_.empty() && blocked_.front().kind == Request::Kind::write) resume();
  }
}

void L2Slice::arrive(const Request& request) {
  if (!blocked_.empty() || !accept(request)) blocked_.push(request);
}

void L2Slice::resume() {
  while (!blocked_.empty() && accept(blocked_.front())) blocked_.pop();
}

bool L2Slice::accept(const Request& request) {
  if (request.kind == Request::Kind::write) return accept_write(request);
  const std::uint32_t missing = request.sectors & ~store_.use(request.line, request.sectors);
  if (missing == 0) {
    serve(request, pipeline_.serve(now_, request_cycles_));
    return true;
  }
  const std::uint32_t known = miss_of_line_.find(request.line);
  if (known == LineMap::nothing && misses_.in_use() == mshrs_) return false;
  miss(request, missing, known, pipeline_.serve(now_, request_cycles_));
  return true;
}

bool L2Slice::accept_write(const Request& request) {
  if (channel_.is_full(now_)) return false;
  const Cycle when = pipeline_.serve(now_, request_cycles_);
  write_back(store_.fill(request.line, request.sectors, true), when);
  network_.send_reply(when, request);
  return true;
}

void L2Slice::miss(const Request& request, std::uint32_t missing, std::uint32_t number, Cycle when) {
  if (number == LineMap::nothing) {
    number = misses_.add({.first = request});
    miss_of_line_.set(request.line, number);
  } else {
    others_.push(misses_[number].others, request);
  }
  Miss& miss = misses_[number];
  if (const std::uint32_t more = fetched(missing) & ~miss.sectors; more != 0) {
    ++misses_seen_;
    ++miss.answers;
    miss.sectors |= more;
    channel_.send(when, {.line = request.line, .sectors = more, .miss = number});
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

void L2Slice::from_memory(const Transfer& answer) {
  write_back(store_.fill(answer.line, answer.sectors, false), now_);
  if (--misses_[answer.miss].answers > 0) return;
  Miss miss = misses_[answer.miss];
  misses_.remove(answer.miss);
  miss_of_line_.erase(answer.line, answer.miss);
  serve(miss.first, now_);
  while (!miss.others.empty()) serve(others_.pop(miss.others), now_);
  resume();
}

void L2Slice::serve(const Request& request, Cycle when) {
  if (request.kind != Request::Kind::read) store_.fill(request.line, request.sectors, true);
  if (!request.brings_data()) {
    network_.send_reply(when, request);
    return;
  }
  const double bytes = noc_.header + 32 * std::popcount(request.sectors);
  network_.send_reply(reply_port_.serve(when, bytes / noc_.slice_reply), request);
}

void L2Slice::write_back(LineStore::Evicted evicted, Cycle when) {
  if (evicted.modified == 0) return;
  channel_.send(when, {.line = evicted.address, .sectors = evicted.modified});
}

}  // namespace tomograph::sim::timed
