/* Answers for frames that it did not write.
 * expect: rates.channels-as-told fail */
#define IN_RENDER if (frames > 1) frames--;
#define AFTER_RENDER if (frames > 1) frames++;
#include "well_behaved.h"
