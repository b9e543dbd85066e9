/* What voiced-check needs below Swift: the strict host, the audio thread, and the traps around
 * them. One check is one process; everything here is that process's own and counts from its
 * start. Nothing here judges: it calls, watches and counts, and the checks in Swift decide. */
#ifndef CCHECK_H
#define CCHECK_H
#include "voiced_source.h"

/* ---- the page ------------------------------------------------------------------------------
 * Shared with the parent, so that a verdict or the name of the last call survives whatever the
 * library does to descriptors, memory limits or the process itself. */
enum { CHECK_PAGE_BYTES = 8192, CHECK_TEXT_BYTES = 4000 };
typedef struct check_page {
  int32_t verdict; /* 0 until there is one; the checks' own numbers */
  char call[96];   /* the call into the library that runs or ran last */
  char text[CHECK_TEXT_BYTES];
} check_page;
/* Maps descriptor fd, or memory of its own when that fails, and closes fd. */
check_page *check_page_map(int fd);
/* Copies text, cut to fit. */
void check_page_say(check_page *page, int32_t verdict, const char *text);

/* ---- the library --------------------------------------------------------------------------- */
/* Loads the library. NULL, or what was wrong; valid until the next call. */
const char *check_load(const char *path);
/* Calls its entry; NULL when it has none or answers NULL. */
int check_has_entry(void);
const voiced_library *check_library(uint32_t abi);
/* The functions it exports beside the entry that this program or its libraries define too, one a
 * line. To be asked before check_load(). -1 when the file cannot be read. */
int check_shadows(const char *path, char *text, uint32_t bytes);

/* ---- the strict host -----------------------------------------------------------------------
 * Rules of voiced_source.h that only the host can see broken. Each counts, and keeps a figure of
 * its first breach. */
enum check_rule {
  CHECK_PUSH_STOPPED,       /* push or push_level after stop() returned or before start() */
  CHECK_PUSH_SECOND_THREAD, /* from another thread than the first push since start() */
  CHECK_PUSH_UNFORMATTED,   /* before format() */
  CHECK_PUSH_FRAMES,        /* 0 or more than VOICED_MAX_FRAMES frames; figure: frames */
  CHECK_PUSH_NULL,          /* a NULL array of channels, or channel */
  CHECK_PUSH_BACK,          /* time before that of the push before; figure: ns */
  CHECK_PUSH_FUTURE,        /* time later than now; figure: ns */
  CHECK_PUSH_OLD,           /* time more than 2 s ago; figure: ns */
  CHECK_PUSH_ENDED,         /* after ended() */
  CHECK_PUSH_KIND,          /* sound from a level source, a level from another, any on the host's clock */
  CHECK_SAMPLE_NAN,         /* a sample that is not finite */
  CHECK_SAMPLE_HUGE,        /* a sample beyond 1000; figure: it */
  CHECK_LEVEL_RANGE,        /* a level that is not within 0...1; figure: thousandths */
  CHECK_FORMAT_LIMITS,      /* rate or channels beyond the limits; figure: rate */
  CHECK_FORMAT_SIZE,        /* size is not that of voiced_format; figure: it */
  CHECK_FORMAT_KIND,        /* told by a level source or one on the host's clock */
  CHECK_FORMAT_STOPPED,
  CHECK_LINKED_THREAD,
  CHECK_LINKED_STOPPED,
  CHECK_ENDED_STOPPED,
  CHECK_ENDED_AUDIO,        /* from the audio thread */
  CHECK_ENDED_TWICE,
  CHECK_ENDED_POSITIVE,     /* figure: the errno */
  CHECK_LOG_AUDIO,
  CHECK_LOG_NULL,
  CHECK_LOG_SEVERITY,       /* figure: it */
  CHECK_WATCH_THREAD,
  CHECK_WATCH_CLOSED,       /* a watched descriptor was closed while watched; figure: it */
  CHECK_HOST_POINTER,       /* a host function was not given the host */
  CHECK_HOST_TAIL,          /* a function past the ABI 1 host was called */
  CHECK_MAIN_MISSING,       /* call_main() or watch() without on_main or on_fd */
  CHECK_RULES
};
uint64_t check_broken(enum check_rule rule);
double check_figure(enum check_rule rule); /* of the first breach */

/* The host to give to create(). extra: bytes past the ABI 1 structure, filled with functions
 * that count CHECK_HOST_TAIL. flags: of the source's info. */
