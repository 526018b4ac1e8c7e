#include "cuda/chase/memory.hpp"

#include <cuda.h>

#include <algorithm>

#include "tomograph/cuda/driver.hpp"

namespace tomograph::cuda {

struct MappingFunctions {
  decltype(&cuDeviceGetAttribute) attribute = nullptr;
  decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) free = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) allow = nullptr;
};

namespace {

constexpr auto alignment = static_cast<std::size_t>(chase::array_alignment);

std::size_t rounded_up(std::size_t bytes, std::size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }

/// Sets `function` to the driver's function of that name. Returns whether there is one.
template <typename Function>
bool find(const char* name, Function& function) {
  function = driver_function<Function>(name);
  return function != nullptr;
}

bool find_all(MappingFunctions& functions) {
  return find("cuDeviceGetAttribute", functions.attribute) &&
         find("cuMemGetAllocationGranularity", functions.granularity) && find("cuMemCreate", functions.create) &&
         find("cuMemRelease", functions.release) && find("cuMemAddressReserve", functions.reserve) &&
         find("cuMemAddressFree", functions.free) && find("cuMemMap", functions.map) &&
         find("cuMemUnmap", functions.unmap) && find("cuMemSetAccess", functions.allow);
}

void check_driver(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const std::string reason = std::string(what) + ": driver error " + std::to_string(result);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(reason);
  throw std::runtime_error(reason);
}

CUmemAllocationProp on_device(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

}  // namespace

AliasedArrays::AliasedArrays(const MappingFunctions& functions, int device, const std::vector<chase::Array>& arrays)
    : functions_(&functions) {
  try {
    for (const chase::Array& array : arrays) {
      if (array.alias == chase::no_alias) {
        map(physical_.size(), array.bytes, device);
      } else {
        physical_.push_back(physical_[static_cast<std::size_t>(array.alias)]);
        map(physical_.size() - 1, array.bytes, device);
      }
    }
  } catch (...) {
    release();
    throw;
  }
}

void AliasedArrays::map(std::size_t array, std::int64_t bytes, int device) {
  const CUmemAllocationProp properties = on_device(device);
  std::size_t granularity = 0;
  check_driver(functions_->granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
               "reading the granularity of memory mappings");
  const std::size_t size = rounded_up(static_cast<std::size_t>(bytes), std::max(granularity, alignment));
  if (array == physical_.size()) {
    CUmemGenericAllocationHandle handle = 0;
    check_driver(functions_->create(&handle, size, &properties, 0), "allocating physical memory");
    owned_.push_back(handle);
    owned_bytes_ += static_cast<std::int64_t>(size);
    physical_.push_back(handle);
  }
  CUdeviceptr address = 0;
  check_driver(functions_->reserve(&address, size, alignment, 0, 0), "reserving addresses");
  addresses_.push_back(address);
  bytes_.push_back(size);
  check_driver(functions_->map(address, size, 0, physical_[array], 0), "mapping memory");
  ++mapped_;
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  check_driver(functions_->allow(address, size, &access, 1), "allowing access to mapped memory");
}

void AliasedArrays::release() noexcept {
  for (std::size_t i = 0; i < mapped_; ++i) static_cast<void>(functions_->unmap(addresses_[i], bytes_[i]));
  for (std::size_t i = 0; i < addresses_.size(); ++i) static_cast<void>(functions_->free(addresses_[i], bytes_[i]));
  for (const std::uint64_t handle : owned_) static_cast<void>(functions_->release(handle));
}

AliasedArrays::~AliasedArrays() { release(); }

Mapper::Mapper(int device) : device_(device), functions_(std::make_unique<MappingFunctions>()) {
  if (!find_all(*functions_)) {
    obstacle_ = "the driver cannot map memory twice";
    return;
  }
  int supported = 0;
  const CUresult result =
      functions_->attribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device);
  if (result != CUDA_SUCCESS || supported == 0) obstacle_ = "the device cannot map memory twice";
}

Mapper::~Mapper() = default;

const AliasedArrays& Mapper::map(const std::vector<chase::Array>& arrays) {
  Shape shape;
  for (const chase::Array& array : arrays) shape.emplace_back(array.bytes, array.alias);
  auto& mapped = mapped_[shape];
  std::size_t& used = used_[shape];
  if (used == mapped.size()) {
    mapped.push_back(std::make_unique<AliasedArrays>(*functions_, device_, arrays));
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
