/* Closes every descriptor from 3 on.
 * expect: containment.keeps-descriptors fail */
#define IN_START for (int i = 3; i < 256; i++) close(i);
#include "well_behaved.h"
