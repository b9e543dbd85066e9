/* Needs a function that nobody has.
 * expect: library.loads fail */
void nobody_has_this_function(void);
#define IN_START nobody_has_this_function();
#include "well_behaved.h"
