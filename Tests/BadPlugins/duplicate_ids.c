/* Lists the same id twice.
 * expect: library.unique-ids fail */
#define COUNT 2
#include "well_behaved.h"
