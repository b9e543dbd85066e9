/* The host's audio thread: renders, with guards around every buffer and eyes on the thread. */
#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- system calls: the kernel stops at each while the selector says so (Linux 5.11, x86-64).
 * The first one of a render is counted, then done for the library as if nothing had been. */
#if defined(__x86_64__) && defined(SYS_prctl)
#  define CAN_WATCH_CALLS 1
enum { USER_DISPATCH = 59, DISPATCH_OFF = 0, DISPATCH_ON = 1, ALLOW = 0, BLOCK = 1 };
static _Thread_local volatile char selector;
static volatile uint64_t calls_seen;
static volatile int first_call = -1;

static void on_system_call(int signal, siginfo_t *info, void *context) {
  (void)signal;
  selector = ALLOW; /* for the rest of this render, and for the return from here */
  calls_seen++;
  if (first_call < 0) first_call = info->si_syscall;
  greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
  long answer = syscall(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
                        r[REG_R8], r[REG_R9]);
  r[REG_RAX] = answer == -1 ? -errno : answer;
}

static int watch_calls(void) {
  struct sigaction action = {.sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO};
  if (sigaction(SIGSYS, &action, NULL) != 0) return 0;
  return prctl(USER_DISPATCH, DISPATCH_ON, 0, 0, &selector) == 0;
}
#endif

int check_can_watch_calls(void) {
#ifdef CAN_WATCH_CALLS
  if (prctl(USER_DISPATCH, DISPATCH_ON, 0, 0, &selector) != 0) return 0;
  prctl(USER_DISPATCH, DISPATCH_OFF, 0, 0, 0);
  return 1;
#else
  return 0;
#endif
}

/* ---- buffers: room for one more channel than the limit, each with a guard at both ends. The
 * mark is a NaN of a pattern that arithmetic does not make. */
enum { GUARD = 64, SPAN = GUARD + VOICED_MAX_FRAMES + GUARD };
static const uint32_t mark = 0x7fc5a5c3u;

static int is_mark(const float *at) { return memcmp(at, &mark, sizeof mark) == 0; }
static void fill(float *at, size_t count) {
  for (size_t i = 0; i < count; i++) memcpy(at + i, &mark, sizeof mark);
}
static int all_marks(const float *at, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!is_mark(at + i)) return 0;
  return 1;
}

typedef struct job {
  const voiced_source *source;
  const voiced_render *render;
  voiced_format format;
  const uint32_t *sizes;
  uint32_t count, flags;
  uint64_t total;
  check_rendered *out;
  float *memory; /* (channels + 1) spans; the last is the channel nobody told of */
} job;

static uint64_t thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void look_at(const job *j, float *const *given, uint32_t asked, uint32_t answered) {
  check_rendered *out = j->out;
  uint32_t good = answered < asked ? answered : asked;
  int overrun = 0, unwritten = 0;
  for (uint32_t c = 0; c < j->format.channels; c++) {
    const float *at = given[c];
    if (!all_marks(at - GUARD, GUARD) || !all_marks(at + asked, GUARD)) overrun = 1;
    for (uint32_t i = 0; i < good; i++) {
      if (is_mark(at + i)) unwritten = 1;
      else if (!isfinite(at[i])) out->not_finite++;
      else if (fabsf(at[i]) > 1000) out->huge++;
    }
  }
  if (!all_marks(given[j->format.channels] - GUARD, (size_t)GUARD + asked + GUARD))
    out->other_channel++;
  out->overrun += (uint32_t)overrun;
  out->unwritten += (uint32_t)unwritten;
}

static uint32_t render_once(const job *j, float **given, uint32_t asked) {
  check_rendered *out = j->out;
  uint32_t channels = j->format.channels;
  float *copy[VOICED_MAX_CHANNELS + 1];
  for (uint32_t c = 0; c <= channels; c++) {
    given[c] = copy[c] = j->memory + (size_t)c * SPAN + GUARD;
    fill(given[c] - GUARD, (size_t)GUARD + asked + GUARD);
  }
  uint64_t before = thread_time();
  check_seen_allocations = check_seen_locks = 0;
  check_watching = 1;
#ifdef CAN_WATCH_CALLS
  if (j->flags & CHECK_WATCH_CALLS) selector = BLOCK;
#endif
  uint32_t answered = j->render->render(j->source, given, asked, out->frames);
#ifdef CAN_WATCH_CALLS
  selector = ALLOW;
#endif
  check_watching = 0;
  uint64_t spent = thread_time() - before;
  out->cpu_ns += spent;
  if (spent > out->longest_ns) out->longest_ns = spent;
  out->allocations += check_seen_allocations;
  out->locks += check_seen_locks;
  out->calls++;
  for (uint32_t c = 0; c <= channels; c++)
    if (given[c] != copy[c]) {
      out->moved++;
      break;
    }
  look_at(j, copy, asked, answered);
  return answered;
}

static void *run(void *argument) {
  job *j = argument;
  check_rendered *out = j->out;
  float *given[VOICED_MAX_CHANNELS + 1];
#ifdef CAN_WATCH_CALLS
  if (j->flags & CHECK_WATCH_CALLS && !watch_calls()) j->flags &= ~(uint32_t)CHECK_WATCH_CALLS;
#endif
  uint64_t begun = check_now();
  for (uint32_t i = 0; out->frames < j->total && out->zeros < 2; i++) {
    uint32_t asked = j->sizes[i % j->count];
    uint32_t answered = render_once(j, given, asked);
    if (answered > asked) {
      out->too_many++;
      answered = asked;
    }
    if (answered == 0) out->zeros++;
    else if (out->zeros != 0) out->after_zero += answered;
    out->frames += answered;
    if (!(j->flags & CHECK_PACED)) continue;
    uint64_t due = begun + out->frames * 1000000000u / j->format.rate, now = check_now();
    if (due > now) {
      struct timespec t = {(time_t)((due - now) / 1000000000u), (long)((due - now) % 1000000000u)};
      nanosleep(&t, NULL);
    }
  }
#ifdef CAN_WATCH_CALLS
  out->calls_watched = calls_seen;
  out->system_call = first_call;
#endif
  return NULL;
}

int check_render(const voiced_source *s, const voiced_render *r, voiced_format format,
                 const uint32_t *sizes, uint32_t count, uint64_t total, uint32_t flags,
                 check_rendered *out) {
  memset(out, 0, sizeof *out);
  out->system_call = -1;
  float *memory = malloc(((size_t)format.channels + 1) * SPAN * sizeof(float));
  if (memory == NULL) return ENOMEM;
  job j = {s, r, format, sizes, count, flags, total, out, memory};
  check_calling("render");
  pthread_t thread;
  int failed = pthread_create(&thread, NULL, run, &j);
  if (!failed) pthread_join(thread, NULL);
  check_calling("the time after render");
  free(memory);
  return failed;
}
