/* Leaves a thread running.
 * expect: instance.no-thread-left fail */
#include <pthread.h>
#include <unistd.h>
static void *linger(void *x) {
  for (;;) pause();
  return x;
}
static pthread_t lingering;
#define IN_START \
  if (state++ == 0) pthread_create(&lingering, NULL, linger, NULL);
#include "well_behaved.h"
