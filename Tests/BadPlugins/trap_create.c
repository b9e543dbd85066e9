/* Traps when it is made.
 * expect: instance.create-destroy crash */
#define IN_CREATE __builtin_trap();
#include "well_behaved.h"
