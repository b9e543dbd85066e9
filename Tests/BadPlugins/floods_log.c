/* Logs 2000 lines.
 * expect: containment.no-log-flood fail */
#define IN_START for (int i = 0; i < 2000; i++) host->log(host, VOICED_LOG_INFO, "flood");
#include "well_behaved.h"
