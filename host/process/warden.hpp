#ifndef TOMOGRAPH_HOST_PROCESS_WARDEN_HPP
#define TOMOGRAPH_HOST_PROCESS_WARDEN_HPP

namespace tomograph::host {

/// Forks and returns in the child, which leads its own process group. The parent stays as the warden of the child. When
/// the child has ended, or when the warden receives SIGTERM, the warden kills all descendants of the child, including
/// daemons, and ends with the child's exit status. If the warden dies, the child dies too.
/// Call it before any thread is created. Linux only.
void leave_a_warden();

}  // namespace tomograph::host

#endif
