/* Traps in the first render().
 * expect: clock.first-sound crash */
#define IN_RENDER __builtin_trap();
#include "well_behaved.h"
