/* Says that its ABI is 99.
 * expect: library.abi-number fail */
#define ABI_NUMBER 99
#include "well_behaved.h"
