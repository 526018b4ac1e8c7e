/* The layout of ABI 1.2 on 64-bit Linux. A line that no longer holds breaks every plugin that was built
 * before: fields are only appended, and an appended field gets a line of its own here. */
#include <stddef.h>

#include "tomograph/abi/absences.h"
#include "tomograph/abi/chase.h"
#include "tomograph/abi/conditions.h"
#include "tomograph/abi/divergence.h"
#include "tomograph/abi/instruction.h"
#include "tomograph/abi/l2_lines.h"
#include "tomograph/abi/plugin.h"
#include "tomograph/abi/shared_access.h"
#include "tomograph/abi/streaming.h"

#define FIELD_AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define AT_LEAST(type, size) _Static_assert(sizeof(type) >= (size), #type " shrank")
/* The size in the first frozen version: what a plugin of that day passes as struct_size. */
#define ENDS_AT(type, last, size) \
  _Static_assert(offsetof(type, last) + sizeof(((type*)0)->last) == (size), #type " does not end where it ended")
#define VALUE(name, value) _Static_assert((name) == (value), #name " changed")

VALUE(TOMOGRAPH_MAGIC, 0x4f4d4f54u);
VALUE(TOMOGRAPH_ABI_MAJOR, 1u);

AT_LEAST(tomograph_array, 32);
FIELD_AT(tomograph_array, struct_size, 0);
FIELD_AT(tomograph_array, element, 4);
FIELD_AT(tomograph_array, name, 8);
FIELD_AT(tomograph_array, data, 16);
FIELD_AT(tomograph_array, count, 24);

AT_LEAST(tomograph_experiment, 24);
FIELD_AT(tomograph_experiment, struct_size, 0);
FIELD_AT(tomograph_experiment, parameter_count, 4);
FIELD_AT(tomograph_experiment, id, 8);
FIELD_AT(tomograph_experiment, parameters, 16);

AT_LEAST(tomograph_result_sink, 32);
FIELD_AT(tomograph_result_sink, struct_size, 0);
FIELD_AT(tomograph_result_sink, context, 8);
FIELD_AT(tomograph_result_sink, array, 16);
FIELD_AT(tomograph_result_sink, refuse, 24);

AT_LEAST(tomograph_fact_spec, 40);
FIELD_AT(tomograph_fact_spec, struct_size, 0);
FIELD_AT(tomograph_fact_spec, type, 4);
FIELD_AT(tomograph_fact_spec, scope, 8);
FIELD_AT(tomograph_fact_spec, key, 16);
FIELD_AT(tomograph_fact_spec, unit, 24);
FIELD_AT(tomograph_fact_spec, help, 32);

AT_LEAST(tomograph_need, 16);
FIELD_AT(tomograph_need, struct_size, 0);
FIELD_AT(tomograph_need, optional, 4);
FIELD_AT(tomograph_need, key, 8);

AT_LEAST(tomograph_parameter_spec, 48);
FIELD_AT(tomograph_parameter_spec, struct_size, 0);
FIELD_AT(tomograph_parameter_spec, type, 4);
FIELD_AT(tomograph_parameter_spec, minimum, 8);
FIELD_AT(tomograph_parameter_spec, maximum, 16);
FIELD_AT(tomograph_parameter_spec, name, 24);
FIELD_AT(tomograph_parameter_spec, default_json, 32);
FIELD_AT(tomograph_parameter_spec, help, 40);

AT_LEAST(tomograph_fact, 88);
FIELD_AT(tomograph_fact, struct_size, 0);
FIELD_AT(tomograph_fact, source, 4);
FIELD_AT(tomograph_fact, key, 8);
FIELD_AT(tomograph_fact, value_json, 16);
FIELD_AT(tomograph_fact, unit, 24);
FIELD_AT(tomograph_fact, method, 32);
FIELD_AT(tomograph_fact, confidence, 40);
FIELD_AT(tomograph_fact, interval_low, 48);
FIELD_AT(tomograph_fact, interval_high, 56);
FIELD_AT(tomograph_fact, samples, 64);
FIELD_AT(tomograph_fact, conditions_json, 72);
FIELD_AT(tomograph_fact, evidence, 80);

AT_LEAST(tomograph_host, 112);
FIELD_AT(tomograph_host, struct_size, 0);
FIELD_AT(tomograph_host, context, 8);
FIELD_AT(tomograph_host, log, 16);
FIELD_AT(tomograph_host, error, 24);
FIELD_AT(tomograph_host, skip, 32);
FIELD_AT(tomograph_host, parameter, 40);
FIELD_AT(tomograph_host, fact, 48);
FIELD_AT(tomograph_host, publish, 56);
FIELD_AT(tomograph_host, inconclusive, 64);
FIELD_AT(tomograph_host, absent, 72);
FIELD_AT(tomograph_host, evidence, 80);
FIELD_AT(tomograph_host, execute, 88);
FIELD_AT(tomograph_host, progress, 96);
FIELD_AT(tomograph_host, extension, 104);

AT_LEAST(tomograph_probe, 88);
FIELD_AT(tomograph_probe, struct_size, 0);
FIELD_AT(tomograph_probe, provides_count, 4);
FIELD_AT(tomograph_probe, needs_count, 8);
FIELD_AT(tomograph_probe, parameter_count, 12);
FIELD_AT(tomograph_probe, id, 16);
FIELD_AT(tomograph_probe, question, 24);
FIELD_AT(tomograph_probe, provides, 32);
FIELD_AT(tomograph_probe, needs, 40);
FIELD_AT(tomograph_probe, parameters, 48);
FIELD_AT(tomograph_probe, expected_seconds, 56);
FIELD_AT(tomograph_probe, time_budget, 64);
FIELD_AT(tomograph_probe, run, 72);
FIELD_AT(tomograph_probe, method, 80);
/* Since 1.2. */
FIELD_AT(tomograph_probe, uses_links, 88);
/* Since 1.3. */
FIELD_AT(tomograph_probe, shares_device, 92);

AT_LEAST(tomograph_model, 72);
FIELD_AT(tomograph_model, struct_size, 0);
FIELD_AT(tomograph_model, provides_count, 4);
FIELD_AT(tomograph_model, needs_count, 8);
FIELD_AT(tomograph_model, parameter_count, 12);
FIELD_AT(tomograph_model, id, 16);
FIELD_AT(tomograph_model, question, 24);
FIELD_AT(tomograph_model, provides, 32);
FIELD_AT(tomograph_model, needs, 40);
FIELD_AT(tomograph_model, parameters, 48);
FIELD_AT(tomograph_model, time_budget, 56);
FIELD_AT(tomograph_model, run, 64);

AT_LEAST(tomograph_device, 80);
FIELD_AT(tomograph_device, struct_size, 0);
FIELD_AT(tomograph_device, parameter_count, 4);
FIELD_AT(tomograph_device, id, 8);
FIELD_AT(tomograph_device, description, 16);
FIELD_AT(tomograph_device, target_help, 24);
FIELD_AT(tomograph_device, parameters, 32);
FIELD_AT(tomograph_device, is_real, 40);
FIELD_AT(tomograph_device, enumerate, 48);
FIELD_AT(tomograph_device, open, 56);
FIELD_AT(tomograph_device, execute, 64);
FIELD_AT(tomograph_device, close, 72);

AT_LEAST(tomograph_executor, 56);
FIELD_AT(tomograph_executor, struct_size, 0);
FIELD_AT(tomograph_executor, experiment, 8);
FIELD_AT(tomograph_executor, device, 16);
FIELD_AT(tomograph_executor, description, 24);
FIELD_AT(tomograph_executor, open, 32);
FIELD_AT(tomograph_executor, execute, 40);
FIELD_AT(tomograph_executor, close, 48);

AT_LEAST(tomograph_reading, 64);
FIELD_AT(tomograph_reading, struct_size, 0);
FIELD_AT(tomograph_reading, sm_clock, 8);
FIELD_AT(tomograph_reading, sm_clock_step, 16);
FIELD_AT(tomograph_reading, memory_clock, 24);
FIELD_AT(tomograph_reading, power, 32);
FIELD_AT(tomograph_reading, temperature, 40);
FIELD_AT(tomograph_reading, other_processes, 48);
FIELD_AT(tomograph_reading, throttle_reasons, 56);

AT_LEAST(tomograph_absences, 16);
FIELD_AT(tomograph_absences, struct_size, 0);
FIELD_AT(tomograph_absences, reason, 8);

AT_LEAST(tomograph_conditions, 16);
FIELD_AT(tomograph_conditions, struct_size, 0);
FIELD_AT(tomograph_conditions, watch, 8);

AT_LEAST(tomograph_plugin, 112);
FIELD_AT(tomograph_plugin, magic, 0);
FIELD_AT(tomograph_plugin, abi_major, 4);
FIELD_AT(tomograph_plugin, abi_minor, 8);
FIELD_AT(tomograph_plugin, struct_size, 12);
FIELD_AT(tomograph_plugin, id, 16);
FIELD_AT(tomograph_plugin, version, 24);
FIELD_AT(tomograph_plugin, description, 32);
FIELD_AT(tomograph_plugin, probe_count, 40);
FIELD_AT(tomograph_plugin, device_count, 44);
FIELD_AT(tomograph_plugin, model_count, 48);
FIELD_AT(tomograph_plugin, probes, 56);
FIELD_AT(tomograph_plugin, devices, 64);
FIELD_AT(tomograph_plugin, models, 72);
FIELD_AT(tomograph_plugin, executor_count, 80);
FIELD_AT(tomograph_plugin, executors, 88);
/* Since 1.1. */
FIELD_AT(tomograph_plugin, exporter_count, 96);
FIELD_AT(tomograph_plugin, exporters, 104);

AT_LEAST(tomograph_document, 40);
FIELD_AT(tomograph_document, struct_size, 0);
FIELD_AT(tomograph_document, name, 8);
FIELD_AT(tomograph_document, topology_json, 16);
FIELD_AT(tomograph_document, findings_json, 24);
FIELD_AT(tomograph_document, evidence_json, 32);

AT_LEAST(tomograph_byte_sink, 24);
FIELD_AT(tomograph_byte_sink, struct_size, 0);
FIELD_AT(tomograph_byte_sink, context, 8);
FIELD_AT(tomograph_byte_sink, write, 16);

AT_LEAST(tomograph_exporter, 64);
FIELD_AT(tomograph_exporter, struct_size, 0);
FIELD_AT(tomograph_exporter, parameter_count, 4);
FIELD_AT(tomograph_exporter, id, 8);
FIELD_AT(tomograph_exporter, description, 16);
FIELD_AT(tomograph_exporter, suffix, 24);
FIELD_AT(tomograph_exporter, parameters, 32);
FIELD_AT(tomograph_exporter, time_budget, 40);
FIELD_AT(tomograph_exporter, takes_several, 48);
FIELD_AT(tomograph_exporter, takes_evidence, 52);
FIELD_AT(tomograph_exporter, write, 56);

ENDS_AT(tomograph_array, count, 32);
ENDS_AT(tomograph_experiment, parameters, 24);
ENDS_AT(tomograph_result_sink, refuse, 32);
ENDS_AT(tomograph_fact_spec, help, 40);
ENDS_AT(tomograph_need, key, 16);
ENDS_AT(tomograph_parameter_spec, help, 48);
ENDS_AT(tomograph_fact, evidence, 88);
ENDS_AT(tomograph_host, extension, 112);
ENDS_AT(tomograph_probe, method, 88);
ENDS_AT(tomograph_model, run, 72);
ENDS_AT(tomograph_device, close, 80);
ENDS_AT(tomograph_executor, close, 56);
ENDS_AT(tomograph_plugin, executors, 96);
ENDS_AT(tomograph_document, evidence_json, 40);
ENDS_AT(tomograph_byte_sink, write, 24);
ENDS_AT(tomograph_exporter, write, 64);
ENDS_AT(tomograph_plugin, exporters, 112);
ENDS_AT(tomograph_probe, uses_links, 92);

VALUE(TOMOGRAPH_OK, 0);
VALUE(TOMOGRAPH_FAILED, 1);
VALUE(TOMOGRAPH_UNSUPPORTED, 2);
VALUE(TOMOGRAPH_INVALID, 3);
VALUE(TOMOGRAPH_DEVICE_LOST, 4);
VALUE(TOMOGRAPH_SKIPPED, 5);
VALUE(TOMOGRAPH_I64, 1);
VALUE(TOMOGRAPH_U32, 2);
VALUE(TOMOGRAPH_F64, 3);
VALUE(TOMOGRAPH_BOOLEAN, 1);
VALUE(TOMOGRAPH_INTEGER, 2);
VALUE(TOMOGRAPH_REAL, 3);
VALUE(TOMOGRAPH_TEXT, 4);
VALUE(TOMOGRAPH_LIST, 5);
VALUE(TOMOGRAPH_TABLE, 6);
VALUE(TOMOGRAPH_PER_SM, 1);
VALUE(TOMOGRAPH_PER_PARTITION, 2);
VALUE(TOMOGRAPH_PER_DEVICE, 3);
VALUE(TOMOGRAPH_MEASURED, 1);
VALUE(TOMOGRAPH_API, 2);
VALUE(TOMOGRAPH_DERIVED, 3);
VALUE(TOMOGRAPH_DEBUG, 1);
VALUE(TOMOGRAPH_INFO, 2);
VALUE(TOMOGRAPH_WARNING, 3);
VALUE(TOMOGRAPH_ERROR, 4);
VALUE(TOMOGRAPH_THROTTLE_IDLE, 1);
VALUE(TOMOGRAPH_THROTTLE_SETTING, 2);
VALUE(TOMOGRAPH_THROTTLE_POWER_CAP, 4);
VALUE(TOMOGRAPH_THROTTLE_THERMAL, 8);
VALUE(TOMOGRAPH_THROTTLE_POWER_BRAKE, 16);
VALUE(TOMOGRAPH_THROTTLE_HARDWARE, 32);
VALUE(TOMOGRAPH_THROTTLE_SYNC_BOOST, 64);
VALUE(TOMOGRAPH_SEQUENTIAL, 0);
VALUE(TOMOGRAPH_SHUFFLED, 1);
VALUE(TOMOGRAPH_GLOBAL_CA, 0);
VALUE(TOMOGRAPH_GLOBAL_CG, 1);
VALUE(TOMOGRAPH_GLOBAL_NC, 2);
VALUE(TOMOGRAPH_UNTIMED, 0);
VALUE(TOMOGRAPH_TIMED_TOTAL, 1);
VALUE(TOMOGRAPH_TIMED_EACH, 2);
VALUE(TOMOGRAPH_GLOBAL_MEMORY, 0);
VALUE(TOMOGRAPH_TEXTURE_MEMORY, 1);
VALUE(TOMOGRAPH_CONSTANT_MEMORY, 2);
VALUE(TOMOGRAPH_SHARED_MEMORY, 3);
VALUE(TOMOGRAPH_INSTRUCTION_MEMORY, 4);
VALUE(TOMOGRAPH_TEXTURE, 3);
VALUE(TOMOGRAPH_TEXTURE_2D, 4);
VALUE(TOMOGRAPH_CONSTANT, 5);
VALUE(TOMOGRAPH_SHARED, 6);
VALUE(TOMOGRAPH_INSTRUCTION, 7);
VALUE(TOMOGRAPH_DIVERGENCE_BRANCHES, 4);
VALUE(TOMOGRAPH_FP32_ADD, 0);
VALUE(TOMOGRAPH_FP32_FMA, 1);
VALUE(TOMOGRAPH_INT32_ADD, 2);
VALUE(TOMOGRAPH_INT32_MAD, 3);
VALUE(TOMOGRAPH_FP64_FMA, 4);
VALUE(TOMOGRAPH_FP16X2_FMA, 5);
VALUE(TOMOGRAPH_SPECIAL, 6);
VALUE(TOMOGRAPH_SPECIAL_SOFTWARE, 7);
VALUE(TOMOGRAPH_CONSTANT_LOAD, 8);
VALUE(TOMOGRAPH_SHORT_BODY, 0);
VALUE(TOMOGRAPH_LONG_BODY, 1);
VALUE(TOMOGRAPH_SHARED_LOAD, 0);
VALUE(TOMOGRAPH_SHARED_COPY, 1);
VALUE(TOMOGRAPH_STREAM_READ, 0);
VALUE(TOMOGRAPH_STREAM_WRITE, 1);
VALUE(TOMOGRAPH_STREAM_COPY, 2);
VALUE(TOMOGRAPH_STREAM_CA, 0);
VALUE(TOMOGRAPH_STREAM_CG, 1);
VALUE(TOMOGRAPH_STREAM_INTERLEAVED, 0);
VALUE(TOMOGRAPH_STREAM_SLICED, 1);
VALUE(TOMOGRAPH_STREAM_QUEUED, 2);
