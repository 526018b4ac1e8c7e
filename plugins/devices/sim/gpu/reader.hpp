#ifndef TOMOGRAPH_SIM_GPU_READER_HPP
#define TOMOGRAPH_SIM_GPU_READER_HPP

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "sim/gpu/description.hpp"

namespace tomograph::sim {

/// What is wrong with a description, one line for each problem: "file:line:column: key: what was expected".
class DescriptionError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The GPU that a TOML text describes. `file` is the name that errors give it.
/// @throws DescriptionError if the text breaks the schema of simulated GPUs, or describes an impossible geometry.
[[nodiscard]] Gpu parse_gpu(std::string_view text, std::string_view file);

/// The GPU that a file describes. @throws DescriptionError, also if the file cannot be read.
[[nodiscard]] Gpu read_gpu(const std::filesystem::path& file);

}  // namespace tomograph::sim

#endif
