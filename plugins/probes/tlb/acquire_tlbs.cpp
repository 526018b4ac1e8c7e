#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acquire_fill.hpp"
#include "acquire_level.hpp"
#include "acquire_matrix.hpp"
#include "acquire_memory.hpp"
#include "acquire_past_l2.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/tlb/memory.hpp"

namespace tomograph::tlb {

namespace {

constexpr std::array prefixes{"tlb.l1.", "tlb.l2.", "tlb.l3."};

/// What a level holds or, if its entries were not counted, what it holds at most: memory overflows it. Nothing if what
/// a miss brings is unknown, too.
std::optional<Held> most_held(const Memory& memory, const Findings& found) {
  if (found.entries) return Held{*found.entries, *found.entry_span};
  if (found.doubted) return found.doubted;
  // A distance that is the stride is an upper bound.
  if (!found.fill || found.fill->bytes <= found.fill->stride) return std::nullopt;
  return Held{memory.bytes / found.fill->bytes, found.fill->bytes};
}

/// Why a level is none behind one that is known; empty if nothing speaks against it.
std::string objection_beside(const Findings& before, const Held& held) {
  if (!before.entries) return {};
  if (held.entries < *before.entries)
    return "it has fewer entries, of wider spans, than the level before: it may as well cache parts of the page tables";
  // What the level before misses would miss this one, too.
  if (held.entries * held.span <= *before.entries * *before.entry_span)
    return "it reaches no further than the level before: both may be one level, whose misses take two times";
  return {};
}

/// Why a level that was found behind others is no TLB, or not another one; empty if nothing speaks against it. `known`
/// is the last one whose entries were counted, `before` the one before the level, if its entries were not.
std::string objection(const Memory& memory, const Matrix& matrix, const Findings& known, const Level* before,
                      const Findings& found) {
  const auto held = most_held(memory, found);
  if (!held) return {};
  if (before != nullptr && holds_no_more(matrix.cells, *before, held->span, held->entries))
    return "it holds no more pages, one to an entry, than the level before: it may as well cache parts of the page "
           "tables";
  return objection_beside(known, *held);
}

/// Why a second level may be there that the matrix does not show, since it keeps the pages that its walks time; empty
/// if nothing hints at it.
std::string level_that_keeps_first_pages(const Memory& memory, const Matrix& matrix, const Level& last) {
  const auto timed = wholly_timed(memory);
  return timed ? keeping_level(matrix, last, *timed) : "";
}

/// Why a level may be there that holds all pages of walks within L2; empty if nothing hints at it.
std::string level_that_holds_all_pages(const Memory& memory) {
  const auto walks = walks_past_l2(memory);
  return walks ? level_past_l2(*walks) : "";
}

/// Examines levels one after another and publishes each as a TLB or as the page-table window.
class LevelSearch {
 public:
  LevelSearch(const Memory& memory, const Matrix& matrix, const Publisher& publisher, std::vector<Level> levels)
      : memory_(memory), matrix_(matrix), publisher_(publisher), levels_(std::move(levels)) {}

  [[nodiscard]] std::size_t tlbs() const { return tlbs_; }
  [[nodiscard]] bool found_window() const { return window_; }

  /// Examines level `i`, unless `doubt` says why its times tell nothing.
  void publish(std::size_t i, const std::string& doubt) {
    const Level& level = levels_[i];
    const auto brought = level.resolvable() ? fill(memory_, level, matrix_.cells) : std::nullopt;
    if (brought && is_window(memory_, level, matrix_.cells, *brought, before_)) {
      publisher_.window(without_walk(levels_, i, matrix_.clock_step), *brought, doubt);
      window_ = true;
    } else if (tlbs_ < prefixes.size()) {
      publisher_.level(prefixes[tlbs_++], findings(i, brought, doubt));
    }
  }

 private:
  Findings findings(std::size_t i, const std::optional<Fill>& brought, const std::string& doubt) {
    const Level& level = levels_[i];
    const Level* next = i + 1 < levels_.size() ? &levels_[i + 1] : nullptr;
    Findings found =
        doubt.empty() ? examine(memory_, matrix_.cells, level, brought, before_, next) : not_examined(level, doubt);
    before_.evicting_pages = pages_that_evict(matrix_, level, found.entries, before_.evicting_pages);
    const std::string reason = objection(memory_, matrix_, last_, before_.uncounted, found);
    if (!reason.empty()) found = not_examined(level, reason);
    if (found.entries) last_ = found;
    before_.uncounted = found.entries ? nullptr : &level;
    if (!brought) before_.brought.reset();
    if (before_.brought) before_.brought = std::max(*before_.brought, brought->bytes);
    return found;
  }

  const Memory& memory_;
  const Matrix& matrix_;
  const Publisher& publisher_;
  std::vector<Level> levels_;
  std::size_t tlbs_ = 0;
  bool window_ = false;
  Before before_;
  Findings last_;  ///< of the last TLB whose entries were counted
};

}  // namespace

void find_tlbs(const Session& session) {
  Memory memory = spare_memory(session);
  memory.widest_spread = spread_within_pages(memory);
  const Matrix matrix = measure_matrix(memory);
  const Publisher publisher(session, memory, matrix.clock_step);
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
  LevelSearch search(memory, matrix, publisher, levels);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (doubt.empty()) doubt = unresolvable_level(levels[i]);
    search.publish(i, doubt);
    session.progress(0.2 + 0.8 * static_cast<double>(search.tlbs()) / static_cast<double>(levels.size()));
  }
  std::size_t named = search.tlbs();
  if (doubt.empty() && named == 1) doubt = level_that_keeps_first_pages(memory, matrix, levels.back());
  if (doubt.empty() && named < prefixes.size()) doubt = level_that_holds_all_pages(memory);
  give_memory_back(session);
  if (doubt.empty()) doubt = unclear_level(staircase);
  const std::string nothing_further =
      "no walk within the " + std::to_string(memory.bytes) + " B that are available shows such a level";
  for (; named < prefixes.size(); ++named) publisher.missing_level(prefixes[named], nothing_further, doubt);
  if (!search.found_window()) publisher.missing_window(nothing_further, doubt);
}

}  // namespace tomograph::tlb
