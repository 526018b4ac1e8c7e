/* What the host offers to a plugin while it runs. */
#ifndef TOMOGRAPH_ABI_HOST_H
#define TOMOGRAPH_ABI_HOST_H

#include "experiment.h"
#include "fact.h"

/* Values are frozen. */
typedef uint32_t tomograph_log_level;
enum { TOMOGRAPH_DEBUG = 1, TOMOGRAPH_INFO = 2, TOMOGRAPH_WARNING = 3, TOMOGRAPH_ERROR = 4 };

/* The host as seen by one running probe, model or open device. Valid from the call that hands it over
 * until that call returns (devices: until `close` returns). No function throws, blocks for long (but
 * `execute`) or keeps a pointer that it was given. */
typedef struct tomograph_host {
  uint32_t struct_size;
  void* context; /* first argument of every function below */

  /* [any thread] Writes one line to the host's log, marked with the plugin's id. */
  void (*log)(void* context, tomograph_log_level level, const char* message);
  /* Says in one sentence why the running call is about to return FAILED or DEVICE_LOST. The last one wins. */
  void (*error)(void* context, const char* message);
  /* Says why the running probe is about to return SKIPPED. `category` is one of "device" (this device
   * cannot), "configuration", "resource" (memory, other users), "permission". */
  void (*skip)(void* context, const char* category, const char* reason);

  /* The value of a declared parameter as JSON text, the default unless the user set it. Null for an
   * undeclared name. Owned by the host, valid as long as the host. */
  const char* (*parameter)(void* context, const char* name);
  /* The record of a fact as a JSON object with the topology's fields (value, unit, source, method,
   * confidence, ...). Null if it is not known, or was not declared as a need. Owned by the host, valid
   * as long as the host. */
  const char* (*fact)(void* context, const char* key);

  /* Publishes a fact declared in `provides` (devices: what interfaces say, under "device.", "nominal_" and
   * "theoretical" names, "dram.size", "dram.free"). INVALID if it is undeclared, published twice, of another type or
   * unit, not finite, without evidence or with a confidence outside [0, 1]; the host then logs the reason and drops the
   * fact. */
  tomograph_status (*publish)(void* context, const tomograph_fact* fact);
  /* Says that a declared fact cannot be determined here, and why. */
  tomograph_status (*inconclusive)(void* context, const char* key, const char* reason);
  /* Says that a declared fact does not exist on this device (a far partition where there is one, weights of a
   * policy that has none), and why. Unlike an inconclusive fact it leaves no question open. */
  tomograph_status (*absent)(void* context, const char* key, const char* reason);
  /* Keeps a curve beside the topology: columns that describe what was seen, e.g. "size_B", "miss_ratio".
   * The columns of one name may differ in length. A name is handed in once per probe. */
  tomograph_status (*evidence)(void* context, const char* name, const tomograph_array* const* columns,
                               uint32_t column_count);

  /* Executes a batch on the device in use and feeds the answers to `sink` before it returns.
   * OK if every experiment was answered or refused; DEVICE_LOST ends the probe's process. UNSUPPORTED
   * from a model or a device. */
  tomograph_status (*execute)(void* context, const tomograph_experiment* const* batch, uint64_t count,
                              const tomograph_result_sink* sink);
  /* How much of the running probe is done, in [0, 1]. A hint for the progress display. */
  void (*progress)(void* context, double fraction);

  /* An extension by id, a struct that starts with its size; null if the host does not have it. Owned by
   * the host, valid as long as the host. */
  const void* (*extension)(void* context, const char* id);
} tomograph_host;

#endif
