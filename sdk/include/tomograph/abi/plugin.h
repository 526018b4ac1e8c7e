/* The parts of a plugin: one exported symbol that points to static data.
 *
 * The host reads the description of a plugin without calling its functions. All descriptors, strings and arrays are
 * static data of the library, valid as long as it is loaded. A host never unloads a library. */
#ifndef TOMOGRAPH_ABI_PLUGIN_H
#define TOMOGRAPH_ABI_PLUGIN_H

#include "exporter.h"

/* Links of the node that a probe measures and that other GPUs use as well. */
enum {
  TOMOGRAPH_LINKS_TO_GPUS = 1, /* to other GPUs, whose memory it uses: no other probe runs on the node meanwhile */
  TOMOGRAPH_LINK_TO_HOST = 2   /* to the host: meanwhile other GPUs run only probes that use no links */
};

/* A probe answers one question. Identifiers are "<plugin id>/<name>", unique over all loaded plugins. */
typedef struct tomograph_probe {
  uint32_t struct_size;
  uint32_t provides_count;
  uint32_t needs_count;
  uint32_t parameter_count;
  const char* id;
  const char* question; /* one sentence that ends in a question mark */
  const tomograph_fact_spec* const* provides;
  const tomograph_need* const* needs;
  const tomograph_parameter_spec* const* parameters;
  double expected_seconds; /* for plans and progress, on a present-day GPU */
  double time_budget;      /* seconds after which the host ends the process: the probe is "timed-out" */
  /* Runs experiments and publishes facts. OK once every declared fact was published, declared
   * inconclusive or absent; SKIPPED, FAILED or DEVICE_LOST with a reason given before. */
  tomograph_status (*run)(const tomograph_host* host);
  /* NULL: the default probe for its facts. Otherwise the name of a published method, e.g. "saavedra1992" (lower-case
   * letters and digits). Such a probe runs only if the user asks for the method, and then replaces all probes that
   * provide any of the same facts. */
  const char* method;
  /* Since ABI 1.2. 0, TOMOGRAPH_LINKS_TO_GPUS or TOMOGRAPH_LINK_TO_HOST; a host takes any other value for the first.
   * Of all runs of a user on one host, one such probe runs at a time. While a run waits for the link to the host, it
   * goes on with probes that come later in its plan. Waiting does not count towards the time budget. */
  uint32_t uses_links;
  /* Since ABI 1.3. Not 0: each batch stands alone. What it measures does not depend on what an earlier batch left in
   * caches, TLBs and memory, so the host may run experiments of other such probes between two batches. Otherwise the
   * probe keeps a real device until it ends. */
  uint32_t shares_device;
} tomograph_probe;

/* Computes facts from other facts, without a device. The rules of probes apply; its facts have source DERIVED.
 * A model with a TEXT parameter "kernel" predicts the kernel whose description it holds. `tomograph predict` runs it
 * with the text of the user's file and, in a TEXT parameter "kernel_file", its name; `tomograph run` does not. It
 * returns INVALID, after tomograph_host::error, for a kernel or a fact that cannot be. */
typedef struct tomograph_model {
  uint32_t struct_size;
  uint32_t provides_count;
  uint32_t needs_count;
  uint32_t parameter_count;
  const char* id;
  const char* question;
  const tomograph_fact_spec* const* provides;
  const tomograph_need* const* needs;
  const tomograph_parameter_spec* const* parameters;
  double time_budget; /* seconds, as for a probe */
  tomograph_status (*run)(const tomograph_host* host);
} tomograph_model;

/* Receives the targets that a device finds, e.g. "0" and "NVIDIA H200". Copies before it returns. */
typedef void (*tomograph_target_found)(void* context, const char* target, const char* description);

/* Executes experiments. Addressed as "<id>:<target>", e.g. "cuda:0", "sim:h200". */
typedef struct tomograph_device {
  uint32_t struct_size;
  uint32_t parameter_count;
  const char* id; /* lower-case word, unique over all loaded plugins */
  const char* description;
  const char* target_help; /* what may follow the colon, e.g. "GPU number" */
  const tomograph_parameter_spec* const* parameters;
  uint32_t is_real; /* 1 if its targets are hardware: the default device is the first such target */

  /* Names the present targets. OK even if there is none. */
  tomograph_status (*enumerate)(const tomograph_host* host, tomograph_target_found found, void* context);
  /* Opens a target and sets `*session`, an opaque handle that the plugin owns until `close`. Publishes
   * what vendor interfaces report about the device as API facts through `host`. After a failure, the host does not
   * call `close`. */
  tomograph_status (*open)(const tomograph_host* host, const char* target, void** session);
  /* Executes independent experiments, in any order and concurrently unless they forbid it, and answers each one.
   * Refuses an unknown experiment id as UNSUPPORTED. */
  tomograph_status (*execute)(void* session, const tomograph_experiment* const* batch, uint64_t count,
                              const tomograph_result_sink* sink);
  void (*close)(void* session);
} tomograph_device;

/* Executes experiments of one id, which the device does not know, with the plugin's own kernels. It runs in the process
 * of the device, between the device's calls, and must leave the device's state unchanged. */
typedef struct tomograph_executor {
  uint32_t struct_size;
  const char* experiment; /* the plugin's id, '.' or '/', and more: "com.example.name/1"; unique for one device */
  const char* device;     /* id of the device whose targets it can use, e.g. "cuda" */
  const char* description;

  /* As in tomograph_device, with the target that the device has open. Called before the first of its experiments. */
  tomograph_status (*open)(const tomograph_host* host, const char* target, void** session);
  /* As in tomograph_device. All experiments of the batch have its id. */
  tomograph_status (*execute)(void* session, const tomograph_experiment* const* batch, uint64_t count,
                              const tomograph_result_sink* sink);
  /* Called before the device is closed. */
  void (*close)(void* session);
} tomograph_executor;

/* The type of the exported symbol. The first four fields never change, in any major. */
typedef struct tomograph_plugin {
  uint32_t magic;       /* TOMOGRAPH_MAGIC */
  uint32_t abi_major;   /* TOMOGRAPH_ABI_MAJOR it was built for */
  uint32_t abi_minor;   /* lowest minor of the host that it needs */
  uint32_t struct_size; /* sizeof(tomograph_plugin) it was built with */
  const char* id;       /* lower-case, digits, '-'; third parties: a reverse domain, e.g. "com.example.x" */
  const char* version;  /* "major.minor.patch" of the plugin itself */
  const char* description;
  uint32_t probe_count;
  uint32_t device_count;
  uint32_t model_count;
  const tomograph_probe* const* probes;
  const tomograph_device* const* devices;
  const tomograph_model* const* models;
  uint32_t executor_count;
  const tomograph_executor* const* executors;
  /* Since ABI 1.1. */
  uint32_t exporter_count;
  const tomograph_exporter* const* exporters;
} tomograph_plugin;

/* The one exported symbol is an object of this name and type:
 *   const tomograph_plugin tomograph_plugin_entry = { ... };  */
#define TOMOGRAPH_ENTRY_SYMBOL "tomograph_plugin_entry"

#endif
