/* Has no summary.
 * expect: library.texts fail */
#define SUMMARY NULL
#include "well_behaved.h"
