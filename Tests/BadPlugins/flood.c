/* Pushes as fast as it can.
 * expect: clock.no-flood fail */
#define PUSHES
#define PAUSE_NS 0
#include "well_behaved.h"
