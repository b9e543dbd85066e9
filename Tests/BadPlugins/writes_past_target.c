/* Writes past the end of the host's structure of a target.
 * expect: targets.within-size fail */
#define IN_TARGET if (i == 0) out[1].size = 1;
#include "well_behaved.h"
