/* Experiments: named arrays in, named arrays out. The unit of execution and of recording. */
#ifndef TOMOGRAPH_ABI_EXPERIMENT_H
#define TOMOGRAPH_ABI_EXPERIMENT_H

#include "version.h"

/* Element type of an array. Values are frozen. */
typedef uint32_t tomograph_element;
enum {
  TOMOGRAPH_I64 = 1, /* int64_t */
  TOMOGRAPH_U32 = 2, /* uint32_t */
  TOMOGRAPH_F64 = 3  /* double, IEEE 754 */
};

/* A named array of numbers. The caller owns `name` and `data`, which are valid only during the call. The receiver
 * copies what it keeps. */
typedef struct tomograph_array {
  uint32_t struct_size;
  tomograph_element element;
  const char* name;
  const void* data; /* aligned for the element; may be null where count is 0 */
  uint64_t count;   /* elements, not bytes */
} tomograph_array;

/* A request, as plain data. Its identity for recordings is `id` plus the names and values of all parameters, in order.
 * Two requests with the same identity are the same experiment. A repetition to be executed and recorded separately
 * therefore differs in a parameter, by convention "trial". */
typedef struct tomograph_experiment {
  uint32_t struct_size;
  uint32_t parameter_count;
  const char* id; /* e.g. "tomograph.chase/1"; third parties: "com.example.name/1" */
  const tomograph_array* const* parameters;
} tomograph_experiment;

/* Receives answers. `experiment` is the position in the batch. Every experiment of a batch is answered either by one or
 * more `array` calls with distinct names, or by exactly one `refuse` call. */
typedef struct tomograph_result_sink {
  uint32_t struct_size;
  void* context;
  /* Takes a copy of `array` before it returns. */
  void (*array)(void* context, uint64_t experiment, const tomograph_array* array);
  /* `status` is FAILED, UNSUPPORTED, INVALID or, from the host, DISTURBED; `reason` is one sentence. */
  void (*refuse)(void* context, uint64_t experiment, tomograph_status status, const char* reason);
} tomograph_result_sink;

#endif
