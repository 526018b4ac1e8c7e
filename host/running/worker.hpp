#ifndef TOMOGRAPH_HOST_RUNNING_WORKER_HPP
#define TOMOGRAPH_HOST_RUNNING_WORKER_HPP

#include <string>

namespace tomograph::host {

/// The descriptor on which a worker finds its connection to the host.
inline constexpr int worker_connection = 3;

/// What a process whose hidden verb is "worker" does: serves the host that started it until the connection
/// closes. Ends the process without running destructors, since plugins are never unloaded.
[[noreturn]] void worker_main(const std::string& host_pid);

}  // namespace tomograph::host

#endif
