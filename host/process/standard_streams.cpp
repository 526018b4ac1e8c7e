#include "process/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tomograph::host {

void open_closed_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const bool is_closed = ::fcntl(stream, F_GETFD) < 0;
    if (is_closed) static_cast<void>(::open("/dev/null", O_RDONLY));  // takes the least number that is free
  }
}

}  // namespace tomograph::host
