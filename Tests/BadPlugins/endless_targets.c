/* There is no end to its targets.
 * expect: targets.ends-with-enoent fail */
#define IN_TARGET i = 0;
#include "well_behaved.h"
