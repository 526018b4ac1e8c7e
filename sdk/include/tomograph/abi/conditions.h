/* Conditions: clocks, power, temperature and other processes on a device. An extension of the host for devices.
 *
 * A device whose clock changes or that others use measures something else. A device that can tell hands in a function
 * in `open`; the host calls it ten times a second while probes run, keeps the readings as evidence and reports changes.
 *
 * Extension id "tomograph.conditions/1". */
#ifndef TOMOGRAPH_ABI_CONDITIONS_H
#define TOMOGRAPH_ABI_CONDITIONS_H

#include "version.h"

#define TOMOGRAPH_CONDITIONS_ID "tomograph.conditions/1"

/* Why the SM clock is lower than it could be: a set of bits. Values are frozen. */
typedef uint64_t tomograph_throttle_reasons;
enum {
  TOMOGRAPH_THROTTLE_IDLE = 1,         /* nothing runs */
  TOMOGRAPH_THROTTLE_SETTING = 2,      /* a user asked for this clock */
  TOMOGRAPH_THROTTLE_POWER_CAP = 4,    /* the limit of power */
  TOMOGRAPH_THROTTLE_THERMAL = 8,      /* temperature */
  TOMOGRAPH_THROTTLE_POWER_BRAKE = 16, /* the power supply asked for less */
  TOMOGRAPH_THROTTLE_HARDWARE = 32,    /* hardware protects itself, for a reason that it does not tell */
  TOMOGRAPH_THROTTLE_SYNC_BOOST = 64   /* another device of the same group is slower */
};
#define TOMOGRAPH_THROTTLE_UNKNOWN UINT64_MAX

/* The state of a device at one time. The host fills in `struct_size` and marks everything as unknown: numbers are NaN.
 * The device sets what it knows, and only fields that `struct_size` covers. */
typedef struct tomograph_reading {
  uint32_t struct_size;
  double sm_clock;        /* Hz */
  double sm_clock_step;   /* Hz between two clocks that the device can have; sm_clock is rounded to such a step */
  double memory_clock;    /* Hz */
  double power;           /* W */
  double temperature;     /* degrees Celsius */
  double other_processes; /* number of processes that use the device, without this one */
  tomograph_throttle_reasons throttle_reasons;
} tomograph_reading;

typedef struct tomograph_conditions {
  uint32_t struct_size;
  /* [in open] While probes run, the host calls `read(device, reading)` on a thread of its own, also while the device
   * executes. `read` must not throw. The host ends the thread before it calls `close`; if `read` does not return within
   * a second, it does not call `close`. `context` is that of tomograph_host. */
  void (*watch)(void* context, void (*read)(void* device, tomograph_reading* reading), void* device);
} tomograph_conditions;

#endif
