#include <array>
#include <string>

#include "questions.hpp"
#include "tomograph/tlb/walk.hpp"

namespace tomograph::classical_methods {
namespace {

constexpr const char* missed_key = "tlb.l2.missed_pages_by_size";
constexpr std::int64_t most_tlb_sets = 64;  // each page more than the entries overflows one more set
constexpr std::int64_t tlb_passes = 5;      // the median ignores two that were interrupted

tlb::Memory memory_of(const Session& session, std::int64_t bytes) {
  constexpr std::int64_t most_timed = 2048;  // 16 KiB of the shared memory of any GPU
  return {.execute = cache::executor(session),
          .bytes = bytes,
          .line = session.needed<std::int64_t>("l2.line_size"),
          .most_visits = most_timed / 2,
          .most_timed = most_timed};
}

}  // namespace

void follow_mei_tlb(const Session& session) {
  const auto entries = session.needed<std::int64_t>("tlb.l2.entries");
  const auto span = session.needed<std::int64_t>("tlb.l2.entry_span");
  // Between a visit that the second level serves and one that it does not.
  const double threshold =
      session.needed<double>("tlb.l1.miss_penalty") + session.needed<double>("tlb.l2.miss_penalty") / 2;
  const tlb::Memory memory = memory_of(session, (entries + most_tlb_sets) * span);
  Value pairs = Value::list();
  std::vector<double> bytes;
  std::vector<double> missed;
  for (std::int64_t pages = entries + 1; pages < entries + most_tlb_sets; ++pages) {
    const auto seen = tlb::extra_latency(memory, {.pages = tlb::evenly(span, pages),
                                                  .unit = memory.spread(span),
                                                  .passes = tlb_passes,
                                                  .warm = tlb::warming_walks(pages)});
    std::int64_t count = 0;
    for (const double cycles : seen.medians()) count += cycles > threshold ? 1 : 0;
    pairs.push_back(Value::list(pages * span, count));
    bytes.push_back(static_cast<double>(pages * span));
    missed.push_back(static_cast<double>(count));
    if (count == pages) break;
  }
  session.evidence(missed_key, std::array{cache::column("bytes", bytes), cache::column("pages_missed", missed)});
  session.publish({.key = missed_key,
                   .value = pairs,
                   .method = "mei2017",
                   .confidence = unverified,
                   .samples = bytes.size(),
                   .evidence = missed_key});
}

}  // namespace tomograph::classical_methods
