/* Pushes a level of 1.5.
 * expect: clock.levels-in-range fail */
#define LEVELS
#define BEFORE_PUSH level = 1.5f;
#include "well_behaved.h"
