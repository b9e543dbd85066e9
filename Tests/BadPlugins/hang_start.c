/* Hangs in start().
 * expect: instance.start-answers fail */
#define IN_START for (;;) pause();
#include "well_behaved.h"
