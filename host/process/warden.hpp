#ifndef TOMOGRAPH_HOST_PROCESS_WARDEN_HPP
#define TOMOGRAPH_HOST_PROCESS_WARDEN_HPP

namespace tomograph::host {

/// Forks and returns in the child, which leads a process group of its own. This process stays behind as its warden:
/// once the child has ended, or this process gets SIGTERM, it ends whatever the child has left behind, also what forked
/// twice and left its session, and then ends as the child did. The child ends with it. To be called before there are
/// threads; Linux only.
void leave_a_warden();

}  // namespace tomograph::host

#endif
