#include "tomograph/analysis/group_testing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tomograph::analysis {

namespace {

// All chosen by hand.
constexpr int tests_of_whole = 3;
constexpr int most_mistakes = 8;
constexpr std::int64_t first_chunks = 8;

std::int64_t size(const std::vector<ElementRun>& pool) {
  std::int64_t elements = 0;
  for (const ElementRun& run : pool) elements += run.count;
  return elements;
}

/// Appends elements `begin` to `end` of a pool, counted from its start, to `part`.
void append(const std::vector<ElementRun>& pool, std::int64_t begin, std::int64_t end, std::vector<ElementRun>& part) {
  std::int64_t start = 0;  // of the run
  for (const ElementRun& run : pool) {
    const std::int64_t from = std::max(begin - start, std::int64_t{0});
    const std::int64_t to = std::min(end - start, run.count);
    start += run.count;
    if (from >= to) continue;
    const std::int64_t first = run.first + from;
    if (!part.empty() && part.back().first + part.back().count == first) {
      part.back().count += to - from;
    } else {
      part.push_back({first, to - from});
    }
  }
}

}  // namespace

GroupTesting::GroupTesting(const Setup& setup)
    : most_(setup.most),
      budget_(setup.budget),
      first_rounds_(setup.first_rounds),
      most_rounds_(setup.most_rounds),
      seed_(setup.seed),
      wanted_(setup.wanted) {
  draw();
}

GroupTesting::Step GroupTesting::step() {
  Step next{.pools = candidates(), .rounds = rounds_, .trial = trial_, .repeats = stage_ == Stage::whole};
  trial_ += 1 + (next.repeats ? tests_of_whole : 0);
  spent_ += cost();
  return next;
}

void GroupTesting::advance(const std::vector<bool>& evicted) {
  switch (stage_) {
    case Stage::whole: begin(evicted); break;
    case Stage::chunks: take_chunk(evicted); break;
    case Stage::together: take_together(evicted); break;
    case Stage::found:
    case Stage::failed: break;
  }
  if (!done() && spent_ + cost() > budget_) stage_ = Stage::failed;
}

std::vector<std::int64_t> GroupTesting::group() const {
  std::vector<std::int64_t> elements;
  for (const ElementRun& run : pool_) {
    for (std::int64_t i = 0; i < run.count; ++i) elements.push_back(run.first + i);
  }
  return elements;
}

void GroupTesting::draw() {
  elements_ = std::min(most_, wanted_) - 1;
  pool_ = {{0, elements_}};
  before_.clear();
  stage_ = Stage::whole;
  rounds_ = first_rounds_;
  chunks_ = first_chunks;
}

std::int64_t GroupTesting::chunks() const { return std::min(chunks_, size(pool_)); }

/// Loads of the next step, at most.
std::int64_t GroupTesting::cost() const {
  const std::int64_t tests = stage_ == Stage::whole    ? tests_of_whole
                             : stage_ == Stage::chunks ? chunks() + 1
                                                       : std::ssize(spare_) - 1;
  return tests * (size(pool_) + 2) * rounds_;
}

/// The pool without the chunks in `spared`, which ascend.
GroupTesting::Pool GroupTesting::without(std::span<const std::int64_t> spared) const {
  const std::int64_t elements = size(pool_);
  Pool rest;
  std::int64_t begin = 0;
  for (const std::int64_t chunk : spared) {
    append(pool_, begin, chunk * elements / chunks(), rest);
    begin = (chunk + 1) * elements / chunks();
  }
  append(pool_, begin, elements, rest);
  return rest;
}

std::vector<GroupTesting::Pool> GroupTesting::candidates() const {
  std::vector<Pool> pools;
  if (stage_ == Stage::whole) pools.assign(tests_of_whole, pool_);
  if (stage_ == Stage::chunks) {
    for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) pools.push_back(without({&chunk, 1}));
    pools.push_back(pool_);
  }
  if (stage_ == Stage::together) {
    for (std::size_t count = 2; count <= spare_.size(); ++count) {
      pools.push_back(without(std::span(spare_).first(count)));
    }
  }
  return pools;
}

void GroupTesting::begin(const std::vector<bool>& evicted) {
  const auto times = std::ranges::count(evicted, true);
  if (times == tests_of_whole) {
    stage_ = Stage::chunks;
    rounds_ = first_rounds_;
  } else if (rounds_ < most_rounds_) {
    rounds_ *= 4;
  } else if (times == 0 && wanted_ >= most_) {
    stage_ = Stage::failed;
  } else {
    if (times == 0) wanted_ *= 2;
    draw_again();
  }
}

void GroupTesting::take_chunk(const std::vector<bool>& evicted) {
  spare_.clear();
  for (std::int64_t chunk = 0; chunk < chunks(); ++chunk) {
    if (evicted[static_cast<std::size_t>(chunk)]) spare_.push_back(chunk);
  }
  if (std::ssize(spare_) == chunks()) spare_.pop_back();  // something must stay
  const bool itself = evicted.back();
  if (spare_.size() > 1)
    stage_ = Stage::together;
  else if (spare_.size() == 1)
    keep(without(spare_));
  else if (rounds_ < most_rounds_)
    rounds_ *= 4;
  else if (!itself)
    take_back();
  else if (chunks() == size(pool_))
    stage_ = Stage::found;
  else
    refine();
}

void GroupTesting::take_together(const std::vector<bool>& evicted) {
  const auto last = std::find(evicted.rbegin(), evicted.rend(), true);
  keep(without(std::span(spare_).first(static_cast<std::size_t>(std::distance(last, evicted.rend())) + 1)));
}

void GroupTesting::keep(Pool smaller) {
  before_.push_back(std::move(pool_));
  pool_ = std::move(smaller);
  stage_ = size(pool_) == 1 ? Stage::found : Stage::chunks;
  rounds_ = first_rounds_;
}

void GroupTesting::refine() {
  chunks_ *= 2;
  rounds_ = first_rounds_;
}

void GroupTesting::take_back() {
  if (before_.empty() || ++mistakes_ > most_mistakes) return draw_again();
  pool_ = std::move(before_.back());
  before_.pop_back();
  rounds_ = first_rounds_;
}

/// Numbers that no other search begins with.
void GroupTesting::draw_again() {
  constexpr std::uint64_t far = 1000;  // more than there are searches
  seed_ += far;
  mistakes_ = 0;
  draw();
}

}  // namespace tomograph::analysis
