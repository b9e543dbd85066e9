/* The strict host: does what voiced_source.h promises, and counts every rule a source breaks. */
#define _GNU_SOURCE
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
  _Atomic uint64_t count;
  _Atomic double figure;
} broken[CHECK_RULES];

static void breach(enum check_rule rule, double figure) {
  if (atomic_fetch_add(&broken[rule].count, 1) == 0) atomic_store(&broken[rule].figure, figure);
}
uint64_t check_broken(enum check_rule rule) { return atomic_load(&broken[rule].count); }
double check_figure(enum check_rule rule) { return atomic_load(&broken[rule].figure); }

uint64_t check_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* State of the one source. Written on the main thread; the audio side reads what is atomic. */
static _Atomic int started;
static _Atomic int has_ended; /* since start() */
static _Atomic uintptr_t audio_thread;
static pthread_t main_thread;
static uint32_t source_flags;
static _Atomic uint64_t pushes, levels, frames, logs, ends, links, formats, mains;
static uint64_t watches;
static _Atomic uint64_t first_arrival, last_arrival, first_frames, last_time, lost;
static _Atomic uint32_t rate, channels_told;
static _Atomic int32_t ended_errno;
static _Atomic int wants_main;
static char linked_text[256], log_text[256];
static pthread_mutex_t texts = PTHREAD_MUTEX_INITIALIZER;

enum { WATCHED = 64 };
static struct { int fd, reads, writes; dev_t device; ino_t file; } watched[WATCHED];
static int watched_count;

/* The room past voiced_host is what a later host could be. */
static struct { voiced_host abi1; void (*tail[32])(void); } hosted;

static void is_ours(const voiced_host *h) {
  if (h != &hosted.abi1) breach(CHECK_HOST_POINTER, 0);
}

static void host_tail(void) { breach(CHECK_HOST_TAIL, 0); }
static const void *host_extension(const voiced_host *h, const char *id) {
  is_ours(h);
  (void)id;
  return NULL;
}

static int on_audio(void) {
  uintptr_t audio = atomic_load(&audio_thread);
  return audio != 0 && audio == (uintptr_t)pthread_self() &&
         !pthread_equal(pthread_self(), main_thread);
}

static void keep(char *to, const char *text) {
  pthread_mutex_lock(&texts);
  strncpy(to, text, 255);
  pthread_mutex_unlock(&texts);
}

static void host_log(const voiced_host *h, int32_t severity, const char *utf8) {
  is_ours(h);
  atomic_fetch_add(&logs, 1);
  if (check_watching || on_audio()) breach(CHECK_LOG_AUDIO, 0);
  if (utf8 == NULL) breach(CHECK_LOG_NULL, 0);
  else if (!check_watching) keep(log_text, utf8);
  if (severity < VOICED_LOG_DEBUG || severity > VOICED_LOG_PLUGIN_MISBEHAVING)
    breach(CHECK_LOG_SEVERITY, severity);
}

static void host_format(const voiced_host *h, const voiced_format *f) {
  is_ours(h);
  atomic_fetch_add(&formats, 1);
  if (!atomic_load(&started)) breach(CHECK_FORMAT_STOPPED, 0);
  if (source_flags & (VOICED_HOST_CLOCK | VOICED_LEVELS_ONLY)) breach(CHECK_FORMAT_KIND, 0);
  if (f->size != sizeof *f) breach(CHECK_FORMAT_SIZE, f->size);
  if (f->rate < VOICED_MIN_RATE || f->rate > VOICED_MAX_RATE || f->channels == 0 ||
      f->channels > VOICED_MAX_CHANNELS)
    breach(CHECK_FORMAT_LIMITS, f->rate);
  atomic_store(&rate, f->rate);
  atomic_store(&channels_told, f->channels);
}

/* Rules that sound and levels share; 0 when what came must not be looked at. */
static void arrived(uint64_t time_ns) {
  uint64_t now = check_now();
  uintptr_t self = (uintptr_t)pthread_self(), none = 0;
  if (!atomic_load(&started)) breach(CHECK_PUSH_STOPPED, 0);
  if (!atomic_compare_exchange_strong(&audio_thread, &none, self) && none != self)
    breach(CHECK_PUSH_SECOND_THREAD, 0);
  if (atomic_load(&has_ended)) breach(CHECK_PUSH_ENDED, 0);
  uint64_t before = atomic_exchange(&last_time, time_ns);
  if (time_ns < before) breach(CHECK_PUSH_BACK, (double)(before - time_ns));
  if (time_ns > now + 1000000) breach(CHECK_PUSH_FUTURE, (double)(time_ns - now));
  if (now > time_ns && now - time_ns > 2000000000u) breach(CHECK_PUSH_OLD, (double)(now - time_ns));
  uint64_t never = 0;
  atomic_compare_exchange_strong(&first_arrival, &never, now);
  atomic_store(&last_arrival, now);
}

