/* Pushes without having told a format.
 * expect: rates.format-first fail */
#define PUSHES
#define FORMAT_TOLD
#include "well_behaved.h"
