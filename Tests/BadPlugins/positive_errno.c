/* start() answers an errno that is not negative.
 * expect: instance.start-answers fail */
#define IN_START return ENOENT;
#include "well_behaved.h"
