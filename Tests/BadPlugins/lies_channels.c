/* Tells one channel and writes two.
 * expect: rates.channels-as-told fail */
#define AFTER_RENDER channels[1][0] = 0;
#include "well_behaved.h"
