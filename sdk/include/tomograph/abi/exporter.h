/* Exporters: write topologies in the formats of other programs. Since ABI 1.1. */
#ifndef TOMOGRAPH_ABI_EXPORTER_H
#define TOMOGRAPH_ABI_EXPORTER_H

#include "host.h"

/* A topology to export. The host owns everything, for the duration of the call. */
typedef struct tomograph_document {
  uint32_t struct_size;
  const char* name;          /* its file's name, e.g. "topology.toml", with the folders that tell it from the others' */
  const char* topology_json; /* JSON object in the shape of schemas/topology.schema.json. A fact has its description if
                              * a loaded plugin declares it. If there are several documents, `provenance.comparison` of
                              * each but the first has, by key, the verdict of `tomograph diff` on the facts that the
                              * first has, too, unless it is SAME. */
  /* Measured facts that contradict what an interface reports, and what happened to the device meanwhile: a JSON array
   * of {"key": ..., "against": key of the reported fact, "message": one sentence}. For the device both keys are "". */
  const char* findings_json;
  /* {"schema_version": 1, "evidence": {probe: {curve: {column: [numbers or null]}}}}. Null if the exporter does not
   * take evidence, or if there is none beside the topology. */
  const char* evidence_json;
} tomograph_document;

/* Receives the bytes of the exported file, in order. */
typedef struct tomograph_byte_sink {
  uint32_t struct_size;
  void* context;
  /* Copies the bytes before it returns. Anything but OK: the host wants no more, and the exporter returns FAILED. */
  tomograph_status (*write)(void* context, const void* bytes, uint64_t count);
} tomograph_byte_sink;

/* Writes one file in one format. Called in a process of its own, without a device. Nothing of the file is kept unless
 * the call returns OK. */
typedef struct tomograph_exporter {
  uint32_t struct_size;
  uint32_t parameter_count;
  const char* id; /* name of the format: lower-case word, '-' and '_' allowed; unique over all loaded plugins */
  const char* description; /* the format and who reads it, in one sentence */
  const char* suffix;      /* usual end of the file's name, e.g. ".csv" */
  const tomograph_parameter_spec* const* parameters;
  double time_budget;      /* seconds after which the host ends the process */
  uint32_t takes_several;  /* 0: exactly one topology; 1: one or more */
  uint32_t takes_evidence; /* 1: it gets the evidence of each topology that has some */
  /* OK: the file is complete. INVALID: a topology or parameter lacks what the format needs. FAILED: anything else. Both
   * after tomograph_host::error was called with the reason. Of the host, only `log`, `error` and `parameter` serve. */
  tomograph_status (*write)(const tomograph_host* host, const tomograph_document* const* documents, uint64_t count,
                            const tomograph_byte_sink* sink);
} tomograph_exporter;

#endif
