#ifndef TOMOGRAPH_TESTS_MEMORY_HOST_HPP
#define TOMOGRAPH_TESTS_MEMORY_HOST_HPP

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tomograph/abi/absences.h"
#include "tomograph/abi/host.h"
#include "tomograph/experiment.hpp"

namespace tomograph {

using Json = nlohmann::json;

}  // namespace tomograph

/// A host that keeps in memory what a plugin tells it, so that one plugin can be tested without the program.
class MemoryHost {
 public:
  struct Published {
    nlohmann::json value;
    std::string unit;
    tomograph_source source = TOMOGRAPH_MEASURED;
    double interval_low = 0;
  };

  std::map<std::string, std::string> parameters;  ///< JSON text by name
  std::map<std::string, std::string> facts;       ///< JSON records by key
  std::map<std::string, std::string> absences;    ///< reasons by key
  std::function<tomograph_status(const std::vector<tomograph::Experiment>&, const tomograph_result_sink&)> device;
  tomograph_status publish_status = TOMOGRAPH_OK;

  std::map<std::string, Published> published;
  std::map<std::string, std::string> inconclusive;
  std::map<std::string, std::string> absent;
  std::map<std::string, std::vector<tomograph::NamedArray>> evidence;
  std::string error;
  std::string skip_category;
  std::string skip_reason;
  std::vector<std::string> log;
  double progress = 0;

  MemoryHost() = default;
  MemoryHost(const MemoryHost&) = delete;
  MemoryHost& operator=(const MemoryHost&) = delete;

  [[nodiscard]] const tomograph_host* abi() const { return &abi_; }

 private:
  static MemoryHost& self(void* context) { return *static_cast<MemoryHost*>(context); }
  static const char* text_of(const std::map<std::string, std::string>& texts, const char* key) {
    const auto found = texts.find(key);
    return found == texts.end() ? nullptr : found->second.c_str();
  }
  static tomograph_status keep_evidence(void* context, const char* name, const tomograph_array* const* columns,
                                        std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) self(context).evidence[name].push_back(tomograph::copy(*columns[i]));
    return TOMOGRAPH_OK;
  }
  static tomograph_status execute(void* context, const tomograph_experiment* const* batch, std::uint64_t count,
                                  const tomograph_result_sink* sink) {
    std::vector<tomograph::Experiment> experiments;
    for (std::uint64_t i = 0; i < count; ++i) experiments.push_back(tomograph::borrow(*batch[i]));
    return self(context).device(experiments, *sink);
  }

  tomograph_host abi_{
      .struct_size = sizeof(tomograph_host),
      .context = this,
      .log = [](void* context, tomograph_log_level, const char* message) { self(context).log.emplace_back(message); },
      .error = [](void* context, const char* message) { self(context).error = message; },
      .skip =
          [](void* context, const char* category, const char* reason) {
            self(context).skip_category = category;
            self(context).skip_reason = reason;
          },
      .parameter = [](void* context, const char* name) { return text_of(self(context).parameters, name); },
      .fact = [](void* context, const char* key) { return text_of(self(context).facts, key); },
      .publish =
          [](void* context, const tomograph_fact* fact) {
            self(context).published[fact->key] = {nlohmann::json::parse(fact->value_json), fact->unit, fact->source,
                                                  fact->interval_low};
            return self(context).publish_status;
          },
      .inconclusive =
          [](void* context, const char* key, const char* reason) {
            self(context).inconclusive[key] = reason;
            return tomograph_status{TOMOGRAPH_OK};
          },
      .absent =
          [](void* context, const char* key, const char* reason) {
            self(context).absent[key] = reason;
            return tomograph_status{TOMOGRAPH_OK};
          },
      .evidence = &keep_evidence,
      .execute = &execute,
      .progress = [](void* context, double fraction) { self(context).progress = fraction; },
      .extension = [](void*, const char* id) -> const void* {
        static constexpr tomograph_absences absences{
            .struct_size = sizeof(tomograph_absences),
            .reason = [](void* context, const char* key) { return text_of(self(context).absences, key); }};
        return std::string_view(id) == TOMOGRAPH_ABSENCES_ID ? &absences : nullptr;
      },
  };
};

#endif
