#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "conformance/elf_file.hpp"
#include "loading/descriptors.hpp"
#include "loading/library.hpp"
#include "memory_file.hpp"

namespace {

namespace host = tomograph::host;

/// Makes descriptors out of bytes: every field is what the bytes say, and pointers are null or lead to further
/// descriptors and strings made the same way, as they would in a library that can be loaded.
class Maker {
 public:
  Maker(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  const tomograph_plugin* plugin() {
    auto& made = filled<tomograph_plugin>();
    made.id = text();
    made.version = text();
    made.description = text();
    made.probes =
        some<tomograph_probe>(made.probe_count, [this](auto& probe) { question(probe), probe.method = text(); });
    made.models = some<tomograph_model>(made.model_count, [this](auto& model) { question(model); });
    made.devices = some<tomograph_device>(made.device_count, [this](auto& device) {
      device.id = text();
      device.description = text();
      device.target_help = text();
      device.parameters = parameters(device.parameter_count);
    });
    made.executors = some<tomograph_executor>(made.executor_count, [this](auto& executor) {
      executor.experiment = text();
      executor.device = text();
      executor.description = text();
    });
    made.exporters = some<tomograph_exporter>(made.exporter_count, [this](auto& exporter) {
      exporter.id = text();
      exporter.description = text();
      exporter.suffix = text();
      exporter.parameters = parameters(exporter.parameter_count);
    });
    return &made;
  }

 private:
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

  /// A struct with its bytes from the input. It stays where it is.
  template <typename T>
  T& filled() {
    auto& memory = memory_.emplace_back(sizeof(T));
    const std::size_t taken = left_ < sizeof(T) ? left_ : sizeof(T);
    std::memcpy(memory.data(), data_, taken);
    data_ += taken;
    left_ -= taken;
    return *reinterpret_cast<T*>(memory.data());
  }

  const char* text() {
    const std::size_t length = byte();
    if (length == 255) return nullptr;
    std::string& made = texts_.emplace_back();
    if (length == 254) made.assign(20'000, 'a');  // more than any text may have
    while (made.size() < length && left_ > 0) made += static_cast<char>(byte());
    return made.c_str();
  }

  /// At most eight elements; a count of the input that is absurd stays as it is, and leads nowhere.
  template <typename T, typename Complete>
  const T* const* some(std::uint32_t& count, Complete complete) {
    constexpr std::uint32_t absurd = 4097;
    if (count >= absurd) return nullptr;
    count %= 8;
    auto& pointers = pointers_.emplace_back();
    for (std::uint32_t i = 0; i < count; ++i) {
      if (byte() == 255) {
        pointers.push_back(nullptr);
        continue;
      }
      T& made = filled<T>();
      if (byte() != 255) made.struct_size = sizeof(T);
      complete(made);
      pointers.push_back(&made);
    }
    return reinterpret_cast<const T* const*>(pointers.data());
  }

  const tomograph_parameter_spec* const* parameters(std::uint32_t& count) {
    return some<tomograph_parameter_spec>(count, [this](auto& spec) {
      spec.name = text();
      spec.default_json = text();
      spec.help = text();
    });
  }

  template <typename T>
  void question(T& probe) {
    probe.id = text();
    probe.question = text();
    probe.provides = some<tomograph_fact_spec>(probe.provides_count, [this](auto& spec) {
      spec.key = text();
      spec.unit = text();
      spec.help = text();
    });
    probe.needs = some<tomograph_need>(probe.needs_count, [this](auto& need) { need.key = text(); });
    probe.parameters = parameters(probe.parameter_count);
  }

  const std::uint8_t* data_;
  std::size_t left_;
  std::deque<std::vector<std::uint8_t>> memory_;
  std::deque<std::string> texts_;
  std::deque<std::vector<const void*>> pointers_;
};

}  // namespace

/// Whatever a library's file holds, it is read or refused; whatever its descriptors say, they are described without a
/// violation, and then survive JSON, or every violation has a text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Maker maker(data, size);
  host::Examination found = host::examine(*maker.plugin());
  for (const host::Violation& violation : found.violations) {
    if (violation.text.empty()) __builtin_trap();
  }
  if (found.violations.empty()) {
    const host::Json json = host::to_json(found.plugin);
    if (host::to_json(host::description_from_json(host::Json::parse(json.dump()))) != json) __builtin_trap();
  }
  const MemoryFile file(data, size);
  try {
    if (!host::not_loadable(file.path())) static_cast<void>(host::read_elf_file(file.path()));
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
