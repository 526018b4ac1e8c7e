#ifndef TOMOGRAPH_HOST_TOPOLOGY_FACT_RECORD_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_FACT_RECORD_HPP

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

namespace tomograph::host {

using Json = nlohmann::json;

/// A fact: its value and how it is known. `interval` is empty where the value is discrete. A number of bytes that has
/// an interval is an estimate and hence a real, never an integer, which would pretend to be exact.
struct FactRecord {
  Json value;
  std::string unit;
  std::string source;  ///< "measured", "api" or "derived"
  std::string method;
  std::string probe;  ///< id of the probe or model that published it; for API facts the device
  std::string scope;  ///< "sm", "partition" or "device"
  double confidence = 0;
  std::optional<std::pair<double, double>> interval;
  std::uint64_t samples = 0;
  Json conditions = Json::object();
  std::string evidence;
};

/// The value of a fact as FactRecord promises it, of whatever type a plugin or an older file has written it.
[[nodiscard]] Json estimated_as_real(const FactRecord& record);

/// The fields that a fact has in a topology, in messages and in recordings. An interval and evidence are left out where
/// there are none. Bounds of an integer value are integers where they are whole.
[[nodiscard]] Json to_json(const FactRecord& record);
/// What to_json wrote, now or in an older version.
/// @throws std::exception if `fields` are not those of a fact.
[[nodiscard]] FactRecord fact_record_from_json(const Json& fields);

}  // namespace tomograph::host

#endif
