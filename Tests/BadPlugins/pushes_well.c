/* Breaks no rule, and pushes.
 * expect: nothing */
#define PUSHES
#include "well_behaved.h"
