/* Takes 144 MB when it is recorded.
 * expect: containment.memory fail */
#define IN_RECORDING                                                                   \
  if (state == 0) {                                                                    \
    char *volatile much = malloc(144 << 20);                                           \
    if (much != NULL)                                                                  \
      for (int i = 0; i < 144 << 20; i += 4096) much[i] = 1;                           \
    state = (uint64_t)(uintptr_t)much;                                                 \
  }
#include "well_behaved.h"
