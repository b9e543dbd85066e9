/* Writes past the frames it was asked for.
 * expect: clock.any-block-size fail */
#define AFTER_RENDER channels[0][frames] = 0;
#include "well_behaved.h"
