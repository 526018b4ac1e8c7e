#ifndef TOMOGRAPH_HOST_PROCESS_PROCESSOR_WAIT_HPP
#define TOMOGRAPH_HOST_PROCESS_PROCESSOR_WAIT_HPP

#include <sys/types.h>

#include <chrono>

namespace tomograph::host {

/// How long a process and its child have been ready to run without getting a processor, since they began: of each, the
/// thread that waited longest. Of several children, the one that waited longest counts. Zero where the kernel does not
/// tell (/proc/PID/task/TID/schedstat and children).
[[nodiscard]] std::chrono::nanoseconds waited_for_processor(pid_t process);

}  // namespace tomograph::host

#endif