static void host_push(const voiced_host *h, const float *const *channels, uint32_t n,
                      uint64_t time_ns) {
  is_ours(h);
  uint64_t before = atomic_load(&last_time);
  uint32_t at = atomic_load(&rate), count = atomic_load(&channels_told);
  arrived(time_ns);
  if (source_flags & (VOICED_HOST_CLOCK | VOICED_LEVELS_ONLY)) breach(CHECK_PUSH_KIND, 0);
  if (atomic_load(&formats) == 0) breach(CHECK_PUSH_UNFORMATTED, 0);
  if (n == 0 || n > VOICED_MAX_FRAMES) breach(CHECK_PUSH_FRAMES, n);
  static _Atomic uint64_t length;
  uint64_t expected = before + atomic_load(&length);
  if (before != 0 && time_ns > expected + 60000000u)
    atomic_fetch_add(&lost, time_ns - expected);
  atomic_store(&length, at == 0 ? 0 : (uint64_t)n * 1000000000u / at);
  uint64_t none = 0;
  atomic_compare_exchange_strong(&first_frames, &none, n);
  atomic_fetch_add(&frames, n);
  if (n <= VOICED_MAX_FRAMES && count <= VOICED_MAX_CHANNELS) {
    for (uint32_t c = 0; c < count; c++) {
      if (channels == NULL || channels[c] == NULL) {
        breach(CHECK_PUSH_NULL, c);
        break;
      }
      for (uint32_t i = 0; i < n; i++) {
        float x = channels[c][i];
        if (!isfinite(x)) breach(CHECK_SAMPLE_NAN, 0);
        else if (fabsf(x) > 1000) breach(CHECK_SAMPLE_HUGE, x);
      }
    }
  }
  atomic_fetch_add(&pushes, 1);
}

static void host_push_level(const voiced_host *h, float level, uint64_t time_ns) {
  is_ours(h);
  arrived(time_ns);
  if (!(source_flags & VOICED_LEVELS_ONLY)) breach(CHECK_PUSH_KIND, 1);
  if (!(level >= 0 && level <= 1)) breach(CHECK_LEVEL_RANGE, (double)level * 1000);
  atomic_fetch_add(&levels, 1);
}

static void host_linked(const voiced_host *h, const char *target) {
  is_ours(h);
  atomic_fetch_add(&links, 1);
  if (!pthread_equal(pthread_self(), main_thread)) breach(CHECK_LINKED_THREAD, 0);
  if (!atomic_load(&started)) breach(CHECK_LINKED_STOPPED, 0);
  keep(linked_text, target == NULL ? "" : target);
}

static void host_ended(const voiced_host *h, int32_t negative_errno) {
  is_ours(h);
  atomic_fetch_add(&ends, 1);
  if (!atomic_load(&started)) breach(CHECK_ENDED_STOPPED, 0);
  if (on_audio()) breach(CHECK_ENDED_AUDIO, 0);
  if (atomic_exchange(&has_ended, 1)) breach(CHECK_ENDED_TWICE, 0);
  if (negative_errno > 0 || negative_errno < -4095) breach(CHECK_ENDED_POSITIVE, negative_errno);
  atomic_store(&ended_errno, negative_errno);
}

static void host_call_main(const voiced_host *h) {
  is_ours(h);
  atomic_fetch_add(&mains, 1);
  atomic_store(&wants_main, 1);
}

static int32_t host_watch(const voiced_host *h, int fd, int wants_read, int wants_write) {
  is_ours(h);
  watches++;
  if (!pthread_equal(pthread_self(), main_thread)) {
    breach(CHECK_WATCH_THREAD, fd);
    return -EINVAL;
  }
  int at = 0;
  while (at < watched_count && watched[at].fd != fd) at++;
  if (!wants_read && !wants_write) {
    if (at == watched_count) return -EINVAL;
    struct stat now;
    if (fstat(fd, &now) != 0 || now.st_ino != watched[at].file) breach(CHECK_WATCH_CLOSED, fd);
    watched[at] = watched[--watched_count];
    return 0;
  }
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) return -EBADF;
  if (S_ISREG(status.st_mode)) return -EPERM;
  if (at == WATCHED) return -ENOMEM;
  if (at == watched_count) watched_count++;
  watched[at].fd = fd;
  watched[at].reads = wants_read;
  watched[at].writes = wants_write;
  watched[at].device = status.st_dev;
  watched[at].file = status.st_ino;
  return 0;
}

const voiced_host *check_host(uint32_t extra, uint32_t flags) {
  main_thread = pthread_self();
  source_flags = flags;
  for (int i = 0; i < 32; i++) hosted.tail[i] = host_tail;
  if (extra > sizeof hosted.tail) extra = sizeof hosted.tail;
  hosted.abi1 = (voiced_host){
    .size = (uint32_t)sizeof(voiced_host) + extra,
    .host = &hosted,
    .extension = host_extension,
    .log = host_log,
    .format = host_format,
    .push = host_push,
    .push_level = host_push_level,
    .linked = host_linked,
    .ended = host_ended,
    .call_main = host_call_main,
    .watch = host_watch,
  };
  return &hosted.abi1;
}

