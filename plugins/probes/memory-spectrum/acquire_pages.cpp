#include "acquire_pages.hpp"

#include <numeric>

namespace tomograph::memory_spectrum {

namespace {

/// Assigns the lower half of each window: the same page of all windows, then the next page.
void visit_across(const Plan& plan, const Pages& pages, std::int64_t windows, FirstVisits& found) {
  const std::int64_t most = std::min(pages.unvisited / 2, pages.window / 2 * windows);
  const std::int64_t each = std::min(std::max(most / plan.sms, windows), plan.timed);
  for (std::int64_t next = 0; next + each <= most && next < plan.sms * each; next += each) {
    auto& run = found.across[static_cast<std::size_t>(next / each)];
    for (std::int64_t i = next; i < next + each; ++i) run.push_back(i % windows * pages.window + i / windows);
  }
}

/// Assigns windows from page `lower` of each on, in runs of no more than half a window, because the array may begin
/// anywhere in one.
void visit_within(const Plan& plan, const Pages& pages, std::int64_t lower, std::int64_t most, std::int64_t trial,
                  FirstVisits& found) {
  // Before each run, its SM walks over all other pages, and its first load is not timed: an eighth is lost.
  constexpr std::int64_t shortest = 8;
  const std::int64_t half = plan.window ? pages.window / 2 : pages.count;
  const std::int64_t length =
      std::max<std::int64_t>(std::min({std::max(most / plan.sms, shortest), plan.timed, half, most}), 2);
  const std::int64_t runs = std::min(most / length, plan.timed / length * plan.sms);
  std::int64_t run = 0;
  const std::int64_t first_sm = trial * runs;
  for (std::int64_t start = 0; start + pages.window <= pages.count; start += pages.window) {
    for (std::int64_t number = start + lower; number + length <= start + pages.window && run < runs; number += length) {
      FirstVisits::Run numbers(static_cast<std::size_t>(length));
      std::iota(numbers.begin(), numbers.end(), number);
      found.within[static_cast<std::size_t>((first_sm + run++) % plan.sms)].push_back(std::move(numbers));
    }
  }
}

}  // namespace

std::optional<Pages> pages_of(const Known& known) {
  Pages found;
  for (const Tlb& level : known.tlb) {
    found.entries = std::max(found.entries, level.entries);
    found.span = std::max(found.span, level.span);
  }
  if (found.span == 0 || !known.every_tlb) return std::nullopt;
  const std::int64_t entries = found.entries;
  found.count = (known.memory - page) / found.span;
  found.over = std::min(2 * entries + 2, found.count);
  const std::int64_t fewest = entries + entries / 8 + 2;
  // With a hashed index, some sets overflow later than others. The margin was chosen by hand.
  constexpr double margin = 0.25;
  const auto enough = static_cast<std::int64_t>((1 + margin) * static_cast<double>(entries)) + 2;
  found.unvisited = found.count - std::clamp(3 * found.count / 4, fewest, enough);
  if (found.unvisited < 2) return std::nullopt;
  found.window = std::clamp<std::int64_t>(known.window.value_or(found.count * found.span) / found.span, 1, found.count);
  return found;
}

FirstVisits arrange(const Plan& plan, const Pages& pages, std::int64_t trial) {
  // With fewer, most visits stay in one of two windows. Chosen by hand.
  constexpr std::int64_t fewest_windows = 4;
  FirstVisits found(plan.sms);
  const std::int64_t windows = plan.window ? pages.count / pages.window : 0;
  const bool changes = windows >= fewest_windows;
  if (changes) visit_across(plan, pages, windows, found);
  visit_within(plan, pages, changes ? pages.window / 2 : 0, changes ? pages.unvisited / 2 : pages.unvisited, trial,
               found);
  std::vector<bool> unvisited(static_cast<std::size_t>(pages.count));
  const auto leave_out = [&](const FirstVisits::Run& run) {
    for (const std::int64_t number : run) unvisited[static_cast<std::size_t>(number)] = true;
  };
  std::ranges::for_each(found.across, leave_out);
  for (const auto& runs : found.within) std::ranges::for_each(runs, leave_out);
  for (std::int64_t number = 0; number < pages.count && std::ssize(found.others) < pages.over; ++number) {
    if (!unvisited[static_cast<std::size_t>(number)]) found.others.push_back(number);
  }
  return found;
}

}  // namespace tomograph::memory_spectrum
