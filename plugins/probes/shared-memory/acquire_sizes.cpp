#include <algorithm>
#include <array>

#include "acquire_access_times.hpp"
#include "analysis_sizes.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::shared_memory {

namespace {

constexpr const char* size_curve = "shared.size";

/// Narrows all brackets by one step. False if there are no sizes left between them.
bool narrow(const Session& session, std::array<Bracket, cta_counts.size()>& brackets) {
  std::vector<Program> programs;
  std::vector<std::size_t> owner;
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    for (const std::int64_t bytes : candidates(brackets[i])) {
      programs.push_back({.offsets = {bytes - word}, .accesses = 1, .ctas = cta_counts[i], .bytes = bytes});
      owner.push_back(i);
    }
  }
  if (programs.empty()) return false;
  const auto times = access_times(session, programs);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    Bracket& bracket = brackets[owner[i]];
    if (times[i]) {
      bracket.runs = std::max(bracket.runs, programs[i].bytes);
    } else {
      bracket.refused = std::min(bracket.refused, programs[i].bytes);
    }
  }
  return true;
}

Fact size_fact(const char* key, std::int64_t value, const char* method, std::size_t samples) {
  return {.key = key,
          .value = value,
          .method = method,
          .confidence = confidence::shared_memory::size,
          .samples = samples,
          .evidence = size_curve};
}

}  // namespace

void find_sizes(const Session& session) {
  expect_shared_memory(session);
  std::array<Bracket, cta_counts.size()> brackets;
  while (narrow(session, brackets)) {
  }
  std::array<std::int64_t, cta_counts.size()> largest{};
  std::vector<double> ctas;
  std::vector<double> bytes;
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    largest[i] = brackets[i].runs;
    ctas.push_back(static_cast<double>(cta_counts[i]));
    bytes.push_back(static_cast<double>(largest[i]));
  }
  session.evidence(size_curve, std::vector{column("ctas_per_sm", ctas), column("largest_bytes_per_cta", bytes)});
  session.publish(size_fact("shared.size_per_block", largest[0], "largest-launch", 1));
  const auto found = sm_size(largest);
  if (!found) {
    const std::string reason = "the largest CTAs of which 1, 2, 4 and 8 run on an SM do not add up to the same size";
    session.inconclusive("shared.size_per_sm", reason);
    session.inconclusive("shared.reserved_per_block", reason);
    return;
  }
  const auto samples = static_cast<std::size_t>(found->confirmed + 2);
  session.publish(size_fact("shared.size_per_sm", found->size, "largest-resident-ctas", samples));
  session.publish(size_fact("shared.reserved_per_block", found->reserved, "largest-resident-ctas", samples));
}

}  // namespace tomograph::shared_memory
