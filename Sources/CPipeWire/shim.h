/* libpipewire for Swift: function-like macros are not importable, so each one that is used has a wrapper of one line here. */
#ifndef VOICED_CPIPEWIRE_SHIM_H
#define VOICED_CPIPEWIRE_SHIM_H
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <pipewire/extensions/metadata.h>
#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/props.h>

static inline int voiced_errno(void) { return errno; }
static inline void voiced_loop_enter(struct pw_loop *l) { pw_loop_enter(l); }
static inline void voiced_loop_leave(struct pw_loop *l) { pw_loop_leave(l); }
static inline int voiced_loop_fd(struct pw_loop *l) { return pw_loop_get_fd(l); }
static inline int voiced_loop_iterate(struct pw_loop *l, int timeout) { return pw_loop_iterate(l, timeout); }
static inline struct spa_source *voiced_loop_add_timer(struct pw_loop *l, spa_source_timer_func_t f, void *data) {
  return pw_loop_add_timer(l, f, data);
}
static inline int voiced_loop_update_timer(struct pw_loop *l, struct spa_source *s, struct timespec *value) {
  return pw_loop_update_timer(l, s, value, NULL, false);
}
static inline void voiced_loop_destroy_source(struct pw_loop *l, struct spa_source *s) { pw_loop_destroy_source(l, s); }

static inline int voiced_core_add_listener(struct pw_core *c, struct spa_hook *h, const struct pw_core_events *e, void *data) {
  return pw_core_add_listener(c, h, e, data);
}
static inline int voiced_core_sync(struct pw_core *c, uint32_t id, int seq) { return pw_core_sync(c, id, seq); }
static inline int voiced_registry_add_listener(struct pw_registry *r, struct spa_hook *h,
                                               const struct pw_registry_events *e, void *data) {
  return pw_registry_add_listener(r, h, e, data);
}
static inline int voiced_metadata_add_listener(void *m, struct spa_hook *h, const struct pw_metadata_events *e, void *data) {
  return pw_metadata_add_listener((struct pw_metadata *)m, h, e, data);
}
static inline int voiced_node_add_listener(void *n, struct spa_hook *h, const struct pw_node_events *e, void *data) {
  return pw_node_add_listener((struct pw_node *)n, h, e, data);
}
static inline int voiced_node_subscribe_params(void *n, uint32_t *ids, uint32_t count) {
  return pw_node_subscribe_params((struct pw_node *)n, ids, count);
}


/* The pod inside a property, which goes on behind the structure: Swift would copy its head alone. */
static inline const struct spa_pod *voiced_pod_value(const struct spa_pod_prop *p) { return &p->value; }
#endif
