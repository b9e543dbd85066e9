/* Goes on pushing for 100 ms after stop().
 * expect: clock.silent-after-stop fail */
#define PUSHES
#define END_OF_STOP state = now_ns() + 100000000;
#define BEFORE_PUSH if (state != 0 && time > state) return NULL;
#define IN_START join(); state = 0;
#define IN_DESTROY runs = 0;
#include "well_behaved.h"
