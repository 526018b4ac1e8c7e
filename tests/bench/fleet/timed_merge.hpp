#ifndef TOMOGRAPH_BENCH_TIMED_MERGE_HPP
#define TOMOGRAPH_BENCH_TIMED_MERGE_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace tomograph::bench {

struct Merge {
  double seconds = 0;
  double of_processor = 0;
  double mebibytes = 0;               ///< greatest resident memory
  std::vector<std::string> odd;       ///< lines "GPU is odd: reason"
  std::vector<std::string> left_out;  ///< complaints about files that do not count
};

/// Runs `PROGRAM fleet FILE... -o OUTPUT`. @throws std::runtime_error if it fails.
[[nodiscard]] Merge timed_merge(const std::filesystem::path& program, const std::vector<std::filesystem::path>& files,
                                const std::filesystem::path& output);

}  // namespace tomograph::bench

#endif
