#ifndef TOMOGRAPH_HOST_RUNNING_WORKER_HPP
#define TOMOGRAPH_HOST_RUNNING_WORKER_HPP

#include <filesystem>
#include <string>

#include "process/check_result.hpp"

namespace tomograph::host {

/// Performs the check of this name on a library. @throws std::exception if it cannot.
using PerformCheck = CheckResult (*)(const std::string& name, const std::filesystem::path& library);

/// Runs a worker process: serves the host that started it until the connection closes. Ends the process without running
/// destructors, since plugins are never unloaded.
[[noreturn]] void worker_main(const std::string& host_pid, PerformCheck perform_check);

}  // namespace tomograph::host

#endif
