/* Opens a file in render().
 * expect: realtime.no-system-call-in-render fail */
#define IN_RENDER int file = open("/dev/null", O_RDONLY); close(file);
#include "well_behaved.h"
