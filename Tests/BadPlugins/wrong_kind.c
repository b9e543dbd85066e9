/* Pushes levels beside its sound.
 * expect: clock.right-kind fail */
#define PUSHES
#define BEFORE_PUSH host->push_level(host, level, time);
#include "well_behaved.h"
