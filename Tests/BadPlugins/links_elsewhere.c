/* Calls linked() from its audio thread.
 * expect: instance.main-thread-calls fail */
#define PUSHES
#define BEFORE_PUSH if (turn == 0) host->linked(host, "tone");
#include "well_behaved.h"
