#include "conformance/static_data.hpp"

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tomograph::host {
namespace {

struct Segment {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool holds(std::uintptr_t first, std::size_t size) const {
    return begin <= first && first <= end && size <= end - first;
  }
};

/// The loaded segments of the library that contains the address `inside`.
class LoadedSegments {
 public:
  explicit LoadedSegments(const void* inside) : inside_(reinterpret_cast<std::uintptr_t>(inside)) {
    ::dl_iterate_phdr(&look_at, this);
  }

  [[nodiscard]] bool holds(const void* data, std::size_t size) const {
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    return std::ranges::any_of(segments_, [&](const Segment& segment) { return segment.holds(first, size); });
  }

 private:
  static int look_at(dl_phdr_info* info, std::size_t /*size*/, void* self) {
    std::vector<Segment> segments;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      segments.push_back({begin, begin + header.p_memsz});
    }
    auto& library = *static_cast<LoadedSegments*>(self);
    const auto holds_it = [&](const Segment& segment) { return segment.holds(library.inside_, 1); };
    if (std::ranges::none_of(segments, holds_it)) return 0;
    library.segments_ = std::move(segments);
    return 1;
  }

  std::uintptr_t inside_;
  std::vector<Segment> segments_;
};

/// Visits everything that a plugin's descriptors point to.
class Walk {
 public:
  explicit Walk(const tomograph_plugin& entry) : library_(&entry) {
    require(&entry, entry.struct_size, "the entry");
    texts({entry.id, entry.version, entry.description}, "the entry");
    each(entry.probes, entry.probe_count, "probes", [this](const auto& probe, const std::string& where) {
      questions(probe, where);
      const bool has_method = probe.struct_size >= offsetof(tomograph_probe, uses_links);
      if (has_method && probe.method != nullptr) texts({probe.method}, where);
    });
    each(entry.models, entry.model_count, "models",
         [this](const auto& model, const std::string& where) { questions(model, where); });
    each(entry.devices, entry.device_count, "devices", [this](const auto& device, const std::string& where) {
      texts({device.id, device.description, device.target_help}, where);
      parameters(device, where);
    });
    if (entry.struct_size < offsetof(tomograph_plugin, exporter_count)) return;
    each(entry.executors, entry.executor_count, "executors", [this](const auto& executor, const std::string& where) {
      texts({executor.experiment, executor.device, executor.description}, where);
    });
    if (entry.struct_size < sizeof entry) return;
    each(entry.exporters, entry.exporter_count, "exporters", [this](const auto& exporter, const std::string& where) {
      texts({exporter.id, exporter.description, exporter.suffix}, where);
      parameters(exporter, where);
    });
  }

  [[nodiscard]] const std::optional<std::string>& outside() const { return outside_; }

 private:
  void require(const void* data, std::size_t size, const std::string& what) {
    if (!outside_ && !library_.holds(data, size)) outside_ = what + " does not lie in the library's own static data";
  }

  void texts(std::initializer_list<const char*> all, const std::string& where) {
    for (const char* text : all) require(text, std::strlen(text) + 1, "a string of " + where);
  }

  template <typename T, typename Visit>
  void each(const T* const* elements, std::uint32_t count, const std::string& where, Visit visit) {
    if (count > 0) require(elements, count * sizeof(void*), where);
    for (std::uint32_t i = 0; i < count && !outside_; ++i) {
      const std::string name = where + "[" + std::to_string(i) + "]";
      require(elements[i], elements[i]->struct_size, name);
      if (!outside_) visit(*elements[i], name);
    }
  }

  template <typename T>
  void parameters(const T& owner, const std::string& where) {
    each(owner.parameters, owner.parameter_count, where + ".parameters",
         [this](const tomograph_parameter_spec& spec, const std::string& name) {
           texts({spec.name, spec.default_json, spec.help}, name);
         });
  }

  template <typename T>
  void questions(const T& probe, const std::string& where) {
    texts({probe.id, probe.question}, where);
    each(probe.provides, probe.provides_count, where + ".provides",
         [this](const tomograph_fact_spec& spec, const std::string& name) {
           texts({spec.key, spec.unit, spec.help}, name);
         });
    each(probe.needs, probe.needs_count, where + ".needs",
         [this](const tomograph_need& need, const std::string& name) { texts({need.key}, name); });
    parameters(probe, where);
  }

  LoadedSegments library_;
  std::optional<std::string> outside_;
};

}  // namespace

std::optional<std::string> outside_library(const tomograph_plugin& entry) { return Walk(entry).outside(); }

}  // namespace tomograph::host
