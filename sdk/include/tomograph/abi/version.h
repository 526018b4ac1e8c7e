/* The version of the plugin boundary, and the rule that keeps it stable.
 *
 * Rule
 *   A host of ABI major M, minor m loads every plugin with the same major M and a minor of at most m.
 *   A plugin states the lowest minor it needs. Anything else is refused at load, with both versions named.
 *   For how long later majors load plugins of this one: see "What a vendor may rely on" in the SDK's README.
 *
 * Growth
 *   - Every struct that crosses starts with `struct_size`, set by whoever fills it. Fields are only
 *     appended, each append raises the minor. A reader looks at a field only if `struct_size` covers it.
 *     Element counts travel with pointers to pointers, so an element may grow too.
 *   - A field, an enumerator or the meaning of either never changes and is never removed within a major.
 *   - What does not fit the core is an extension: a struct of functions fetched by a string id such as
 *     "tomograph.name/1" (third parties: a reverse domain, "com.example.name/1"). An id never changes.
 *
 * Data
 *   Strings are UTF-8, end in NUL and are never null unless said. Structured values cross as JSON text
 *   (RFC 8259); bulk numbers cross as `tomograph_array`. No C++ type, exception or allocator crosses.
 *
 * Threads
 *   Unless a function says [any thread], it is called on, and calls back on, the one thread that the
 *   host uses for this plugin. The host never calls into a plugin concurrently.
 */
#ifndef TOMOGRAPH_ABI_VERSION_H
#define TOMOGRAPH_ABI_VERSION_H

#include <stdint.h>

/* "TOMO" in memory order on a little-endian machine. */
#define TOMOGRAPH_MAGIC 0x4f4d4f54u

#define TOMOGRAPH_ABI_MAJOR 1u
#define TOMOGRAPH_ABI_MINOR 0u

/* What every fallible function of the boundary returns. Values are frozen. */
typedef int32_t tomograph_status;
enum {
  TOMOGRAPH_OK = 0,
  /* It was tried and went wrong; the reason was given through tomograph_host::error. */
  TOMOGRAPH_FAILED = 1,
  /* This device or host cannot do it at all; asking again is pointless. */
  TOMOGRAPH_UNSUPPORTED = 2,
  /* The request breaks a rule of the boundary; the caller is at fault. */
  TOMOGRAPH_INVALID = 3,
  /* The device is lost (sticky fault, vanished): its process must end, a new one may go on. */
  TOMOGRAPH_DEVICE_LOST = 4,
  /* The probe does not apply here; the reason was given through tomograph_host::skip. */
  TOMOGRAPH_SKIPPED = 5
};

#endif
