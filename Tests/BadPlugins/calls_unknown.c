/* Calls a function past the end of ABI 1's host.
 * expect: growth.larger-host-struct fail */
#define IN_START if (host->size > sizeof *host) (*(void (*const *)(void))(host + 1))();
#include "well_behaved.h"
