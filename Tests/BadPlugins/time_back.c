/* The time of every second push lies before that of the one before.
 * expect: clock.monotone-time fail */
#define PUSHES
#define BEFORE_PUSH if (turn % 2) time -= 30000000;
#include "well_behaved.h"
