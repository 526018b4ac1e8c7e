#ifndef TOMOGRAPH_HOST_PROCESS_ARRAY_BYTES_HPP
#define TOMOGRAPH_HOST_PROCESS_ARRAY_BYTES_HPP

#include "tomograph/documents/bytes.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::host {

/// Appends the arrays as they lie in memory: what worker and host send each other is no more than a copy.
void write_arrays(const Arrays& arrays, ByteWriter& writer);

/// Reads what `write_arrays` wrote. @throws Damaged
[[nodiscard]] Arrays read_arrays(ByteReader& reader);

}  // namespace tomograph::host

#endif
