/* Renders samples that are not finite.
 * expect: clock.samples-finite fail */
#define AFTER_RENDER channels[0][0] = NAN;
#include "well_behaved.h"
