#ifndef TOMOGRAPH_CUDA_MEMORY_MAPPING_HPP
#define TOMOGRAPH_CUDA_MEMORY_MAPPING_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tomograph::cuda {

/// The driver's functions for mapping physical memory, found at run time, so that this library loads without a driver.
struct MappingFunctions;

/// Physical memory of one device and the addresses at which it appears. Functions throw OutOfMemory or
/// std::runtime_error.
class Mapping {
 public:
  using Address = std::uint64_t;
  using Physical = std::uint64_t;

  explicit Mapping(int device);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  /// Why this is not possible here, or nothing. Nothing else may be called then.
  [[nodiscard]] const std::optional<std::string>& obstacle() const { return obstacle_; }
  /// `bytes`, rounded up to what can be allocated and holds whole arrays of a chase.
  [[nodiscard]] std::size_t rounded_up(std::size_t bytes) const;

  /// Addresses without memory, which start at a multiple of the alignment of a chase's arrays.
  [[nodiscard]] Address reserve(std::size_t bytes) const;
  void free(Address start, std::size_t bytes) const noexcept;
  [[nodiscard]] Physical allocate(std::size_t bytes) const;
  /// It stays allocated while it is mapped.
  void release(Physical memory) const noexcept;
  void map(Address start, std::size_t bytes, Physical memory) const;
  void unmap(Address start, std::size_t bytes) const noexcept;

 private:
  int device_;
  std::unique_ptr<MappingFunctions> functions_;
  std::optional<std::string> obstacle_;
};

}  // namespace tomograph::cuda

#endif
