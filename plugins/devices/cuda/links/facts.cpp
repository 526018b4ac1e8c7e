#include "cuda/links/facts.hpp"

#include "cuda/facts.hpp"
#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

/// Whether CUDA answered. What concerns another GPU only, and fails, is no reason to refuse this one.
bool is_answered(cudaError_t error) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error == cudaSuccess;
}

/// The UUIDs of all GPUs by number, "" of one that cannot be read.
Value uuids() {
  Value list = Value::list();
  for (int gpu = 0; gpu < device_count(); ++gpu) {
    cudaDeviceProp properties{};
    const bool is_readable = is_answered(cudaGetDeviceProperties(&properties, gpu));
    list.push_back(is_readable ? uuid_of(properties) : "");
  }
  return list;
}

/// Pairs: number of a peer, and whether it has the attribute.
Value of_peers(int device, int count, cudaDeviceP2PAttr which) {
  Value pairs = Value::list();
  for (int peer = 0; peer < count; ++peer) {
    int value = 0;
    if (peer == device || !is_answered(cudaDeviceGetP2PAttribute(&value, which, device, peer))) continue;
    pairs.push_back(Value::list(peer, value != 0));
  }
  return pairs;
}

void publish_host_link(const Session& session, const Nvml& nvml) {
  if (nvml.has_chip_to_chip_link()) {
    publish_api_fact(session, "device.host_link_type", "NVLink-C2C", "", "nvmlDeviceGetC2cModeInfoV");
    return;
  }
  if (const auto generation = nvml.pcie_generation()) {
    publish_api_fact(session, "device.host_link_type", "PCIe", "", "nvmlDeviceGetMaxPcieLinkGeneration");
    publish_api_fact(session, "device.host_link_version", std::to_string(*generation) + ".0", "",
                     "nvmlDeviceGetMaxPcieLinkGeneration");
  }
  if (const auto lanes = nvml.pcie_lanes()) {
    publish_api_fact(session, "device.host_link_width", *lanes, "1", "nvmlDeviceGetMaxPcieLinkWidth");
  }
}

void publish_nvml(const Session& session, const Nvml& nvml) {
  if (const auto links = nvml.nvlinks()) {
    publish_api_fact(session, "device.link_type", "NVLink", "", "nvmlDeviceGetNvLinkState");
    publish_api_fact(session, "device.link_version", links->version, "", "nvmlDeviceGetNvLinkVersion");
    publish_api_fact(session, "device.link_width", links->width, "1", "nvmlDeviceGetNvLinkState");
  }
  publish_host_link(session, nvml);
  if (const auto node = nvml.nearest_numa_node()) {
    publish_api_fact(session, "device.numa_node", *node, "1", "nvmlDeviceGetMemoryAffinity");
  }
}

}  // namespace

void publish_link_facts(const Session& session, const Nvml& nvml, int device) {
  const Value gpus = uuids();
  const auto count = static_cast<int>(gpus.elements().size());
  publish_api_fact(session, "device.gpus", gpus, "", "cudaGetDeviceProperties");
  publish_api_fact(session, "device.gpu", device, "1", "cudaGetDeviceCount");
  publish_nvml(session, nvml);
  if (count < 2) return;
  constexpr const char* method = "cudaDeviceGetP2PAttribute";
  publish_api_fact(session, "device.peer_access", of_peers(device, count, cudaDevP2PAttrAccessSupported), "", method);
  publish_api_fact(session, "device.native_atomics", of_peers(device, count, cudaDevP2PAttrNativeAtomicSupported), "",
                   method);
}

}  // namespace tomograph::cuda
