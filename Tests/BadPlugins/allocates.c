/* Allocates in render().
 * expect: realtime.no-allocation-in-render fail */
#define IN_RENDER void *volatile memory = malloc(64); free(memory);
#include "well_behaved.h"
