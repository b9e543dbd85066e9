/* Its id is a path.
 * expect: library.clean-ids fail */
#define ID "../Un clean"
#include "well_behaved.h"
