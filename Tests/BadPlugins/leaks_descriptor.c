/* Leaves a descriptor open each start.
 * expect: instance.no-descriptor-left fail */
#define IN_START if (open("/dev/null", O_RDONLY) < 0) return -errno;
#include "well_behaved.h"
