#include "cuda/memory/mapping.hpp"

#include <cuda.h>

#include <algorithm>

#include "tomograph/chase.hpp"
#include "tomograph/cuda/driver.hpp"
#include "tomograph/cuda/error.hpp"

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

CUmemAllocationProp on_device(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

}  // namespace

Mapping::Mapping(int device) : device_(device), functions_(std::make_unique<MappingFunctions>()) {
  if (!find_all(*functions_)) {
    obstacle_ = "the driver cannot map memory twice";
    return;
  }
  int supported = 0;
  const CUresult result =
      functions_->attribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device);
  if (result != CUDA_SUCCESS || supported == 0) obstacle_ = "the device cannot map memory twice";
}

Mapping::~Mapping() = default;

std::size_t Mapping::rounded_up(std::size_t bytes) const {
  const CUmemAllocationProp properties = on_device(device_);
  std::size_t granularity = 0;
  check_driver(functions_->granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
               "reading the granularity of memory mappings");
  const std::size_t multiple = std::max(granularity, alignment);
  return (bytes + multiple - 1) / multiple * multiple;
}

Mapping::Address Mapping::reserve(std::size_t bytes) const {
  CUdeviceptr address = 0;
  check_driver(functions_->reserve(&address, bytes, alignment, 0, 0), "reserving addresses");
  return address;
}

void Mapping::free(Address start, std::size_t bytes) const noexcept {
  static_cast<void>(functions_->free(start, bytes));
}

Mapping::Physical Mapping::allocate(std::size_t bytes) const {
  const CUmemAllocationProp properties = on_device(device_);
  CUmemGenericAllocationHandle handle = 0;
  check_driver(functions_->create(&handle, bytes, &properties, 0), "allocating physical memory");
  return handle;
}

void Mapping::release(Physical memory) const noexcept { static_cast<void>(functions_->release(memory)); }

void Mapping::map(Address start, std::size_t bytes, Physical memory) const {
  check_driver(functions_->map(start, bytes, 0, memory, 0), "mapping memory");
  CUmemAccessDesc access{};
  access.location = on_device(device_).location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const CUresult allowed = functions_->allow(start, bytes, &access, 1);
  if (allowed != CUDA_SUCCESS) unmap(start, bytes);
  check_driver(allowed, "allowing access to mapped memory");
}

void Mapping::unmap(Address start, std::size_t bytes) const noexcept {
  static_cast<void>(functions_->unmap(start, bytes));
}

}  // namespace tomograph::cuda
