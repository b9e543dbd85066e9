/* The C that this source uses. Embedded Swift has no Glibc module: name what you need here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "voiced_source.h"
