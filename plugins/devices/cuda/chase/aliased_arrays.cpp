#include "cuda/chase/aliased_arrays.hpp"

namespace tomograph::cuda {

AliasedArrays::AliasedArrays(const Mapping& mapping, const std::vector<chase::Array>& arrays) : mapping_(&mapping) {
  try {
    for (const chase::Array& array : arrays) {
      if (array.alias == chase::no_alias) {
        map(physical_.size(), array.bytes);
      } else {
        physical_.push_back(physical_[static_cast<std::size_t>(array.alias)]);
        map(physical_.size() - 1, array.bytes);
      }
    }
  } catch (...) {
    release();
    throw;
  }
}

void AliasedArrays::map(std::size_t array, std::int64_t bytes) {
  const std::size_t size = mapping_->rounded_up(static_cast<std::size_t>(bytes));
  if (array == physical_.size()) {
    owned_.push_back(mapping_->allocate(size));
    owned_bytes_ += static_cast<std::int64_t>(size);
    physical_.push_back(owned_.back());
  }
  addresses_.push_back(mapping_->reserve(size));
  bytes_.push_back(size);
  mapping_->map(addresses_.back(), size, physical_[array]);
  ++mapped_;
}

void AliasedArrays::release() noexcept {
  for (std::size_t i = 0; i < mapped_; ++i) mapping_->unmap(addresses_[i], bytes_[i]);
  for (std::size_t i = 0; i < addresses_.size(); ++i) mapping_->free(addresses_[i], bytes_[i]);
  for (const Mapping::Physical memory : owned_) mapping_->release(memory);
}

AliasedArrays::~AliasedArrays() { release(); }

const AliasedArrays& Mapper::map(const std::vector<chase::Array>& arrays) {
  Shape shape;
  for (const chase::Array& array : arrays) shape.emplace_back(array.bytes, array.alias);
  auto& mapped = mapped_[shape];
  std::size_t& used = used_[shape];
  if (used == mapped.size()) {
    mapped.push_back(std::make_unique<AliasedArrays>(mapping_, arrays));
    bytes_ += mapped.back()->bytes();
  }
  return *mapped[used++];
}

void Mapper::drop() {
  mapped_.clear();
  used_.clear();
  bytes_ = 0;
}

}  // namespace tomograph::cuda
