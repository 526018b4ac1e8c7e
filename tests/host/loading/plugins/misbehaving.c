/* Plugins that a host must refuse, one per value of VARIANT, and those that are right: VARIANT_RIGHT, and
 * VARIANT_OLDER, built when descriptors of probes ended before `method`, and VARIANT_BEFORE_EXECUTORS. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tomograph/abi/plugin.h"

#ifndef PLUGIN_ID
#define PLUGIN_ID "fine"
#endif
#define QUESTION "Why?"
#define UNIT "B"
#define KEY "fine.fact"
#define DEFAULT "5"
#define PROBE_ID PLUGIN_ID "/probe"
#define MAJOR TOMOGRAPH_ABI_MAJOR
#define MINOR TOMOGRAPH_ABI_MINOR
#define MAGIC TOMOGRAPH_MAGIC
#define PROBE_COUNT 1
#define BUDGET 1.0
#define METHOD NULL
#define USES_LINKS 0
#define SHARES_DEVICE 0
#define PROBE_SIZE sizeof(tomograph_probe)
#define ENTRY_SIZE sizeof(tomograph_plugin)
#ifndef EXPERIMENT
#define EXPERIMENT PLUGIN_ID ".echo.x/1"
#endif
#define EXECUTE execute
#define EXECUTOR_COUNT 0

#if defined VARIANT_MAJOR
#undef MAJOR
#define MAJOR 99
#elif defined VARIANT_MINOR
#undef MINOR
#define MINOR 7
#elif defined VARIANT_MAGIC
#undef MAGIC
#define MAGIC 42
#elif defined VARIANT_UTF8
#undef QUESTION
#define QUESTION "\xff\xfe?"
#elif defined VARIANT_NULL
#undef QUESTION
#define QUESTION NULL
#elif defined VARIANT_STATEMENT
#undef QUESTION
#define QUESTION "No question."
#elif defined VARIANT_UNIT
#undef UNIT
#define UNIT "KB"
#elif defined VARIANT_KEY
#undef KEY
#define KEY "Fine.Fact"
#elif defined VARIANT_RESERVED_KEY
#undef KEY
#define KEY "fine.value"
#elif defined VARIANT_DEFAULT
#undef DEFAULT
#define DEFAULT "\"five\""
#elif defined VARIANT_RANGE
#undef DEFAULT
#define DEFAULT "11"
#elif defined VARIANT_PREFIX
#undef PROBE_ID
#define PROBE_ID "other/probe"
#elif defined VARIANT_COUNT
#undef PROBE_COUNT
#define PROBE_COUNT 4000000000u
#elif defined VARIANT_BUDGET
#undef BUDGET
#define BUDGET 0.0
#elif defined VARIANT_METHOD
#undef METHOD
#define METHOD "Wong 2010"
#elif defined VARIANT_BEFORE_EXECUTORS
#undef ENTRY_SIZE
#define ENTRY_SIZE offsetof(tomograph_plugin, executor_count)
#undef EXECUTOR_COUNT
#define EXECUTOR_COUNT 4000000000u
#elif defined VARIANT_LYING_ENTRY
#undef ENTRY_SIZE
#define ENTRY_SIZE (sizeof(tomograph_plugin) + 64)
#elif defined VARIANT_SHORT_PROBE
#undef PROBE_SIZE
#define PROBE_SIZE 8
#elif defined VARIANT_HUGE_PROBE
#undef PROBE_SIZE
#define PROBE_SIZE 1000000
#elif defined VARIANT_OLDER
#undef METHOD
#define METHOD "Not there"
#undef USES_LINKS
#define USES_LINKS 1
#undef SHARES_DEVICE
#define SHARES_DEVICE 1
#undef PROBE_SIZE
#define PROBE_SIZE offsetof(tomograph_probe, method)
#endif

#if defined VARIANT_FOREIGN_EXPERIMENT
#undef EXPERIMENT
#define EXPERIMENT "tomograph.chase/1"
#elif defined VARIANT_NAMELESS_EXPERIMENT
#undef EXPERIMENT
#define EXPERIMENT PLUGIN_ID ".echo"
#elif defined VARIANT_IDLE_EXECUTOR
#undef EXECUTE
#define EXECUTE 0 ? execute : NULL
#endif

static tomograph_status run(const tomograph_host* host) {
  (void)host;
  return TOMOGRAPH_OK;
}

static const tomograph_fact_spec fact = {
    sizeof(tomograph_fact_spec), TOMOGRAPH_INTEGER, TOMOGRAPH_PER_DEVICE, KEY, UNIT, "A fact"};
#ifdef VARIANT_TWICE
static const tomograph_fact_spec* const facts[] = {&fact, &fact};
#else
static const tomograph_fact_spec* const facts[] = {&fact};
#endif
static const tomograph_parameter_spec parameter = {
    sizeof(tomograph_parameter_spec), TOMOGRAPH_INTEGER, 0, 10, "number", DEFAULT, "A number"};
static const tomograph_parameter_spec* const parameters[] = {&parameter};
static const tomograph_probe probe = {PROBE_SIZE,
                                      sizeof facts / sizeof *facts,
                                      0,
                                      1,
                                      PROBE_ID,
                                      QUESTION,
                                      facts,
                                      NULL,
                                      parameters,
                                      0.1,
                                      BUDGET,
                                      run,
                                      METHOD,
                                      USES_LINKS,
                                      SHARES_DEVICE};
static const tomograph_probe* const probes[] = {&probe};

#if defined VARIANT_DEVICE || defined HAS_EXECUTOR
static tomograph_status open_target(const tomograph_host* host, const char* target, void** session) {
  (void)host, (void)target, (void)session;
  return TOMOGRAPH_FAILED;
}
static tomograph_status execute(void* session, const tomograph_experiment* const* batch, uint64_t count,
                                const tomograph_result_sink* sink) {
  (void)session, (void)batch, (void)count, (void)sink;
  return TOMOGRAPH_OK;
}
static void close_session(void* session) { (void)session; }
#endif

#ifdef VARIANT_DEVICE
static tomograph_status enumerate(const tomograph_host* host, tomograph_target_found found, void* context) {
  (void)host, (void)found, (void)context;
  return TOMOGRAPH_OK;
}
static const tomograph_device device = {sizeof(tomograph_device),
                                        0,
                                        "gadget",
                                        "A device",
                                        "nothing",
                                        NULL,
                                        0,
                                        enumerate,
                                        open_target,
                                        execute,
                                        close_session};
static const tomograph_device* const devices[] = {&device};
#define DEVICE_COUNT 1
#else
#define DEVICE_COUNT 0
#define devices NULL
#endif

#ifdef HAS_EXECUTOR
static const tomograph_executor executor = {
    sizeof(tomograph_executor), EXPERIMENT, "gadget", "An executor", open_target, EXECUTE, close_session};
static const tomograph_executor* const executors[] = {&executor};
#undef EXECUTOR_COUNT
#define EXECUTOR_COUNT 1
#else
#define executors NULL
#endif

#ifdef VARIANT_NO_SYMBOL
#define tomograph_plugin_entry another_symbol
#endif
#ifdef VARIANT_TRUNCATED
/* Only what never changes is there. */
extern __attribute__((visibility("default"))) const uint32_t tomograph_plugin_entry[4];
const uint32_t tomograph_plugin_entry[4] = {MAGIC, MAJOR, MINOR, ENTRY_SIZE};
const tomograph_plugin* whole(void);
static const tomograph_plugin unused = {
#else
__attribute__((visibility("default"))) const tomograph_plugin tomograph_plugin_entry = {
#endif
    MAGIC,
    MAJOR,
    MINOR,
    ENTRY_SIZE,
    PLUGIN_ID,
    "1.2.3",
    "A plugin for tests",
    PROBE_COUNT,
    DEVICE_COUNT,
    0,
    probes,
    devices,
    NULL,
    EXECUTOR_COUNT,
    executors,
    0,
    NULL};
#ifdef VARIANT_TRUNCATED
const tomograph_plugin* whole(void) { return &unused; }
#endif

#if defined VARIANT_CRASH
__attribute__((constructor)) static void crash(void) { abort(); }
#elif defined VARIANT_HANG
__attribute__((constructor)) static void hang(void) { sleep(3600); }
#elif defined VARIANT_PRINTS
__attribute__((constructor)) static void greet(void) { puts("hello from a constructor"), fflush(stdout); }
#endif
