/* Facts: the results of probes with their confidence, and the facts that probes need. */
#ifndef TOMOGRAPH_ABI_FACT_H
#define TOMOGRAPH_ABI_FACT_H

#include "version.h"

/* Type of a fact's or a parameter's value. Values are frozen. */
typedef uint32_t tomograph_value_type;
enum {
  TOMOGRAPH_BOOLEAN = 1,
  TOMOGRAPH_INTEGER = 2, /* 64-bit signed */
  TOMOGRAPH_REAL = 3,
  TOMOGRAPH_TEXT = 4,
  TOMOGRAPH_LIST = 5, /* JSON array */
  TOMOGRAPH_TABLE = 6 /* JSON object */
};

/* The part of the GPU that one value describes. Values are frozen. */
typedef uint32_t tomograph_scope;
enum { TOMOGRAPH_PER_SM = 1, TOMOGRAPH_PER_PARTITION = 2, TOMOGRAPH_PER_DEVICE = 3 };

/* The source of a value. Values are frozen. */
typedef uint32_t tomograph_source;
enum {
  TOMOGRAPH_MEASURED = 1, /* from experiments */
  TOMOGRAPH_API = 2,      /* reported by an interface of the vendor */
  TOMOGRAPH_DERIVED = 3   /* computed from other facts */
};

/* Declaration of a fact that a probe may publish. Static data. */
typedef struct tomograph_fact_spec {
  uint32_t struct_size;
  tomograph_value_type type;
  tomograph_scope scope;
  const char* key;  /* lower-case path, e.g. "l1_data.line_size" */
  const char* unit; /* "B", "cycle", "B/cycle", "FLOP/cycle", "B/s", "Hz", "s", "1"; "" if it is no quantity */
  const char* help; /* one sentence */
} tomograph_fact_spec;

/* Declaration of a fact that must (or, if optional, should) be known before a probe runs. Static data. */
typedef struct tomograph_need {
  uint32_t struct_size;
  uint32_t optional; /* 0: without the fact the probe is blocked; 1: it runs anyway */
  const char* key;
} tomograph_need;

/* Declaration of a value that users may set per probe or device. Static data.
 * Minimum and maximum bound INTEGER and REAL parameters, inclusive. */
typedef struct tomograph_parameter_spec {
  uint32_t struct_size;
  tomograph_value_type type; /* BOOLEAN, INTEGER, REAL or TEXT */
  double minimum;
  double maximum;
  const char* name;         /* lower-case with underscores, with its unit at the end, if any */
  const char* default_json; /* JSON value of the type */
  const char* help;         /* one sentence */
} tomograph_parameter_spec;

/* A fact as published. The caller owns everything; the host copies before it returns. */
typedef struct tomograph_fact {
  uint32_t struct_size;
  tomograph_source source;
  const char* key;
  const char* value_json; /* JSON value of the declared type */
  const char* unit;       /* must equal the declared unit */
  const char* method;     /* e.g. "retained-lines"; "a+b" if two methods agreed */
  /* Probability in [0, 1] that the value is right or, with an interval, that the interval covers the true value. */
  double confidence;
  /* An interval for a continuous or gradual value; both are NaN for a discrete value. */
  double interval_low;
  double interval_high;
  uint64_t samples; /* independent observations behind the value */
  /* JSON object, e.g. {"carveout":"max-l1"}; "{}" for none. Comparisons of two topologies read two names of it:
   * "intervals", the [low, high] of each entry of a list, and "in_any_order", "entries" or "columns" (of a list of
   * rows) if a second run would list these in another order. */
  const char* conditions_json;
  const char* evidence; /* name of a curve passed to tomograph_host::evidence; "" for API facts */
} tomograph_fact;

#endif
