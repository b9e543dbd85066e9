/* Traps after a second of sound.
 * expect: clock.render-advances crash */
#define IN_RENDER if (position > 48000 && frames == 1024) __builtin_trap();
#include "well_behaved.h"
