#ifndef TOMOGRAPH_L2_SLICES_ANALYSIS_FUNCTION_HPP
#define TOMOGRAPH_L2_SLICES_ANALYSIS_FUNCTION_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis_remainder.hpp"
#include "tomograph/analysis/linear_index.hpp"

/// How the number of a line within its page chooses the slice. Vectors are line numbers: bit 0 tells a line from the
/// next one.
namespace tomograph::l2_slices {

/// A line whose slice contention determined.
struct HomeOfLine {
  std::int64_t line = 0;
  std::size_t slice = 0;
};

/// Some lines of a page, numbered from its start, and their clusters or `no_cluster`.
struct LinesOfPage {
  std::vector<std::int64_t> lines = {};
  std::vector<int> clusters = {};
};

/// What is known of the lines of a page, and of others.
struct PageOfLines {
  std::vector<int> cluster = {};                   ///< by line, or `no_cluster`
  std::vector<HomeOfLine> homes = {};              ///< of some lines, or of none
  std::vector<std::size_t> cluster_of_slice = {};  ///< by slice; empty if slices are not known
  std::vector<LinesOfPage> others = {};            ///< of other pages
};

enum class FunctionKind : std::uint8_t {
  xor_masks,  ///< parities of line & mask number the slices
  remainder,  ///< these, and the remainder by an odd factor of a number whose bits are parities, too
  table       ///< parities number the entries of a table, which holds clusters rather than slices
};

struct SliceFunction {
  FunctionKind kind = FunctionKind::table;
  analysis::Basis masks = {};        ///< of the parities
  analysis::Basis slice_masks = {};  ///< those whose parity is the same for all lines of a slice
  std::int64_t factor = 1;           ///< of the remainder
  HashedNumber number = {};          ///< that is divided
  std::vector<int> entries = {};  ///< cluster by parities, less significant first, then by remainder; or `no_cluster`
  std::size_t tested = 0;         ///< lines that were not used to find the function
  std::size_t wrong = 0;          ///< those of them that it predicts in another cluster
  std::size_t pages = 1;          ///< that follow it
};

/// A function, or the reason why there is none.
struct FoundFunction {
  std::optional<SliceFunction> function = {};
  std::string reason = {};
};

/// The simplest function that predicts the clusters of lines which were not used to find it, right in 999 of 1000
/// cases. Masks and the remainder of a shifted line number follow from `homes` and are tested on all other lines; a
/// table, and a number whose remainder explains it, follow from three quarters of the lines and are tested on the last
/// one. The address bits above a page invert parities, and add to the number. Which ones in another page follows from
/// half of its lines, and is tested on the others. A table is that of the first page alone.
[[nodiscard]] FoundFunction find_function(const PageOfLines& page);

/// The number of the entry of `function` for a line.
[[nodiscard]] std::size_t entry_of(const SliceFunction& function, std::int64_t line);

}  // namespace tomograph::l2_slices

#endif
