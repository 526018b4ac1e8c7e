#ifndef TOMOGRAPH_HOST_PROCESS_MESSAGES_HPP
#define TOMOGRAPH_HOST_PROCESS_MESSAGES_HPP

#include <nlohmann/json.hpp>
#include <vector>

#include "tomograph/experiment/experiment.hpp"
#include "topology/topology.hpp"

/// What travels between host and worker, as JSON values (encoded as CBOR, where numbers of arrays are bytes).
///
/// Requests have "do": "describe" {plugin}; "enumerate" {plugin, device, parameters}; "open" {plugin, device,
/// target, parameters, record, executors (the plugin of each experiment that one executes)}; "run" {plugin, probe,
/// parameters, facts}. Each is answered by any number of "log" and "progress" messages and then one "ended", told apart
/// by "is". What is recorded travels between them as bytes (exchanges.hpp).
namespace tomograph::host {

enum class LogLevel { debug, info, warning, error };

[[nodiscard]] Json array_message(const NamedArray& array);
/// @throws std::exception if `message` is none.
[[nodiscard]] NamedArray array_from_message(const Json& message);

[[nodiscard]] Json arrays_message(const std::vector<NamedArray>& arrays);
[[nodiscard]] std::vector<NamedArray> arrays_from_message(const Json& message);

/// The fields that a fact has in the topology; those that are empty are left out.
[[nodiscard]] Json fact_message(const FactRecord& record);
[[nodiscard]] FactRecord fact_from_message(const Json& message);

}  // namespace tomograph::host

#endif
