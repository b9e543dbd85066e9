/* The layout of ABI 1, frozen: a build in which one of these fails would break every plugin there is.
 * LP64; also compiled as C++ by the tests. */
#include "voiced_source.h"
#include <assert.h>
#include <stddef.h>

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type " has changed its size")
#define AT(type, member, offset) \
  static_assert(offsetof(type, member) == (offset), #type "." #member " has moved")

#if UINTPTR_MAX == UINT64_MAX
SIZE(voiced_format, 12);
AT(voiced_format, size, 0);
AT(voiced_format, rate, 4);
AT(voiced_format, channels, 8);

SIZE(voiced_host, 88);
AT(voiced_host, size, 0);
AT(voiced_host, host, 8);
AT(voiced_host, extension, 16);
AT(voiced_host, log, 24);
AT(voiced_host, format, 32);
AT(voiced_host, push, 40);
AT(voiced_host, push_level, 48);
AT(voiced_host, linked, 56);
AT(voiced_host, ended, 64);
AT(voiced_host, call_main, 72);
AT(voiced_host, watch, 80);

SIZE(voiced_info, 56);
AT(voiced_info, size, 0);
AT(voiced_info, flags, 4);
AT(voiced_info, id, 8);
AT(voiced_info, name, 16);
AT(voiced_info, vendor, 24);
AT(voiced_info, version, 32);
AT(voiced_info, summary, 40);
AT(voiced_info, licence, 48);

SIZE(voiced_target, 24);
AT(voiced_target, size, 0);
AT(voiced_target, flags, 4);
AT(voiced_target, target, 8);
AT(voiced_target, name, 16);

SIZE(voiced_source, 80);
AT(voiced_source, size, 0);
AT(voiced_source, source, 8);
AT(voiced_source, start, 16);
AT(voiced_source, recording, 24);
AT(voiced_source, stop, 32);
AT(voiced_source, destroy, 40);
AT(voiced_source, on_main, 48);
AT(voiced_source, on_fd, 56);
AT(voiced_source, target, 64);
AT(voiced_source, extension, 72);

SIZE(voiced_render, 24);
AT(voiced_render, size, 0);
AT(voiced_render, format, 8);
AT(voiced_render, render, 16);

SIZE(voiced_library, 32);
AT(voiced_library, size, 0);
AT(voiced_library, abi, 4);
AT(voiced_library, count, 8);
AT(voiced_library, info, 16);
AT(voiced_library, create, 24);
#endif

static_assert(VOICED_ABI == 1, "ABI 1 is frozen; a new one is a new header");
static_assert(VOICED_HOST_CLOCK == 1 && VOICED_HEARS_THE_USER == 2 && VOICED_LEVELS_ONLY == 4,
              "flags");
static_assert(VOICED_TARGET_DEFAULT == 1 && VOICED_TARGET_MUTED == 2, "target flags");
static_assert(VOICED_LOG_DEBUG == 0 && VOICED_LOG_INFO == 1 && VOICED_LOG_WARNING == 2 &&
                VOICED_LOG_ERROR == 3 && VOICED_LOG_HOST_MISBEHAVING == 4 &&
                VOICED_LOG_PLUGIN_MISBEHAVING == 5,
              "severities");
