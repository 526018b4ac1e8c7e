#ifndef TOMOGRAPH_CUDA_CHASE_MEMORY_HPP
#define TOMOGRAPH_CUDA_CHASE_MEMORY_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "tomograph/chase.hpp"
#include "tomograph/cuda/memory.hpp"

/// Where the arrays of a program lie.
namespace tomograph::cuda {

/// One allocation, which the arrays of all waves share in turn.
class Arena {
 public:
  /// Makes the arena hold at least `bytes`: at once `most`, if it can, and for as long as nobody else needs memory.
  /// Memory that was allocated before is worse: an H200 reads it 13 % slower, in every later allocation of the process,
  /// and takes 0.4 s to hand out 70 GB of it, in place of 6 ms. @throws OutOfMemory; it is empty then.
  void reserve(std::int64_t bytes, std::int64_t most);
  void release() { buffer_.release_all(); }
  /// Start of the arena, a multiple of the alignment of arrays.
  [[nodiscard]] Address base() const;

 private:
  DeviceBuffer buffer_;
};

/// The driver's functions for mapping physical memory. They are found at run time, so that this library loads without a
/// driver.
struct MappingFunctions;

/// Arrays of a program with aliases: physical memory that is mapped at more than one address.
class AliasedArrays {
 public:
  /// @throws OutOfMemory, std::runtime_error.
  AliasedArrays(const MappingFunctions& functions, int device, const std::vector<chase::Array>& arrays);
  AliasedArrays(const AliasedArrays&) = delete;
  AliasedArrays& operator=(const AliasedArrays&) = delete;
  ~AliasedArrays();

  /// First address of each array.
  [[nodiscard]] const std::vector<Address>& addresses() const { return addresses_; }
  /// Bytes of physical memory.
  [[nodiscard]] std::int64_t bytes() const { return owned_bytes_; }

 private:
  void map(std::size_t array, std::int64_t bytes, int device);
  void release() noexcept;

  const MappingFunctions* functions_;
  std::vector<std::uint64_t> physical_;  ///< one handle per array; aliases repeat the handle of their original
  std::vector<std::uint64_t> owned_;     ///< every handle once
  std::int64_t owned_bytes_ = 0;
  std::vector<std::size_t> bytes_;
  std::vector<Address> addresses_;
  std::size_t mapped_ = 0;
};

/// Makes aliased arrays on one device. The programs of a wave have their own, which those of later waves use again:
/// mapping takes longer than most programs run.
class Mapper {
 public:
  explicit Mapper(int device);
  ~Mapper();
  Mapper(const Mapper&) = delete;
  Mapper& operator=(const Mapper&) = delete;

  /// Why aliases are not possible here, or nothing.
  [[nodiscard]] const std::optional<std::string>& obstacle() const { return obstacle_; }
  /// All arrays may be handed out again.
  void begin_wave() { used_.clear(); }
  /// Arrays that this wave does not use yet. Valid until they are dropped.
  const AliasedArrays& map(const std::vector<chase::Array>& arrays);
  /// Bytes of physical memory that all hold.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  void drop();

 private:
  using Shape = std::vector<std::pair<std::int64_t, std::int64_t>>;  ///< bytes and alias of each array

  int device_;
  std::unique_ptr<MappingFunctions> functions_;
  std::optional<std::string> obstacle_;
  std::map<Shape, std::vector<std::unique_ptr<AliasedArrays>>> mapped_;
  std::map<Shape, std::size_t> used_;  ///< by this wave
  std::int64_t bytes_ = 0;
};

}  // namespace tomograph::cuda

#endif
