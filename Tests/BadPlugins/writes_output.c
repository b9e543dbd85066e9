/* Writes to standard output.
 * expect: containment.quiet-output fail */
#define IN_START for (int i = 0; i < 2000; i++) puts("noise");
#include "well_behaved.h"
