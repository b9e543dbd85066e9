/* Tells a channel and pushes none.
 * expect: rates.channels-as-told fail */
#define PUSHES
#define BEFORE_PUSH channels[0] = NULL;
#include "well_behaved.h"
