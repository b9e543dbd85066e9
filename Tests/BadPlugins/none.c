/* Breaks no rule: what the others differ from.
 * expect: nothing */
#include "well_behaved.h"
