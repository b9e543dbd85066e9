/* Traps in start().
 * expect: instance.start-answers crash */
#define IN_START __builtin_trap();
#include "well_behaved.h"
