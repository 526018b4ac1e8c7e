#ifndef TOMOGRAPH_CUDA_CHASE_ALIASED_ARRAYS_HPP
#define TOMOGRAPH_CUDA_CHASE_ALIASED_ARRAYS_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "cuda/memory/mapping.hpp"
#include "tomograph/chase.hpp"

/// Arrays that are mapped at several addresses.
namespace tomograph::cuda {

/// Arrays of a program with aliases: physical memory that is mapped at more than one address.
class AliasedArrays {
 public:
  /// @throws OutOfMemory, std::runtime_error.
  AliasedArrays(const Mapping& mapping, const std::vector<chase::Array>& arrays);
  AliasedArrays(const AliasedArrays&) = delete;
  AliasedArrays& operator=(const AliasedArrays&) = delete;
  ~AliasedArrays();

  /// First address of each array.
  [[nodiscard]] const std::vector<Address>& addresses() const { return addresses_; }
  /// Bytes of physical memory.
  [[nodiscard]] std::int64_t bytes() const { return owned_bytes_; }

 private:
  void map(std::size_t array, std::int64_t bytes);
  void release() noexcept;

  const Mapping* mapping_;
  std::vector<Mapping::Physical> physical_;  ///< of each array; aliases repeat that of their original
  std::vector<Mapping::Physical> owned_;     ///< each once
  std::int64_t owned_bytes_ = 0;
  std::vector<std::size_t> bytes_;
  std::vector<Address> addresses_;
  std::size_t mapped_ = 0;
};

/// Makes aliased arrays on one device. The programs of a wave have their own, which those of later waves use again:
/// mapping takes longer than most programs run.
class Mapper {
 public:
  explicit Mapper(int device) : mapping_(device) {}

  /// Why aliases are not possible here, or nothing.
  [[nodiscard]] const std::optional<std::string>& obstacle() const { return mapping_.obstacle(); }
  /// All arrays may be handed out again.
  void begin_wave() { used_.clear(); }
  /// Arrays that this wave does not use yet. Valid until they are dropped.
  const AliasedArrays& map(const std::vector<chase::Array>& arrays);
  /// Bytes of physical memory that all hold.
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  void drop();

 private:
  using Shape = std::vector<std::pair<std::int64_t, std::int64_t>>;  ///< bytes and alias of each array

  Mapping mapping_;
  std::map<Shape, std::vector<std::unique_ptr<AliasedArrays>>> mapped_;
  std::map<Shape, std::size_t> used_;  ///< by this wave
  std::int64_t bytes_ = 0;
};

}  // namespace tomograph::cuda

#endif
