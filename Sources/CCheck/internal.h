/* Shared by the C files of this target alone. */
#ifndef CCHECK_INTERNAL_H
#define CCHECK_INTERNAL_H
#include "CCheck.h"

extern check_page *check_current;
#if defined(__has_feature)
#  if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#    define CHECK_SANITIZED 1
#  endif
#endif

void check_calling(const char *call);
/* What the audio thread does while watched; plain counters of that thread. */
extern _Thread_local int check_watching;
extern _Thread_local uint64_t check_seen_allocations, check_seen_locks;
#endif
