#include "sim/kernel/load_store_unit.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <utility>

namespace tomograph::sim::timed {

namespace {

using kernel::Operation;

/// Cycles by which the port may be behind before the unit waits for it.
constexpr double port_backlog = 8;

/// Of lines, by which most are seen to be new without a search: many more than an instruction has lines.
constexpr std::size_t hashes = 512;

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

LoadStoreUnit::LoadStoreUnit(const Gpu& gpu, std::int64_t carveout, Network& network, std::uint32_t sm)
    : noc_(gpu.timing->noc),
      network_(network),
      sm_(static_cast<std::uint16_t>(sm)),
      most_queued_(static_cast<std::size_t>(gpu.timing->load_queue)),
      mshrs_(static_cast<std::uint32_t>(gpu.timing->l1_mshrs)),
      line_bytes_(static_cast<std::uint64_t>(gpu.l2.cache.line_size)),
      sector_bits_(std::countr_zero(line_bytes_ / kernel::sector_bytes)),
      fetch_sectors_(static_cast<int>(l1_fetch(gpu) / 32)),
      smallest_sectors_(static_cast<int>(gpu.l2.cache.sector_size / 32)),
      l1_latency_(gpu.serving(chase::Path::global_ca) == nullptr ? 0 : gpu.serving(chase::Path::global_ca)->latency),
      store_(l1_store(gpu, carveout)),
      miss_of_line_(mshrs_) {}

void LoadStoreUnit::take(Cycle now, const kernel::Warp& warp, const kernel::Instruction& instruction,
                         std::uint32_t load) {
  const std::size_t lines = add_lines(warp, instruction);
  if (kernel::reads_memory(instruction)) {
    queue_.push({instruction.operation, instruction.past_l1, instruction.fills_sectors, load, lines});
    loads_[load].missing = static_cast<std::uint32_t>(lines);
  } else {
    const bool is_whole = instruction.operation == Operation::store && instruction.fills_sectors;
    queue_.push({Operation::store, false, is_whole, load, lines});
  }
  if (!is_blocked_ && next_access_ == never) next_access_ = std::max(now, last_access_ + 1);
}

std::size_t LoadStoreUnit::add_lines(const kernel::Warp& warp, const kernel::Instruction& instruction) {
  const std::size_t first = lines_.size();
  std::bitset<hashes> known_hashes;
  for (std::uint32_t i = 0; i < instruction.sector_count; ++i) {
    const std::uint64_t sector = warp.sectors[instruction.first_sector + i];
    const std::uint64_t line = sector >> sector_bits_;
    const std::uint64_t address = line * line_bytes_;
    const std::uint32_t bit = std::uint32_t{1} << (sector & ((std::uint64_t{1} << sector_bits_) - 1));
    const std::size_t hash = line % hashes;
    std::size_t known = known_hashes[hash] ? first : lines_.size();
    known_hashes.set(hash);
    while (known < lines_.size() && lines_[known].address != address) ++known;
    if (known == lines_.size()) lines_.push({address, 0});
    lines_[known].sectors |= bit;
  }
  return lines_.size() - first;
}

bool LoadStoreUnit::access(Cycle now) {
  if (const double ahead = port_.free() - port_backlog; ahead > static_cast<double>(now)) {
    next_access_ = round_up(ahead);
    return false;
  }
  next_access_ = never;
  Entry& entry = queue_.front();
  const Line line = lines_.front();
  is_blocked_ = !(entry.operation == Operation::store ? write(now, entry, line) : read(now, entry, line));
  if (is_blocked_) return false;
  last_access_ = now;
  lines_.pop();
  const bool leaves = --entry.lines == 0;
  if (leaves) queue_.pop();
  if (queue_.empty()) return leaves;
  is_blocked_ = misses_.in_use() == mshrs_ && must_wait(queue_.front(), lines_.front());
  if (!is_blocked_) next_access_ = now + 1;
  return leaves;
}

bool LoadStoreUnit::read(Cycle now, const Entry& entry, const Line& line) {
  if (missing_ == 0 && is_served(now, entry, line)) return true;
  if (misses_.in_use() == mshrs_) return false;
  miss(now, entry, line);
  return true;
}

bool LoadStoreUnit::must_wait(const Entry& entry, const Line& line) {
  if (entry.operation == Operation::store) return false;
  missing_ = line.sectors;
  if (!entry.is_through_l1()) return true;
  missing_ &= ~store_.valid(line.address, line.sectors);
  const std::uint32_t known = miss_of_line_.find(line.address);
  if (known != LineMap::nothing && (missing_ & ~misses_[known].sectors) == 0) missing_ = 0;
  return missing_ != 0;
}

bool LoadStoreUnit::is_served(Cycle now, const Entry& entry, const Line& line) {
  missing_ = line.sectors;
  if (!entry.is_through_l1()) return false;
  missing_ &= ~store_.use(line.address, line.sectors);
  if (missing_ == 0) {
    loads_[entry.load].hits_done = now + l1_latency_;
    line_is_there(now, entry.load);
    return true;
  }
  const std::uint32_t known = miss_of_line_.find(line.address);
  if (known == LineMap::nothing || (missing_ & ~misses_[known].sectors) != 0) return false;
  other_loads_.push(misses_[known].other_loads, entry.load);
  missing_ = 0;
  return true;
}

void LoadStoreUnit::miss(Cycle now, const Entry& entry, const Line& line) {
  const bool through_l1 = entry.is_through_l1();
  const std::uint32_t wanted = rounded(std::exchange(missing_, 0), through_l1 ? fetch_sectors_ : smallest_sectors_);
  const std::uint32_t number = misses_.add({wanted, through_l1, entry.load});
  if (through_l1) miss_of_line_.set(line.address, number);
  const auto kind = entry.operation == Operation::atomic ? Request::Kind::atomic : Request::Kind::read;
  send(now, Request{line.address & Request::highest_line, kind, wanted, sm_, static_cast<std::uint16_t>(number)},
       noc_.header);
}

bool LoadStoreUnit::write(Cycle now, const Entry& entry, const Line& line) {
  for (; !acknowledged_.empty() && acknowledged_.front() <= now; acknowledged_.pop()) --writes_;
  if (writes_ == mshrs_) {
    if (!acknowledged_.empty()) next_access_ = acknowledged_.front();
    return false;
  }
  ++writes_;
  const auto kind = entry.fills_sectors ? Request::Kind::write : Request::Kind::partial_write;
  send(now, Request{line.address & Request::highest_line, kind, line.sectors, sm_, 0},
       noc_.header + 32 * std::popcount(line.sectors));
  return true;
}

void LoadStoreUnit::send(Cycle now, const Request& request, double bytes) {
  network_.send_request(port_.serve(now, bytes / noc_.sm_request), request);
}

std::uint32_t LoadStoreUnit::rounded(std::uint32_t sectors, int group) const {
  const std::uint64_t aligned = (std::uint64_t{1} << group) - 1;
  std::uint64_t result = 0;
  for (int first = 0; first < static_cast<int>(line_bytes_ / 32); first += group) {
    if ((sectors >> first & aligned) != 0) result |= aligned << first;
  }
  return static_cast<std::uint32_t>(result);
}

void LoadStoreUnit::acknowledge(Cycle when) {
  acknowledged_.push(when);
  last_write_ = when;
  if (is_blocked_ && next_access_ == never && queue_.front().operation == Operation::store) next_access_ = when;
}

void LoadStoreUnit::reply(Cycle now, const Request& request) {
  Miss miss = misses_[request.miss];
  misses_.remove(request.miss);
  if (miss.fills) {
    store_.fill(request.line, miss.sectors, false);
    miss_of_line_.erase(request.line, request.miss);
  }
  line_is_there(now, miss.first_load);
  while (!miss.other_loads.empty()) line_is_there(now, other_loads_.pop(miss.other_loads));
  // It may serve the line that waits.
  if (missing_ != 0 && request.line == lines_.front().address) missing_ = 0;
  if (is_blocked_ && next_access_ == never) next_access_ = now;
}

void LoadStoreUnit::line_is_there(Cycle now, std::uint32_t load_number) {
  Load& load = loads_[load_number];
  if (--load.missing > 0) return;
  if (load.hits_done > now) {
    hitting_.push(load.hits_done, load_number);
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
