#include "sim/kernel/load_store_unit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "sim/kernel/dram_channel.hpp"

namespace tomograph::sim::timed {

namespace {

using kernel::Operation;

/// Cycles by which the port may be behind before the unit waits for it.
constexpr double port_backlog = 8;

/// A cache without ways.
Cache no_cache() {
  Cache cache;
  cache.index.kind = Index::Kind::modulo;
  return cache;
}

LineStore l1_store(const Gpu& gpu, std::int64_t carveout) {
  const PrivateCache* l1 = gpu.serving(chase::Path::global_ca);
  if (l1 == nullptr) return {no_cache(), {}};
  if (!l1->carveouts) return {l1->cache, l1->cache.set_ways};
  const auto& sizes = l1->carveouts->shared_memory;
  const std::int64_t wanted = carveout < 0 ? l1->carveouts->default_size : carveout;
  const auto enough = std::ranges::find_if(sizes, [&](std::int64_t size) { return size >= wanted; });
  return {l1->cache, l1->ways_beside(enough == sizes.end() ? sizes.back() : *enough)};
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const Gpu& gpu, std::int64_t carveout, Traffic& traffic, std::uint32_t sm)
    : gpu_(gpu),
      traffic_(traffic),
      sm_(sm),
      most_queued_(static_cast<std::size_t>(gpu.timing->load_queue)),
      mshrs_(static_cast<std::size_t>(gpu.timing->l1_mshrs)),
      line_bytes_(static_cast<std::uint64_t>(gpu.l2.cache.line_size)),
      fetch_sectors_(static_cast<int>(l1_fetch(gpu) / 32)),
      smallest_sectors_(static_cast<int>(gpu.l2.cache.sector_size / 32)),
      l1_latency_(gpu.serving(chase::Path::global_ca) == nullptr ? 0 : gpu.serving(chase::Path::global_ca)->latency),
      ways_(ways(gpu)),
      store_(l1_store(gpu, carveout)),
      miss_of_line_(mshrs_) {}

void LoadStoreUnit::take(const kernel::Warp& warp, const kernel::Instruction& instruction, std::uint32_t load) {
  Entry entry{.operation = instruction.operation, .past_l1 = instruction.past_l1, .load = load};
  entry.lines.reserve(instruction.sector_count);
  const std::uint64_t sectors_per_line = line_bytes_ / kernel::sector_bytes;
  for (std::uint32_t i = 0; i < instruction.sector_count; ++i) {
    const std::uint64_t sector = warp.sectors[instruction.first_sector + i];
    const std::uint64_t address = sector / sectors_per_line * line_bytes_;
    const std::uint32_t bit = std::uint32_t{1} << (sector % sectors_per_line);
    const auto known = std::ranges::find(entry.lines, address, &Line::address);
    if (known == entry.lines.end()) {
      entry.lines.push_back({address, bit});
    } else {
      known->sectors |= bit;
    }
  }
  if (entry.operation != Operation::store) loads_[load].missing = static_cast<std::uint32_t>(entry.lines.size());
  queue_.push_back(std::move(entry));
  if (!is_blocked_) access_at(std::max(traffic_.events.now(), last_access_ + 1));
}

void LoadStoreUnit::access_at(Cycle when) {
  if (is_scheduled_) return;
  is_scheduled_ = true;
  traffic_.events.push(when, {EventKind::access_l1, sm_, 0});
}

bool LoadStoreUnit::access() {
  const Cycle now = traffic_.events.now();
  is_scheduled_ = false;
  if (const double ahead = port_.free() - port_backlog; ahead > static_cast<double>(now)) {
    access_at(static_cast<Cycle>(std::ceil(ahead)));
    return false;
  }
  Entry& entry = queue_.front();
  const Line line = entry.lines[entry.next];
  is_blocked_ = !(entry.operation == Operation::store ? write(line) : read(entry, line));
  if (is_blocked_) return false;
  last_access_ = now;
  const bool leaves = ++entry.next == entry.lines.size();
  if (leaves) queue_.pop_front();
  if (!queue_.empty()) access_at(now + 1);
  return leaves;
}

bool LoadStoreUnit::read(const Entry& entry, const Line& line) {
  const bool through_l1 = entry.operation == Operation::load && !entry.past_l1;
  const std::uint32_t there = through_l1 ? store_.use(line.address, line.sectors) : 0;
  const std::uint32_t missing = line.sectors & ~there;
  if (missing != 0) return miss(entry, line, missing, through_l1);
  Load& load = loads_[entry.load];
  load.hits_done = traffic_.events.now() + l1_latency_;
  line_is_there(entry.load);
  return true;
}

bool LoadStoreUnit::miss(const Entry& entry, const Line& line, std::uint32_t sectors, bool through_l1) {
  if (through_l1) {
    const std::uint32_t known = miss_of_line_.find(line.address);
    if (known != LineMap::nothing && (sectors & ~misses_[known].sectors) == 0) {
      waiting_.push(misses_[known].waiting, entry.load);
      return true;
    }
  }
  if (misses_.in_use() == mshrs_) return false;
  const std::uint32_t wanted = rounded(sectors, through_l1 ? fetch_sectors_ : smallest_sectors_);
  const std::uint32_t number = misses_.add({wanted, through_l1});
  waiting_.push(misses_[number].waiting, entry.load);
  if (through_l1) miss_of_line_.set(line.address, number);
  const auto kind = entry.operation == Operation::atomic ? Request::Kind::atomic : Request::Kind::read;
  send({line.address, wanted, kind, sm_, number}, gpu_.timing->noc.header);
  return true;
}

bool LoadStoreUnit::write(const Line& line) {
  if (writes_ == mshrs_) return false;
  ++writes_;
  send({line.address, line.sectors, Request::Kind::write, sm_, 0},
       gpu_.timing->noc.header + 32 * std::popcount(line.sectors));
  return true;
}

void LoadStoreUnit::send(Request request, double bytes) {
  const Cycle sent = port_.serve(traffic_.events.now(), bytes / gpu_.timing->noc.sm_request);
  const std::uint32_t slice = slice_of(request.line, static_cast<std::uint64_t>(gpu_.timing->l2.interleave),
                                       static_cast<std::uint64_t>(gpu_.l2.slices));
  traffic_.events.push(sent + ways_.to_slice, {EventKind::at_slice, slice, traffic_.requests.add(request)});
}

std::uint32_t LoadStoreUnit::rounded(std::uint32_t sectors, int group) const {
  const std::uint64_t aligned = (std::uint64_t{1} << group) - 1;
  std::uint64_t result = 0;
  for (int first = 0; first < static_cast<int>(line_bytes_ / 32); first += group) {
    if ((sectors >> first & aligned) != 0) result |= aligned << first;
  }
  return static_cast<std::uint32_t>(result);
}

void LoadStoreUnit::reply(std::uint32_t request) {
  const Request answered = traffic_.requests[request];
  traffic_.requests.remove(request);
  if (answered.kind == Request::Kind::write) {
    --writes_;
    last_write_ = traffic_.events.now();
  } else {
    Miss miss = misses_[answered.miss];
    misses_.remove(answered.miss);
    if (miss.fills) {
      store_.fill(answered.line, miss.sectors, false);
      if (miss_of_line_.find(answered.line) == answered.miss) miss_of_line_.erase(answered.line);
    }
    while (!miss.waiting.empty()) line_is_there(waiting_.pop(miss.waiting));
  }
  if (is_blocked_) access_at(traffic_.events.now());
}

void LoadStoreUnit::line_is_there(std::uint32_t load_number) {
  Load& load = loads_[load_number];
  if (--load.missing > 0) return;
  if (load.hits_done > traffic_.events.now()) {
    traffic_.events.push(load.hits_done, {EventKind::load_done, sm_, load_number});
  } else {
    finish(load_number);
  }
}

void LoadStoreUnit::finish(std::uint32_t load) {
  done_.push_back(loads_[load]);
  loads_.remove(load);
}

void LoadStoreUnit::take_done(std::vector<Load>& loads) {
  loads.clear();
  loads.swap(done_);
}

}  // namespace tomograph::sim::timed
