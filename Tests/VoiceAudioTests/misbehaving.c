/* A level source that breaks the rule that its macro names; built by the tests with the C compiler
 * that is there. Without a macro it pushes a tone of 440 Hz, 0.5, at RATE, on a thread of its own. */
#include "voiced_source.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef RATE
#define RATE 48000
#endif
#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef ABI
#define ABI VOICED_ABI
#endif
#ifndef FLAGS
#define FLAGS 0
#endif

static const voiced_host *host;
static pthread_t threads[2];
static atomic_int running;
static int pipe_ends[2], calls, on_fd_calls, knows;
static float samples[RATE / 50];

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *deliver(void *unused) {
  (void)unused;
  const float *channels[CHANNELS];
  for (int i = 0; i < CHANNELS; i++) channels[i] = samples;
  uint64_t frame = 0, begin = now();
  while (running) {
    for (int i = 0; i < RATE / 50; i++)
      samples[i] = 0.5f * (float)sin(2 * 3.14159265358979 * 440 * (double)((frame + i) % RATE) / RATE);
    frame += RATE / 50;
    uint64_t due = begin + frame * 1000000000u / RATE, t = due - 20000000u;
    while (now() < due) usleep(1000); /* the source's own clock: a buffer each 20 ms */
#if defined NO_CHANNEL
    channels[CHANNELS - 1] = 0;
#endif
#if defined ABSURD_FRAMES
    host->push(host, channels, 0xFFFFFFFFu, t);
#elif defined FUTURE
    host->push(host, channels, RATE / 50, t + 3600000000000u);
#elif defined LEVEL
    host->push_level(host, 0.5f, t);
#elif defined LOG_FLOOD
    for (int i = 0; i < 1000; i++) host->call_main(host);
    host->push(host, channels, RATE / 50, t);
#else
    host->push(host, channels, RATE / 50, t);
#endif
  }
#ifdef PUSH_AFTER_STOP
  /* Over the time in which stop() returns and the host looks for this. */
  for (int i = 0; i < 20; i++) usleep(10000), host->push(host, channels, RATE / 50, now());
#endif
  return 0;
}

static int32_t start(const voiced_source *s, const char *target, const char *options) {
  (void)s, (void)options;
  voiced_format f = {sizeof f, RATE, CHANNELS};
  if (strcmp(target, "nowhere") == 0) return -ENOENT;
#if defined HANG_START
  for (host->log(host, VOICED_LOG_INFO, "hangs");;) pause();
#elif defined TRAP_START
  __builtin_trap();
#elif defined BAD_FORMAT
  f.rate = 0, f.channels = 4000000000u;
#elif defined HOG
  for (int i = 0; i < 64; i++) {
    char *part = malloc(16 << 20);
    if (!part) return -ENOMEM;
    memset(part, 1, 16 << 20);
  }
#elif defined NOISY
  for (int i = 0; i < 1000; i++) puts("noise on standard output");
  fflush(stdout);
#endif
#ifdef FLOOD
  for (int i = 0; i < 20000; i++) host->log(host, 99, "a line \xff of a flood");
#endif
#ifndef NO_FORMAT
  host->format(host, &f);
#endif
  host->linked(host, "a tone \xfe");
  host->linked(host, "a tone \xfe");
#ifdef ENDS
  host->ended(host, -ENODEV);
  host->ended(host, 0);
  return 0;
#endif
  running = 1;
  pthread_create(&threads[0], 0, deliver, 0);
#ifdef TWO_THREADS
  pthread_create(&threads[1], 0, deliver, 0);
#endif
  return 0;
}

static void stop(const voiced_source *s) {
  (void)s;
#ifdef HANG_STOP
  for (;;) pause();
#endif
#ifdef PUSH_AFTER_STOP
  running = 0;
  return;
#endif
  if (running) {
    running = 0;
    pthread_join(threads[0], 0);
#ifdef TWO_THREADS
    pthread_join(threads[1], 0);
#endif
  }
}

static void destroy(const voiced_source *s) {
  (void)s;
#ifdef PUSH_AFTER_STOP
  pthread_join(threads[0], 0);
#endif
}

/* The list of targets is known once on_main and then on_fd were called. */
static void on_main(const voiced_source *s) {
  (void)s;
  if (calls++ == 0) (void)!write(pipe_ends[1], "x", 1);
}

static void on_fd(const voiced_source *s, int fd, int readable, int writable) {
  (void)s, (void)writable;
  char byte;
  if (readable && fd == pipe_ends[0] && read(fd, &byte, 1) == 1 && ++on_fd_calls) knows = 1;
}

static int32_t target(const voiced_source *s, uint32_t i, voiced_target *out) {
  (void)s;
  if (!knows) return -EAGAIN;
  if (i > 1) return -ENOENT;
  out->target = i ? "two" : "one";
  out->name = i ? "Two" : "One \xff";
  out->flags = i ? VOICED_TARGET_MUTED : VOICED_TARGET_DEFAULT;
  return 0;
}

static const voiced_source source = {.size = sizeof source, .start = start, .stop = stop,
                                     .destroy = destroy, .on_main = on_main, .on_fd = on_fd,
                                     .target = target};
static const voiced_info info = {.size = sizeof info, .flags = FLAGS, .id = "wrong",
                                 .name = "Wrong", .vendor = "tests", .version = "1",
                                 .summary = "Breaks a rule.", .licence = "MIT"};
static uint32_t count(void) { return 1; }
static const voiced_info *get(uint32_t i) { return i ? 0 : &info; }

static const voiced_source *create(const char *id, const voiced_host *h) {
  (void)id;
  host = h;
  if (pipe(pipe_ends)) return 0;
  host->watch(host, pipe_ends[0], 1, 0);
#ifndef NEVER_KNOWS
  host->call_main(host);
#endif
  return &source;
}

static const voiced_library library = {.size = sizeof library, .abi = ABI, .count = count,
                                       .info = get, .create = create};
VOICED_EXPORT const voiced_library *voiced_source_library(uint32_t abi) {
  (void)abi;
  return &library;
}
