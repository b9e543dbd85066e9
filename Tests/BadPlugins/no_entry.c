/* Has no entry.
 * expect: library.entry fail */
#define NO_ENTRY
#include "well_behaved.h"
