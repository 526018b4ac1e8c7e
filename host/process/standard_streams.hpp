#ifndef TOMOGRAPH_HOST_PROCESS_STANDARD_STREAMS_HPP
#define TOMOGRAPH_HOST_PROCESS_STANDARD_STREAMS_HPP

namespace tomograph::host {

/// Opens those of standard input, output and error that the caller closed. Nothing can be read from them or written to
/// them. Otherwise a file that is opened later takes the place of one, and messages go into that file.
void open_closed_standard_streams();

}  // namespace tomograph::host

#endif
