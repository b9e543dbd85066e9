/* The time of its pushes lies a second ahead.
 * expect: clock.time-is-now fail */
#define PUSHES
#define BEFORE_PUSH time += 1000000000;
#include "well_behaved.h"
