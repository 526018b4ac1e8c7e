#ifndef TOMOGRAPH_CUDA_CHASE_TEXTURES_HPP
#define TOMOGRAPH_CUDA_CHASE_TEXTURES_HPP

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/memory.hpp"

/// Texture objects on the current device.
namespace tomograph::cuda {

/// Global memory as a texture of texels of 4, 8 or 16 bytes. A texel out of range reads as zero.
class LinearTexture {
 public:
  /// @throws std::runtime_error.
  LinearTexture(Address start, std::int64_t bytes, std::int64_t texel_bytes = 8);
  ~LinearTexture();
  LinearTexture(const LinearTexture&) = delete;
  LinearTexture& operator=(const LinearTexture&) = delete;

  [[nodiscard]] std::uint64_t texture() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
};

/// A two-dimensional array of 8-byte texels in the device's own layout. A texel out of range reads as zero.
class ArrayTexture {
 public:
  /// @throws OutOfMemory, std::runtime_error.
  ArrayTexture(std::int64_t width, std::int64_t height);
  ~ArrayTexture();
  ArrayTexture(const ArrayTexture&) = delete;
  ArrayTexture& operator=(const ArrayTexture&) = delete;

  [[nodiscard]] std::uint64_t texture() const { return texture_; }
  [[nodiscard]] std::uint64_t surface() const { return surface_; }
  /// Makes texel (0, 0) zero.
  void clear_origin() const;

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t texture_ = 0;
  cudaSurfaceObject_t surface_ = 0;
};

/// A node of each kind that points to itself.
class ScratchNodes {
 public:
  /// @throws OutOfMemory, std::runtime_error.
  ScratchNodes();
  [[nodiscard]] Scratch get() const;

 private:
  DeviceBuffer memory_;
  std::optional<LinearTexture> texture_;
  ArrayTexture array_texture_;
};

/// The textures of the programs. Waves run one after another and reuse them, and so do batches: to allocate them takes
/// longer than to walk them.
class Textures {
 public:
  /// The texture over these bytes of global memory. Call `drop_linear` when other memory takes their place.
  [[nodiscard]] std::uint64_t linear(Address start, std::int64_t bytes);
  /// A texture that no other program of the wave has, with what an earlier wave may have left there.
  /// @throws OutOfMemory, std::runtime_error.
  [[nodiscard]] const ArrayTexture& array_texture(std::int64_t width, std::int64_t height);
  /// Makes all array textures free again.
  void begin_wave() { used_.clear(); }
  void drop_linear() { linear_.clear(); }
  /// Of all array textures.
  [[nodiscard]] std::int64_t array_bytes() const { return array_bytes_; }
  /// Drops all textures.
  void drop();

 private:
  using Size = std::pair<std::int64_t, std::int64_t>;
  std::map<std::pair<Address, std::int64_t>, LinearTexture> linear_;
  std::map<Size, std::vector<std::unique_ptr<ArrayTexture>>> array_textures_;
  std::map<Size, std::size_t> used_;
  std::int64_t array_bytes_ = 0;
};

}  // namespace tomograph::cuda

#endif
