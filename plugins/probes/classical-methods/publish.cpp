#include "publish.hpp"

#include <array>

#include "questions.hpp"

namespace tomograph::classical_methods {

void publish(const Session& session, const cache::Level& level, const char* method, std::uint64_t samples,
             const std::optional<CacheParameters>& found) {
  const auto publish_one = [&](const char* name, std::optional<std::int64_t> value) {
    const std::string key = cache::key(level, name);
    Fact fact{.key = key,
              .value = value ? Value(*value) : Value(nullptr),
              .method = method,
              .confidence = unverified,
              .samples = samples,
              .evidence = cache::key(level, method)};
    cache::publish_or(session, value.has_value(), fact, "the average latencies show no such step");
  };
  publish_one("size", found ? std::optional(found->size) : std::nullopt);
  publish_one("line_size", found ? found->line_size : std::nullopt);
  publish_one("sets", found ? found->sets : std::nullopt);
  publish_one("ways", found ? found->ways : std::nullopt);
}

void keep(const Session& session, const std::string& name, std::span<const StrideCurve> curves) {
  std::vector<double> bytes;
  std::vector<double> strides;
  std::vector<double> cycles;
  for (const StrideCurve& curve : curves) {
    bytes.insert(bytes.end(), curve.strides.size(), static_cast<double>(curve.bytes));
    strides.insert(strides.end(), curve.strides.begin(), curve.strides.end());
    cycles.insert(cycles.end(), curve.cycles.begin(), curve.cycles.end());
  }
  session.evidence(name, std::array{cache::column("bytes", bytes), cache::column("stride", strides),
                                    cache::column("cycles", cycles)});
}

}  // namespace tomograph::classical_methods
