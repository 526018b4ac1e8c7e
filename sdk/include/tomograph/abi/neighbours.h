/* Neighbours: other programs that use the same device. An extension of the host for devices.
 *
 * Programs take turns on a GPU. A turn of another program in the middle of an experiment lengthens what was timed and
 * replaces what caches held. A device that can tell says so, and the host executes the experiment again.
 *
 * Extension id "tomograph.neighbours/1". Both functions take the context of tomograph_host as first argument. */
#ifndef TOMOGRAPH_ABI_NEIGHBOURS_H
#define TOMOGRAPH_ABI_NEIGHBOURS_H

#include "version.h"

#define TOMOGRAPH_NEIGHBOURS_ID "tomograph.neighbours/1"

/* What a device knows about one execution of an experiment. Values are frozen. */
typedef uint32_t tomograph_disturbance;
enum {
  TOMOGRAPH_PERHAPS_DISTURBED = 0, /* it cannot tell */
  TOMOGRAPH_UNDISTURBED = 1,       /* no other program had a turn from the first to the last access */
  TOMOGRAPH_TIMES_DISTURBED = 2,   /* another program had a turn while time was taken */
  TOMOGRAPH_WARM_UP_DISTURBED = 3  /* another program had a turn, but no time was taken: caches may hold less */
};

typedef struct tomograph_neighbours {
  uint32_t struct_size;
  /* [in open] From now on until the device is closed, the host calls `in_use(device)` after each batch, its own and
   * those of executors. It returns 1 if another program has used the device lately, else 0. */
  void (*watch)(void* context, uint32_t (*in_use)(void* device), void* device);
  /* [in execute] Whether the experiment at this position of the batch was disturbed. Without a call: perhaps. */
  void (*seen)(void* context, uint64_t experiment, tomograph_disturbance disturbance);
} tomograph_neighbours;

#endif
