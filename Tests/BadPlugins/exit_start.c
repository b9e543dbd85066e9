/* Ends the process in start(), with status 0.
 * expect: instance.start-answers crash */
#define IN_START exit(0);
#include "well_behaved.h"
