/* Forks in start(); the child stays.
 * expect: containment.no-process fail */
#define IN_START \
  if (fork() == 0) for (;;) pause();
#include "well_behaved.h"
