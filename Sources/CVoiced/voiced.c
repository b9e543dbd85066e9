/* The public headers have no code of their own; a package target needs one source file. */
#include "voiced_source.h"
