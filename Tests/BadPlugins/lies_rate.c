/* Tells 48000 Hz and pushes a third of that.
 * expect: rates.frames-as-told fail */
#define PUSHES
#define BEFORE_PUSH frames = 160;
#include "well_behaved.h"
