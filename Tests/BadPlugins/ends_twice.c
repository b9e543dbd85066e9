/* Calls ended() twice.
 * expect: instance.ended-rules fail */
#define IN_STOP host->ended(host, 0); host->ended(host, 0);
#include "well_behaved.h"
