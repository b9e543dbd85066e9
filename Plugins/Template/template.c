/* A level source to start from: a quiet tone, rendered on the host's clock.
 *
 * Rename it, change render() and what describes it, delete what you do not need. The rules are in
 * voiced_source.h; voiced-check(1) says which of them are broken. */
#include "voiced_source.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  RATE = 48000,
  TABLE = 1200 /* frames: 25 ms, a whole number of periods of every multiple of 40 Hz */
};
static const double pi = 3.14159265358979323846;
static const float amplitude = 0.05f; /* peak: -26 dBFS, quiet but clearly above silence */

/* What can be chosen, the default first. */
static const struct {
  const char *target, *name;
  uint32_t hertz;
} tones[] = {{"440", "A, 440 Hz", 440}, {"880", "A, an octave up", 880}};
enum { TONES = sizeof tones / sizeof tones[0] };

typedef struct template_source {
  voiced_source source; /* what the host holds; source.source points back here */
  const voiced_host *host;
  float table[TABLE]; /* written while stopped, read by render() */
} template_source;

static template_source *mine(const voiced_source *s) { return (template_source *)s->source; }

static int32_t template_start(const voiced_source *s, const char *target, const char *options) {
  (void)options; /* lines "key=value"; this source has no use for any */
  uint32_t hertz = target[0] == 0 ? tones[0].hertz : 0;
  for (uint32_t i = 0; i < TONES; i++)
    if (strcmp(target, tones[i].target) == 0) hertz = tones[i].hertz;
  if (hertz == 0) return -ENOENT;
  for (uint32_t i = 0; i < TABLE; i++)
    mine(s)->table[i] = amplitude * (float)sin(2 * pi * hertz * i / RATE);
  return 0;
}

static void template_stop(const voiced_source *s) { (void)s; }

static void template_destroy(const voiced_source *s) { free(mine(s)); }

static int32_t template_target(const voiced_source *s, uint32_t i, voiced_target *out) {
  (void)s;
  if (i >= TONES) return -ENOENT;
  out->flags = i == 0 ? VOICED_TARGET_DEFAULT : 0;
  out->target = tones[i].target;
  out->name = tones[i].name;
  return 0;
}

static voiced_format template_format(const voiced_source *s) {
  (void)s;
  voiced_format format = {sizeof format, RATE, 1};
  return format;
}

/* Real-time: arithmetic and memory that is there already, nothing else. */
static uint32_t template_render(const voiced_source *s, float *const *channels, uint32_t frames,
                                uint64_t position) VOICED_RT {
  const float *table = ((const template_source *)s->source)->table;
  for (uint32_t i = 0; i < frames; i++) channels[0][i] = table[(position + i) % TABLE];
  return frames;
}

static const voiced_render rendering = {
  .size = sizeof rendering, .format = template_format, .render = template_render};

static const void *template_extension(const voiced_source *s, const char *id) {
  (void)s;
  return strcmp(id, VOICED_EXT_RENDER) == 0 ? &rendering : NULL;
}

static const voiced_info info = {
  .size = sizeof info,
  .flags = VOICED_HOST_CLOCK,
  .id = "template",
  .name = "Template tone",
  .vendor = "voiced",
  .version = "1.0.0",
  .summary = "A quiet tone, to start a level source of your own from.",
  .licence = "MIT",
};

static const voiced_source *template_create(const char *id, const voiced_host *host) {
  if (strcmp(id, info.id) != 0) return NULL;
  template_source *made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->host = host;
  made->source = (voiced_source){
    .size = sizeof made->source,
    .source = made,
    .start = template_start,
    .stop = template_stop,
    .destroy = template_destroy,
    .target = template_target,
    .extension = template_extension,
  };
  return &made->source;
}

static uint32_t template_count(void) { return 1; }
static const voiced_info *template_info(uint32_t index) { return index == 0 ? &info : NULL; }

static const voiced_library library = {
  .size = sizeof library,
  .abi = VOICED_ABI,
  .count = template_count,
  .info = template_info,
  .create = template_create,
};

const voiced_library *voiced_source_library(uint32_t host_abi) {
  return host_abi == VOICED_ABI ? &library : NULL;
}
