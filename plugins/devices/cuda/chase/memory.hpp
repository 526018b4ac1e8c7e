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

/// Arrays that are mapped at several addresses.
namespace tomograph::cuda {

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
