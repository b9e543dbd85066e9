/* Traps when it is given back.
 * expect: instance.create-destroy crash */
#define IN_DESTROY __builtin_trap();
#include "well_behaved.h"
