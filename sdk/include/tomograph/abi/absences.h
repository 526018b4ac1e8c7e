/* Absences: facts that a device does not have, unlike facts that nobody measured. An extension of the host for probes
 * and models.
 *
 * tomograph_host::fact gives null for both. A probe that concludes from a missing fact that there is nothing to find
 * must know which of them it is: the probe that tells the fact may have failed, or the user may have left it out.
 *
 * Extension id "tomograph.absences/1". */
#ifndef TOMOGRAPH_ABI_ABSENCES_H
#define TOMOGRAPH_ABI_ABSENCES_H

#include <stdint.h>

#define TOMOGRAPH_ABSENCES_ID "tomograph.absences/1"

typedef struct tomograph_absences {
  uint32_t struct_size;
  /* The reason why the device does not have a fact. Null if it has it, if nobody knows, or if the probe does not
   * declare the fact as a need. `context` is that of tomograph_host. Owned by the host, valid as long as the host. */
  const char* (*reason)(void* context, const char* key);
} tomograph_absences;

#endif
