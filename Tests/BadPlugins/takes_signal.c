/* Ignores a signal for the whole process.
 * expect: containment.keeps-process fail */
#define IN_START signal(SIGPIPE, SIG_IGN);
#include "well_behaved.h"
