#include <array>

#include "accesses.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::shared_memory {

namespace {

/// Beyond any SM: where the search ends.
constexpr std::int64_t limit = std::int64_t{1} << 24;
/// Hardware hands out at least that much at a time.
constexpr std::int64_t granularity = 16;
constexpr std::array<std::int64_t, 4> cta_counts{1, 2, 4, 8};
constexpr const char* curve = "shared.size";

/// Between a size that runs and one that does not.
struct Bracket {
  std::int64_t runs = 0;
  std::int64_t refused = limit;
};

/// Sizes that divide the bracket evenly.
std::vector<std::int64_t> candidates(const Bracket& bracket) {
  constexpr std::int64_t parts = 16;
  std::vector<std::int64_t> sizes;
  const std::int64_t step = (bracket.refused - bracket.runs) / parts;
  for (std::int64_t i = 1; i < parts; ++i) {
    const std::int64_t size = (bracket.runs + i * step) / granularity * granularity;
    if (size > bracket.runs && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
  }
  return sizes;
}

/// Narrows all brackets by one step. False once there is nothing between them.
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
  const auto paces = pace(session, programs);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    Bracket& bracket = brackets[owner[i]];
    if (paces[i]) {
      bracket.runs = std::max(bracket.runs, programs[i].bytes);
    } else {
      bracket.refused = std::min(bracket.refused, programs[i].bytes);
    }
  }
  return true;
}

/// Each CTA takes r bytes beside its own: n (bytes + r) = size for the largest CTAs of which n fit. Two counts n and 2n
/// give size and r; the next ones confirm them.
struct SmSize {
  std::int64_t size = 0;
  std::int64_t reserved = 0;
  std::int64_t confirmed = 0;  ///< by how many further counts
};

std::optional<SmSize> sm_size(const std::array<std::int64_t, cta_counts.size()>& largest) {
  for (std::size_t i = 0; i + 1 < largest.size(); ++i) {
    const std::int64_t ctas = cta_counts[i];
    const std::int64_t size = 2 * ctas * (largest[i] - largest[i + 1]);
    if (size <= 0 || largest[i + 1] == 0 || size % ctas != 0) continue;
    SmSize found{size, size / ctas - largest[i], 0};
    for (std::size_t k = i + 2; k < largest.size(); ++k) {
      if (cta_counts[k] * (largest[k] + found.reserved) == size) ++found.confirmed;
    }
    if (found.reserved >= 0 && found.confirmed > 0) return found;
  }
  return std::nullopt;
}

Fact size_fact(const char* key, std::int64_t value, const char* method, std::size_t samples) {
  return {.key = key,
          .value = value,
          .method = method,
          .confidence = confidence::shared_memory::size,
          .samples = samples,
          .evidence = curve};
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
  session.evidence(curve, std::vector{column("ctas_per_sm", ctas), column("largest_bytes_per_cta", bytes)});
  session.publish(size_fact("shared.size_per_block", largest[0], "largest-launch", 1));
  const auto found = sm_size(largest);
  if (!found) {
    const std::string reason = "the largest CTAs of which 1, 2, 4 and 8 run on an SM do not add up to one size";
    session.inconclusive("shared.size_per_sm", reason);
    session.inconclusive("shared.reserved_per_block", reason);
    return;
  }
  const auto samples = static_cast<std::size_t>(found->confirmed + 2);
  session.publish(size_fact("shared.size_per_sm", found->size, "largest-resident-ctas", samples));
  session.publish(size_fact("shared.reserved_per_block", found->reserved, "largest-resident-ctas", samples));
}

}  // namespace tomograph::shared_memory
