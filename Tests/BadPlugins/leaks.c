/* Leaks a block of memory each start.
 * expect: instance.no-memory-left fail */
#define IN_START void *volatile lost = malloc(4096); memset(lost, 1, 4096);
#include "well_behaved.h"
