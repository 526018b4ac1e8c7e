/* The functions that the host offers to a running plugin. */
#ifndef TOMOGRAPH_ABI_HOST_H
#define TOMOGRAPH_ABI_HOST_H

#include "experiment.h"
#include "fact.h"

/* Values are frozen. */
typedef uint32_t tomograph_log_level;
enum { TOMOGRAPH_DEBUG = 1, TOMOGRAPH_INFO = 2, TOMOGRAPH_WARNING = 3, TOMOGRAPH_ERROR = 4 };

/* The host of one running probe, model or open device. Valid until the call that receives it returns (devices: until
 * `close` returns). No function throws or keeps a pointer that it receives, and only `execute` blocks for long. */
typedef struct tomograph_host {
  uint32_t struct_size;
  void* context; /* first argument of every function below */

  /* [any thread] Writes one line to the host's log, marked with the plugin's id. */
  void (*log)(void* context, tomograph_log_level level, const char* message);
  /* Gives the reason, in one sentence, before the running call returns FAILED or DEVICE_LOST. The last one counts. */
  void (*error)(void* context, const char* message);
  /* Gives the reason before the running probe returns SKIPPED. `category` is "device" (this device cannot do it),
   * "configuration", "resource" (memory, other users) or "permission". */
  void (*skip)(void* context, const char* category, const char* reason);

  /* The value of a declared parameter as JSON text: the user's value or the default. Null for an undeclared
   * name. Owned by the host, valid as long as the host. */
  const char* (*parameter)(void* context, const char* name);
  /* The record of a fact as a JSON object with the topology's fields (value, unit, source, method,
   * confidence, ...). Null if the fact is not known or not declared as a need. Owned by the host, valid
   * as long as the host. */
  const char* (*fact)(void* context, const char* key);

  /* Publishes a fact declared in `provides` (devices: values that interfaces report, under "device.", "nominal_" and
   * "theoretical" names, "dram.size", "dram.free", "l2.max_persisting_size"). INVALID if it is undeclared, published
   * twice, of another type or unit, not finite, without evidence or with a confidence outside [0, 1]; the host then
   * logs the reason, and the fact is inconclusive. */
  tomograph_status (*publish)(void* context, const tomograph_fact* fact);
  /* Reports that a declared fact could not be determined, with the reason. */
  tomograph_status (*inconclusive)(void* context, const char* key, const char* reason);
  /* Reports that a declared fact does not exist on this device, with the reason: the far partition of a cache with one
   * partition, the weights of a policy without weights. Unlike an inconclusive fact, it leaves no question open. */
  tomograph_status (*absent)(void* context, const char* key, const char* reason);
  /* Stores a curve next to the topology: columns of observations, e.g. "size_B", "miss_ratio". Columns of one curve
   * may differ in length. A probe uses each name once. */
  tomograph_status (*evidence)(void* context, const char* name, const tomograph_array* const* columns,
                               uint32_t column_count);

  /* Executes a batch on the device in use and passes the answers to `sink` before it returns. OK if every
   * experiment was answered or refused. After DEVICE_LOST the probe's process ends. UNSUPPORTED for models and
   * devices. */
  tomograph_status (*execute)(void* context, const tomograph_experiment* const* batch, uint64_t count,
                              const tomograph_result_sink* sink);
  /* The completed share of the running probe, in [0, 1], for the progress display. */
  void (*progress)(void* context, double fraction);

  /* An extension by id, a struct that starts with its size; null if the host does not have it. Owned by
   * the host, valid as long as the host. */
  const void* (*extension)(void* context, const char* id);
} tomograph_host;

#endif
