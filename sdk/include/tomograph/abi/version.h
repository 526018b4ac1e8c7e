/* The version of the plugin interface, and the rule that keeps it stable.
 *
 * Rule
 *   A host of ABI major M, minor m loads every plugin with the same major M and a minor of at most m.
 *   A plugin states the lowest minor that it needs. The host refuses to load any other and names both versions.
 *   How long later majors load plugins of this one: see "What a vendor may rely on" in the SDK's README.
 *
 * Growth
 *   - Every struct of the interface starts with `struct_size`, set by whoever fills it. Fields are only
 *     appended, and each new field raises the minor. A reader reads a field only if `struct_size` covers it.
 *     Arrays of structs are arrays of pointers with a count, so their elements may grow too.
 *   - A field, an enumerator or the meaning of either never changes and is never removed within a major.
 *   - An extension adds what the core lacks: a struct of functions, requested by a string id such as
 *     "tomograph.name/1" (third parties: a reverse domain, "com.example.name/1"). An id never changes.
 *
 * Data
 *   Strings are UTF-8, end in NUL and are not null unless stated. Structured values are passed as JSON text
 *   (RFC 8259), large numbers of values as `tomograph_array`. No C++ type, exception or allocator is passed.
 *
 * Threads
 *   Unless a function is marked [any thread], it is called on, and calls back on, the one thread that the
 *   host uses for this plugin. The host never calls a plugin concurrently.
 */
#ifndef TOMOGRAPH_ABI_VERSION_H
#define TOMOGRAPH_ABI_VERSION_H

#include <stdint.h>

/* "TOMO" in memory order on a little-endian machine. */
#define TOMOGRAPH_MAGIC 0x4f4d4f54u

#define TOMOGRAPH_ABI_MAJOR 1u
#define TOMOGRAPH_ABI_MINOR 3u

/* The result of every function that can fail. Values are frozen. */
typedef int32_t tomograph_status;
enum {
  TOMOGRAPH_OK = 0,
  /* It was tried and failed; tomograph_host::error was called with the reason. */
  TOMOGRAPH_FAILED = 1,
  /* This device or host cannot do it; there is no use in asking again. */
  TOMOGRAPH_UNSUPPORTED = 2,
  /* The request breaks a rule of the interface; the caller is at fault. */
  TOMOGRAPH_INVALID = 3,
  /* The device is lost (sticky fault, vanished): its process must end; a new one may continue. */
  TOMOGRAPH_DEVICE_LOST = 4,
  /* The probe does not apply to this device; tomograph_host::skip was called with the reason. */
  TOMOGRAPH_SKIPPED = 5,
  /* Another program used the device whenever it was tried; what depends on it is inconclusive. */
  TOMOGRAPH_DISTURBED = 6
};

#endif
