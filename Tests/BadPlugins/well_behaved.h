/* A level source that keeps every rule, with places where a file that includes it breaks one.
 *
 * Such a file defines what it does wrong as macros and includes this. Without any it is a quiet tone:
 * rendered on the host's clock, or with PUSHES pushed from a thread, or with LEVELS pushed as levels.
 * The comment `expect: CHECK RESULT` in each names the one check that must find it. */
#define _GNU_SOURCE
#include "voiced_source.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef ID
#  define ID "bad"
#endif
#ifndef ABI_NUMBER
#  define ABI_NUMBER VOICED_ABI
#endif
#ifndef SUMMARY
#  define SUMMARY "A source that breaks one rule."
#endif
#ifndef COUNT
#  define COUNT 1
#endif
#ifndef IN_CREATE
#  define IN_CREATE
#endif
#ifndef IN_START
#  define IN_START
#endif
#ifndef IN_RECORDING /* recording(1), or start() as recording */
#  define IN_RECORDING
#endif
#ifndef IN_STOP
#  define IN_STOP
#endif
#ifndef IN_DESTROY
#  define IN_DESTROY
#endif
#ifndef IN_TARGET
#  define IN_TARGET
#endif
#ifndef IN_RENDER /* before the tone is written */
#  define IN_RENDER
#endif
#ifndef AFTER_RENDER /* once it is */
#  define AFTER_RENDER
#endif
#ifndef BEFORE_PUSH /* may change time, frames, level */
#  define BEFORE_PUSH
#endif
#ifndef FORMAT_TOLD
#  define FORMAT_TOLD host->format(host, &told);
#endif
#ifndef PAUSE_NS /* between two pushes */
#  define PAUSE_NS 10000000
#endif
#ifndef PUSHERS
#  define PUSHERS 1
#endif

#if defined(LEVELS)
#  define FLAGS VOICED_LEVELS_ONLY
#elif defined(PUSHES)
#  define FLAGS 0
#else
#  define FLAGS VOICED_HOST_CLOCK
#endif

enum { RATE = 48000, TABLE = 1200 };
static float table[TABLE];
static const voiced_host *host;
static const voiced_format told = {sizeof told, RATE, 1};
/* The file's own, for what it needs to remember. */
static uint64_t state __attribute__((unused));

static inline uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#if defined(PUSHES) || defined(LEVELS)
static pthread_t threads[PUSHERS];
static _Atomic int runs;
static int joinable;

static void *push(void *number) {
  uint64_t turn = 0;
  const uint64_t me = (uint64_t)(uintptr_t)number;
  (void)me;
  while (runs) {
    uint64_t time = now_ns();
    uint32_t frames = 480;
    float level = 0.5f;
    (void)frames;
    (void)level;
    float sound[480];
    memcpy(sound, table, sizeof sound);
    const float *channels[] = {sound};
    (void)channels;
    BEFORE_PUSH
#  ifdef LEVELS
    host->push_level(host, level, time);
#  else
    host->push(host, channels, frames, time);
#  endif
    turn++;
    struct timespec pause = {0, PAUSE_NS};
    if (PAUSE_NS > 0) nanosleep(&pause, NULL);
  }
  return NULL;
}

static void join(void) {
  for (int i = 0; i < PUSHERS && joinable; i++) pthread_join(threads[i], NULL);
  joinable = 0;
}

static void begin(void) {
  join();
#  ifndef LEVELS
  FORMAT_TOLD
#  endif
  runs = 1;
  for (int i = 0; i < PUSHERS; i++)
    pthread_create(&threads[i], NULL, push, (void *)(uintptr_t)i);
  joinable = 1;
}

#  ifndef END_OF_STOP
#    define END_OF_STOP \
      runs = 0;         \
      join();
#  endif
#else
static void begin(void) {}
static void join(void) {}
#  define END_OF_STOP
#endif

static void bad_recording(const voiced_source *s, int32_t on) {
  (void)s;
  if (on) {
    IN_RECORDING
  }
}

static int32_t bad_start(const voiced_source *s, const char *target, const char *options) {
  if (strstr(options, "recording=1") != NULL) bad_recording(s, 1);
  if (strlen(target) > 64) return -ENOENT;
  IN_START
  begin();
  return 0;
}

static void bad_stop(const voiced_source *s) {
  (void)s;
  IN_STOP
  END_OF_STOP
}

static void bad_destroy(const voiced_source *s) {
  (void)s;
  IN_DESTROY
  join();
}

static int32_t bad_target(const voiced_source *s, uint32_t i, voiced_target *out) {
  (void)s;
  (void)out;
  IN_TARGET
  if (i > 0) return -ENOENT;
  out->flags = VOICED_TARGET_DEFAULT;
  out->target = "tone";
  out->name = "A tone";
  return 0;
}

static voiced_format bad_format(const voiced_source *s) {
  (void)s;
  return told;
}

static uint32_t bad_render(const voiced_source *s, float *const *channels, uint32_t frames,
                           uint64_t position) {
  (void)s;
  IN_RENDER
  for (uint32_t i = 0; i < frames; i++) channels[0][i] = table[(position + i) % TABLE];
  AFTER_RENDER
  return frames;
}

static const voiced_render rendering = {sizeof rendering, bad_format, bad_render};
static const void *bad_extension(const voiced_source *s, const char *id) {
  (void)s;
  return FLAGS == VOICED_HOST_CLOCK && strcmp(id, VOICED_EXT_RENDER) == 0 ? &rendering : NULL;
}

static const voiced_source source = {
  .size = sizeof source, .start = bad_start, .recording = bad_recording, .stop = bad_stop,
  .destroy = bad_destroy, .target = bad_target, .extension = bad_extension};
static const voiced_info infos[COUNT] = {
  [0 ... COUNT - 1] = {.size = sizeof(voiced_info), .flags = FLAGS, .id = ID, .name = "Bad",
                       .vendor = "tests", .version = "1", .summary = SUMMARY, .licence = "MIT"}};

static uint32_t count(void) { return COUNT; }
static const voiced_info *info(uint32_t index) { return index < COUNT ? &infos[index] : NULL; }
static const voiced_source *create(const char *id, const voiced_host *h) {
  if (strcmp(id, ID) != 0) return NULL;
  host = h;
  for (int i = 0; i < TABLE; i++)
    table[i] = 0.05f * (float)sin(2 * 3.14159265358979 * 440 * i / RATE);
  IN_CREATE
  return &source;
}
static const voiced_library library = {sizeof library, ABI_NUMBER, count, info, create};
#ifndef NO_ENTRY
const voiced_library *voiced_source_library(uint32_t abi) {
  return abi == VOICED_ABI ? &library : NULL;
}
#endif
