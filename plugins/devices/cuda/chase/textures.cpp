#include "cuda/chase/textures.hpp"

#include <array>

#include "tomograph/cuda/error.hpp"

namespace tomograph::cuda {

namespace {

constexpr std::int64_t node_texel_bytes = 8;
/// Of the scratch texel: textures must be aligned.
constexpr std::int64_t texel_offset = 512;

/// A texel of one, two or four words.
cudaChannelFormatDesc texel(std::int64_t bytes) {
  const int second = bytes > 4 ? 32 : 0;
  const int last = bytes > 8 ? 32 : 0;
  return {32, second, last, last, cudaChannelFormatKindUnsigned};
}

cudaTextureObject_t texture_over(const cudaResourceDesc& resource) {
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
  description.filterMode = cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "creating a texture");
  return texture;
}

}  // namespace

LinearTexture::LinearTexture(Address start, std::int64_t bytes, std::int64_t texel_bytes) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = pointer_to(start);
  resource.res.linear.desc = texel(texel_bytes);
  resource.res.linear.sizeInBytes = static_cast<std::size_t>(bytes);
  texture_ = texture_over(resource);
}

LinearTexture::~LinearTexture() { static_cast<void>(cudaDestroyTextureObject(texture_)); }

ArrayTexture::ArrayTexture(std::int64_t width, std::int64_t height) {
  const cudaChannelFormatDesc description = texel(node_texel_bytes);
  check(cudaMallocArray(&array_, &description, static_cast<std::size_t>(width), static_cast<std::size_t>(height),
                        cudaArraySurfaceLoadStore),
        "allocating texture memory");
  try {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    texture_ = texture_over(resource);
    check(cudaCreateSurfaceObject(&surface_, &resource), "creating a surface");
  } catch (...) {
    if (texture_ != 0) static_cast<void>(cudaDestroyTextureObject(texture_));
    static_cast<void>(cudaFreeArray(array_));
    throw;
  }
}

ArrayTexture::~ArrayTexture() {
  static_cast<void>(cudaDestroySurfaceObject(surface_));
  static_cast<void>(cudaDestroyTextureObject(texture_));
  static_cast<void>(cudaFreeArray(array_));
}

void ArrayTexture::clear_origin() const {
  constexpr std::array<std::uint32_t, 2> zero{};
  check(cudaMemcpy2DToArray(array_, 0, 0, zero.data(), sizeof(zero), sizeof(zero), 1, cudaMemcpyHostToDevice),
        "writing the scratch texel");
}

ScratchNodes::ScratchNodes() : array_texture_(1, 1) {
  memory_.reserve(texel_offset + node_texel_bytes);
  check(cudaMemset(memory_.data(), 0, texel_offset + node_texel_bytes), "writing the scratch texel");
  const auto node = reinterpret_cast<Address>(memory_.data());
  check(cudaMemcpy(memory_.data(), &node, sizeof(node), cudaMemcpyHostToDevice), "writing the scratch node");
  texture_.emplace(node + texel_offset, node_texel_bytes);
  array_texture_.clear_origin();
}

Scratch ScratchNodes::get() const {
  return {reinterpret_cast<Address>(memory_.data()), texture_->texture(), array_texture_.texture()};
}

std::uint64_t Textures::linear(Address start, std::int64_t bytes) {
  return linear_.try_emplace({start, bytes}, start, bytes).first->second.texture();
}

void Textures::drop() {
  drop_linear();
  array_textures_.clear();
  used_.clear();
  array_bytes_ = 0;
}

const ArrayTexture& Textures::array_texture(std::int64_t width, std::int64_t height) {
  auto& array_textures = array_textures_[{width, height}];
  std::size_t& used = used_[{width, height}];
  if (used == array_textures.size()) {
    array_textures.push_back(std::make_unique<ArrayTexture>(width, height));
    array_bytes_ += width * height * node_texel_bytes;
  }
  return *array_textures[used++];
}

}  // namespace tomograph::cuda
