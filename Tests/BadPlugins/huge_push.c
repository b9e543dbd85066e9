/* Pushes a sample of 1e30.
 * expect: clock.samples-finite fail */
#define PUSHES
#define BEFORE_PUSH sound[7] = 1e30f;
#include "well_behaved.h"
