// Lists when the GPU was busy: the CUDA driver loads this into a program if CUDA_INJECTION64_PATH names it. Each line
// of the file that TOMOGRAPH_GPU_ACTIVITY names is a kernel, copy or fill: its begin and its end in nanoseconds.
#include <cupti.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
/// The program may end without a word: what is older than this has been written by then.
constexpr std::chrono::milliseconds rest{50};

std::FILE* file = nullptr;

void provide(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;
}

template <typename Record>
void write(const CUpti_Activity* record) {
  const auto* activity = reinterpret_cast<const Record*>(record);
  std::fprintf(file, "%llu %llu\n", static_cast<unsigned long long>(activity->start),
               static_cast<unsigned long long>(activity->end));
}

void take(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer, std::size_t /*size*/,
          std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: write<CUpti_ActivityKernel9>(record); break;
      case CUPTI_ACTIVITY_KIND_MEMCPY: write<CUpti_ActivityMemcpy5>(record); break;
      case CUPTI_ACTIVITY_KIND_MEMSET: write<CUpti_ActivityMemset4>(record); break;
      default: break;
    }
  }
  std::fflush(file);
  std::free(buffer);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  const char* path = std::getenv("TOMOGRAPH_GPU_ACTIVITY");
  file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return 0;
  cuptiActivityRegisterCallbacks(provide, take);
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
    cuptiActivityEnable(kind);
  }
  std::thread([] {
    while (true) {
      std::this_thread::sleep_for(rest);
      cuptiActivityFlushAll(0);
    }
  }).detach();
  return 1;
}