const voiced_source *check_create(const voiced_library *library, const char *id,
                                  const voiced_host *host) {
  check_calling("create");
  return library->create(id, host);
}

int32_t check_start(const voiced_source *s, const char *target, const char *options) {
  check_calling("start");
  atomic_store(&audio_thread, 0);
  atomic_store(&has_ended, 0);
  atomic_store(&last_time, 0);
  atomic_store(&started, 1);
  int32_t answer = s->start(s, target, options);
  if (answer != 0) atomic_store(&started, 0);
  check_calling("the time after start");
  return answer;
}

void check_recording(const voiced_source *s, int32_t on) {
  check_calling("recording");
  if (s->recording != NULL) s->recording(s, on);
  check_calling("the time after recording");
}

void check_stop(const voiced_source *s) {
  check_calling("stop");
  s->stop(s);
  atomic_store(&started, 0);
  check_calling("the time after stop");
}

void check_destroy(const voiced_source *s) {
  check_calling("destroy");
  s->destroy(s);
  check_calling("the time after destroy");
}

/* With room to spare behind it: only the check that looks there is to find who writes past the end. */
int32_t check_target(const voiced_source *s, uint32_t i, voiced_target *out) {
  union { voiced_target target; unsigned char room[sizeof(voiced_target) + 256]; } roomy;
  memset(&roomy, 0, sizeof roomy);
  roomy.target = *out;
  int32_t answer = check_target_exactly(s, i, &roomy.target);
  *out = roomy.target;
  return answer;
}

int32_t check_target_exactly(const voiced_source *s, uint32_t i, voiced_target *out) {
  check_calling("target");
  int32_t answer = s->target == NULL ? -ENOENT : s->target(s, i, out);
  check_calling("the time after target");
  return answer;
}

const void *check_extension(const voiced_source *s, const char *id) {
  check_calling("extension");
  return s->extension == NULL ? NULL : s->extension(s, id);
}

static void call_watched(const voiced_source *s, const struct pollfd *ready, int count) {
  for (int i = 0; i < count; i++) {
    if (ready[i].revents == 0) continue;
    int at = 0;
    while (at < watched_count && watched[at].fd != ready[i].fd) at++;
    if (at == watched_count) continue; /* taken out by a call before it in this round */
    if (ready[i].revents & POLLNVAL) {
      breach(CHECK_WATCH_CLOSED, ready[i].fd);
      watched[at] = watched[--watched_count];
      continue;
    }
    if (s->on_fd == NULL) {
      breach(CHECK_MAIN_MISSING, 1);
      continue;
    }
    int readable = (ready[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    int writable = (ready[i].revents & (POLLOUT | POLLERR)) != 0;
    check_calling("on_fd");
    s->on_fd(s, ready[i].fd, readable, writable);
  }
}

/* Polls in steps of 2 ms instead of sleeping on a descriptor: this loop must go on when a library
 * closes descriptors that are not its own. */
void check_loop(const voiced_source *s, uint64_t ns, uint64_t wanted) {
  uint64_t end = check_now() + ns;
  check_calling("the loop");
  for (;;) {
    if (wanted != 0 && atomic_load(&pushes) + atomic_load(&levels) >= wanted) return;
    if (wanted != 0 && atomic_load(&has_ended)) return;
    uint64_t now = check_now();
    if (now >= end) return;
    struct pollfd ready[WATCHED];
    int count = watched_count;
    for (int i = 0; i < count; i++)
      ready[i] = (struct pollfd){
        .fd = watched[i].fd,
        .events = (short)((watched[i].reads ? POLLIN : 0) | (watched[i].writes ? POLLOUT : 0))};
    if (poll(ready, (nfds_t)count, 2) > 0) call_watched(s, ready, count);
    if (atomic_exchange(&wants_main, 0)) {
      check_calling("on_main");
      if (s->on_main == NULL) breach(CHECK_MAIN_MISSING, 0);
      else s->on_main(s);
    }
    check_calling("the loop");
  }
}

check_seen check_saw(void) {
  check_seen seen = {
    .pushes = atomic_load(&pushes),
    .levels = atomic_load(&levels),
    .frames = atomic_load(&frames),
    .logs = atomic_load(&logs),
    .ends = atomic_load(&ends),
    .links = atomic_load(&links),
    .formats = atomic_load(&formats),
    .mains = atomic_load(&mains),
    .watches = watches,
    .first_push_ns = atomic_load(&first_arrival),
    .last_push_ns = atomic_load(&last_arrival),
    .first_frames = atomic_load(&first_frames),
    .lost_ns = atomic_load(&lost),
    .rate = atomic_load(&rate),
    .channels = atomic_load(&channels_told),
    .ended = atomic_load(&ended_errno),
  };
  pthread_mutex_lock(&texts);
  memcpy(seen.linked, linked_text, sizeof seen.linked);
  memcpy(seen.log, log_text, sizeof seen.log);
  pthread_mutex_unlock(&texts);
  return seen;
}