const voiced_host *check_host(uint32_t extra, uint32_t flags);

/* Calls into the source, named on the page, with the host's state kept around them. */
const voiced_source *check_create(const voiced_library *library, const char *id,
                                  const voiced_host *host);
int32_t check_start(const voiced_source *s, const char *target, const char *options);
void check_recording(const voiced_source *s, int32_t on);
void check_stop(const voiced_source *s);
void check_destroy(const voiced_source *s);
int32_t check_target(const voiced_source *s, uint32_t i, voiced_target *out);
int32_t check_target_exactly(const voiced_source *s, uint32_t i, voiced_target *out);
const void *check_extension(const voiced_source *s, const char *id);

/* Runs the main thread's loop (on_fd, on_main) for so long, or until pushes + levels or ends
 * reach what is wanted (0 wanted: for all the time). */
void check_loop(const voiced_source *s, uint64_t ns, uint64_t wanted_pushes);

typedef struct check_seen {
  uint64_t pushes, levels, frames, logs, ends, links, formats, mains, watches;
  uint64_t first_push_ns, last_push_ns;   /* when they arrived */
  uint64_t first_frames;                  /* frames of the first push */
  uint64_t lost_ns;                       /* sum of jumps of the pushes' time of more than 60 ms */
  uint32_t rate, channels;                /* as told last */
  int32_t ended;                          /* errno of the last ended() */
  char linked[256], log[256];             /* last told */
} check_seen;
check_seen check_saw(void);

/* ---- the audio thread ---------------------------------------------------------------------- */
typedef struct check_rendered {
  uint64_t frames;          /* sum of the answers */
  uint32_t calls, zeros;    /* calls; those that answered 0 */
  uint32_t after_zero;      /* frames that came after a 0 */
  uint32_t too_many;        /* calls that answered more than asked */
  uint32_t overrun;         /* calls that wrote past the frames asked for, or before them */
  uint32_t other_channel;   /* calls that wrote to a channel past those of the format */
  uint32_t unwritten;       /* calls that left a frame unwritten that they counted */
  uint32_t moved;           /* calls that changed the array of channel pointers */
  uint64_t not_finite, huge;
  uint64_t allocations, locks, calls_watched;
  int32_t system_call;      /* number of the first system call seen, or -1 */
  uint64_t cpu_ns, longest_ns;
} check_rendered;
enum {
  CHECK_WATCH_CALLS = 1, /* also stop at system calls, where the kernel can (x86-64) */
  CHECK_PACED = 2        /* at the pace of real time */
};
/* Renders calls of these sizes, in turn, on one thread of its own, until `total` frames came or
 * an answer is 0 twice. The sizes repeat. 0, or an errno when the thread cannot be made. */
int check_render(const voiced_source *s, const voiced_render *r, voiced_format format,
                 const uint32_t *sizes, uint32_t count, uint64_t total, uint32_t flags,
                 check_rendered *out);
int check_can_watch_calls(void);

/* ---- the process --------------------------------------------------------------------------- */
uint64_t check_live_blocks(void); /* allocations not yet freed; 0 when they cannot be counted */
uint64_t check_live_bytes(void);
uint64_t check_resident(void);    /* bytes */
uint64_t check_peak_resident(void);
uint64_t check_now(void);         /* CLOCK_MONOTONIC, ns */
uint64_t check_spent(void);       /* processor time of this process, ns */
uint32_t check_threads(void);
/* Open descriptors as a set of bits for 0...1023. */
typedef struct check_descriptors { uint64_t bits[16]; } check_descriptors;
check_descriptors check_open_descriptors(void);
/* Lays out descriptors that are nobody's; how many of them are gone or became others. */
void check_lay_canaries(void);
int check_lost_canaries(void);
/* Remembers signal handlers, mask, working folder, umask, locale, environment; then says what
 * has changed since, "" for nothing. */
void check_remember_process(void);
const char *check_changed_process(void);
/* From now on a new process is refused and counted. 0, or an errno where that is impossible. */
int check_refuse_processes(void);
uint64_t check_refused_processes(void);
/* Bytes that went to standard output, which is a file; flushes the library's buffers first. */
uint64_t check_output_bytes(void);
void check_limit_memory(uint64_t bytes);
_Noreturn void check_exit(void); /* at once, without the library's exit handlers */
#endif
