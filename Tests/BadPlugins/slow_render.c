/* Takes as long to render as the sound lasts, or longer, in the check's own block size.
 * expect: realtime.render-is-quick fail */
#define IN_RENDER \
  if (frames == 480) for (volatile uint32_t work = 0; work < 480 * 24000; work++) {}
#include "well_behaved.h"
