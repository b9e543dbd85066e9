/* A source for the benchmark: silence of 0.6 to 1.2 s, a tone of 0.3 s that begins at once, and
 * again. Its target is a file to which the time of each first loud push is written. The silences
 * differ, or the steps would keep pace with the daemon's readings. */
#include "voiced_source.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { RATE = 48000, QUANTUM = 480 };
enum { SHORTEST = 60, LONGEST = 120, LOUD = 30 }; /* in quanta */

static const voiced_host *host;
static pthread_t thread;
static _Atomic int runs;
static FILE *times;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *push(void *unused) {
  (void)unused;
  static float silence[QUANTUM], tone[QUANTUM];
  for (int i = 0; i < QUANTUM; i++) tone[i] = 0.5f * sinf(6.2831853f * 500 * (float)i / RATE);
  uint64_t next = now();
  uint32_t dice = 1;
  int turn = -LONGEST; /* Negative in a silence. */
  for (; runs; turn++) {
    if (turn == LOUD) {
      dice = dice * 1664525u + 1013904223u; /* Numerical Recipes' generator */
      turn = -(SHORTEST + (int)((dice >> 16) % (LONGEST - SHORTEST + 1)));
    }
    next += (uint64_t)QUANTUM * 1000000000u / RATE;
    struct timespec until = {(time_t)(next / 1000000000u), (long)(next % 1000000000u)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    const float *channels[] = {turn >= 0 ? tone : silence};
    const uint64_t told = now();
    /* Its last frame was heard just now. */
    host->push(host, channels, QUANTUM, next - (uint64_t)QUANTUM * 1000000000u / RATE);
    if (turn == 0) fprintf(times, "%llu\n", (unsigned long long)told);
  }
  return NULL;
}

static int32_t step_start(const voiced_source *s, const char *target, const char *options) {
  static const voiced_format format = {sizeof format, RATE, 1};
  (void)s;
  (void)options;
  times = fopen(target, "w");
  if (times == NULL) return -errno;
  setlinebuf(times);
  host->format(host, &format);
  runs = 1;
  return -pthread_create(&thread, NULL, push, NULL);
}

static void step_stop(const voiced_source *s) {
  (void)s;
  if (times == NULL) return;
  runs = 0;
  pthread_join(thread, NULL);
  fclose(times);
  times = NULL;
}

static void step_destroy(const voiced_source *s) { (void)s; }

static const voiced_source source = {
  .size = sizeof source, .start = step_start, .stop = step_stop, .destroy = step_destroy};
static const voiced_info about = {
  sizeof about, 0, "step", "Steps", "voiced", "1", "Silence and steps, for a benchmark.", "MIT"};

static uint32_t count(void) { return 1; }
static const voiced_info *info(uint32_t index) { return index == 0 ? &about : NULL; }
static const voiced_source *create(const char *id, const voiced_host *h) {
  host = h;
  return strcmp(id, "step") == 0 ? &source : NULL;
}
static const voiced_library library = {sizeof library, VOICED_ABI, count, info, create};
const voiced_library *voiced_source_library(uint32_t abi) {
  return abi == VOICED_ABI ? &library : NULL;
}
