/* Hangs in stop().
 * expect: instance.stop-returns fail */
#define IN_STOP for (;;) pause();
#include "well_behaved.h"
