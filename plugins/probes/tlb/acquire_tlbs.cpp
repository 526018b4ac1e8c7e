#include <algorithm>
#include <array>
#include <string>

#include "acquire_level.hpp"
#include "acquire_matrix.hpp"
#include "acquire_memory.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/tlb/memory.hpp"

namespace tomograph::tlb {

namespace {

constexpr std::array prefixes{"tlb.l1.", "tlb.l2.", "tlb.l3."};
/// Why a level is none behind one that is known; empty if nothing speaks against it.
std::string objection_beside(const Findings& before, const Findings& found) {
  if (!before.entries) return {};
  if (*found.entries < *before.entries)
    return "it has fewer entries, of wider spans, than the level before: it may as well cache parts of the page tables";
  // What the level before misses would miss this one, too.
  if (*found.entries * *found.entry_span <= *before.entries * *before.entry_span)
    return "it reaches no further than the level before: both may be one level, whose misses take two times";
  return {};
}

/// Why a level that was found behind others is no TLB, or not another one; empty if nothing speaks against it. `known`
/// is the last one whose entries were counted, `before` the one before the level, if its entries were not.
std::string objection(const Matrix& matrix, const Findings& known, const Level* before, const Findings& found) {
  if (!found.entries) return {};
  if (before != nullptr && holds_no_more(matrix.cells, *before, *found.entry_span, *found.entries))
    return "it holds no more pages, one to an entry, than the level before: it may as well cache parts of the page "
           "tables";
  return objection_beside(known, found);
}

}  // namespace

void find_tlbs(const Session& session) {
  const Memory memory = spare_memory(session);
  const Publisher publisher(session, memory);
  const Matrix matrix = measure_matrix(memory);
  publisher.matrix(matrix);
  session.progress(0.2);
  const Staircase staircase = find_levels(matrix.cells, matrix.noise, matrix.clock_step, matrix.deviation);
  std::vector<Level> levels = staircase.levels;
  for (Level& level : levels) level = with_control(level, matrix.control);
  std::string doubt = hidden_level(matrix, levels);
  if (!levels.empty() && !control_is_clean(matrix, levels.front())) {
    doubt = "TLBs do not cause the latencies: as many lines take as long on few pages as on many";
    levels.clear();
  }
  const std::string nothing_further =
      "no walk within the " + std::to_string(memory.bytes) + " B that are available shows it";
  std::size_t named = 0;
  bool window = false;
  Before before;
  Findings last;
  const Level* uncounted = nullptr;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    if (doubt.empty()) doubt = unresolvable_level(level);
    const auto brought = level.resolvable() ? fill(memory, level, matrix.cells) : std::nullopt;
    if (brought && is_window(memory, level, matrix.cells, *brought, before.evicting_pages)) {
      publisher.window(level, *brought, doubt);
      window = true;
    } else if (named < prefixes.size()) {
      const Level* next = i + 1 < levels.size() ? &levels[i + 1] : nullptr;
      Findings found =
          doubt.empty() ? examine(memory, matrix.cells, level, brought, before, next) : not_examined(level, doubt);
      before.evicting_pages = pages_that_evict(matrix, level, found.entries, before.evicting_pages);
      const std::string reason = objection(matrix, last, uncounted, found);
      if (!reason.empty()) found = not_examined(level, reason);
      if (found.entries) last = found;
      uncounted = found.entries ? nullptr : &level;
      if (!brought) before.brought.reset();
      if (before.brought) before.brought = std::max(*before.brought, brought->bytes);
      publisher.level(prefixes[named++], found);
    }
    session.progress(0.2 + 0.8 * static_cast<double>(named) / static_cast<double>(levels.size()));
  }
  give_memory_back(session);
  if (doubt.empty()) doubt = unclear_level(staircase);
  for (; named < prefixes.size(); ++named) publisher.missing_level(prefixes[named], nothing_further, doubt);
  if (!window) publisher.missing_window(nothing_further, doubt);
}

}  // namespace tomograph::tlb
