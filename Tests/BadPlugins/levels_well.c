/* Breaks no rule, and pushes levels.
 * expect: nothing */
#define LEVELS
#include "well_behaved.h"
