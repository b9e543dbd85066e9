/* Pushes from two threads.
 * expect: clock.one-audio-thread fail */
#define PUSHES
#define PUSHERS 2
#include "well_behaved.h"
