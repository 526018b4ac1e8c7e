#ifndef TOMOGRAPH_HOST_RUNNING_CALLER_HPP
#define TOMOGRAPH_HOST_RUNNING_CALLER_HPP

#include <map>
#include <set>
#include <string>

#include "loading/description.hpp"

namespace tomograph::host {

/// The probe, model, device, executor or exporter that a HostInterface serves, and what it may read and publish.
struct Caller {
  enum class Kind { probe, model, device, executor, exporter };
  Kind kind = Kind::probe;
  std::string plugin{};                               ///< id; marks its log lines
  std::string id{};                                   ///< of the probe, model or device; for an executor the experiment
  std::map<std::string, std::string> parameters{};    ///< JSON text of each declared parameter
  std::map<std::string, std::string> facts{};         ///< JSON text of each needed fact that is known
  std::map<std::string, std::string> absent{};        ///< why the device lacks each needed fact that it does not have
  std::map<std::string, FactDeclaration> provides{};  ///< by key; empty for devices and executors
  std::set<std::string> needs{};                      ///< keys that it may ask for
};

}  // namespace tomograph::host

#endif
