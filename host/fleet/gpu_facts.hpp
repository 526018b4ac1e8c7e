#ifndef TOMOGRAPH_HOST_FLEET_GPU_FACTS_HPP
#define TOMOGRAPH_HOST_FLEET_GPU_FACTS_HPP

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fleet/fingerprint.hpp"
#include "topology/topology.hpp"

/// What a comparison of many GPUs needs of each topology, in a few kilobytes.
namespace tomograph::host {

/// Texts that many topologies share, each kept once and known by a number. Any thread.
class Texts {
 public:
  using Id = std::uint32_t;
  [[nodiscard]] Id id_of(std::string_view text);
  /// Stays where it is as long as this object lives.
  [[nodiscard]] std::string_view at(Id id) const;

 private:
  mutable std::shared_mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, Id> ids_;  ///< views of texts_
};

/// A fact of one GPU. Curves and tables of measurements are not kept.
struct GpuFact {
  Texts::Id key = 0;
  Texts::Id unit = 0;
  Texts::Id text = 0;  ///< a discrete value, as a topology file has it
  bool is_number = false;
  bool is_continuous = false;  ///< a number with an interval, or a real one
  bool is_api = false;         ///< reported by the driver, thus without a measuring error
  double value = 0;            ///< if it is a number
  double low = 0;              ///< bounds of the interval; the value itself without one
  double high = 0;
};

/// What a topology file says of a fact, as TOML text without the quotes of key, unit and source.
struct FactTexts {
  std::string_view key;
  std::string_view unit;
  std::string_view source;
  std::string_view value;
};

[[nodiscard]] GpuFact make_fact(const FactTexts& fact, const std::optional<std::pair<double, double>>& interval,
                                Texts& texts);

/// One GPU, identified by its UUID, or by its device with parameters where it has none.
struct GpuFacts {
  std::string gpu;
  std::string device;   ///< its kind, e.g. "NVIDIA H200"
  std::string started;  ///< when it was measured, as ISO 8601
  std::vector<GpuFact> facts;
  std::optional<Fingerprint> fingerprint = std::nullopt;
};

/// Reads TOML text of a value as a number, if it is one; `is_real` tells whether it is written as a real one.
struct NumberText {
  double value = 0;
  bool is_real = false;
};
[[nodiscard]] bool read_number(std::string_view text, NumberText& number);

/// Whether the TOML text of a list or table has real numbers.
[[nodiscard]] bool has_real_numbers(std::string_view text);

/// A device that has no UUID, as "sim:small?noise=true&seed=2". `parameters` are "seed=2" and so on.
[[nodiscard]] std::string identity_of(std::string_view device, std::vector<std::string> parameters);

/// What a topology says. Facts are in the order of their keys.
/// @throws std::invalid_argument if it does not name its device.
[[nodiscard]] GpuFacts gpu_facts(const Topology& topology, Texts& texts);

/// Reads a topology file: as TOML only if it is not laid out as this program writes it, since TOML takes much longer.
/// @throws InputError
[[nodiscard]] GpuFacts read_gpu_facts(const std::filesystem::path& file, Texts& texts);

}  // namespace tomograph::host

#endif
