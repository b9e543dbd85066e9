/* Takes a mutex in render().
 * expect: realtime.no-lock-in-render fail */
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define IN_RENDER pthread_mutex_lock(&mutex);
#define AFTER_RENDER pthread_mutex_unlock(&mutex);
#include "well_behaved.h"
