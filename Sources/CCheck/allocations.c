/* Stands before the C library's allocator and mutex for the whole process, the checked library
 * included, and counts: what is alive, and what a watched thread asked for. */
#define _GNU_SOURCE
#include "internal.h"
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Thread_local int check_watching;
_Thread_local uint64_t check_seen_allocations, check_seen_locks;

#ifdef CHECK_SANITIZED /* the sanitizer stands there itself */
uint64_t check_live_blocks(void) { return 0; }
uint64_t check_live_bytes(void) { return 0; }
#else
static _Atomic int64_t blocks, bytes;
uint64_t check_live_blocks(void) { return (uint64_t)atomic_load(&blocks); }
uint64_t check_live_bytes(void) { return (uint64_t)atomic_load(&bytes); }

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *at, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *at);

static void *came(void *at) {
  if (check_watching) check_seen_allocations++;
  if (at != NULL) {
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (int64_t)malloc_usable_size(at), memory_order_relaxed);
  }
  return at;
}

static void went(void *at) {
  if (at == NULL) return;
  if (check_watching) check_seen_allocations++;
  atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
  atomic_fetch_sub_explicit(&bytes, (int64_t)malloc_usable_size(at), memory_order_relaxed);
}

VOICED_EXPORT void *malloc(size_t size) { return came(__libc_malloc(size)); }
VOICED_EXPORT void *calloc(size_t count, size_t size) { return came(__libc_calloc(count, size)); }
VOICED_EXPORT void free(void *at) {
  int kept = errno;
  went(at);
  __libc_free(at);
  errno = kept;
}
VOICED_EXPORT void *realloc(void *at, size_t size) {
  int64_t before = at == NULL ? 0 : (int64_t)malloc_usable_size(at);
  void *now = __libc_realloc(at, size);
  if (now == NULL && size != 0) return NULL; /* the old block lives on */
  if (at != NULL) {
    atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&bytes, before, memory_order_relaxed);
  }
  return came(now);
}
VOICED_EXPORT void *memalign(size_t alignment, size_t size) {
  return came(__libc_memalign(alignment, size));
}
VOICED_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
  return came(__libc_memalign(alignment, size));
}
VOICED_EXPORT int posix_memalign(void **at, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  void *made = came(__libc_memalign(alignment, size));
  if (made == NULL) return ENOMEM;
  *at = made;
  return 0;
}

static _Atomic(int (*)(pthread_mutex_t *)) real_lock;
VOICED_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
  int (*lock)(pthread_mutex_t *) = atomic_load_explicit(&real_lock, memory_order_acquire);
  if (lock == NULL) {
    *(void **)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    atomic_store_explicit(&real_lock, lock, memory_order_release);
  }
  if (check_watching) check_seen_locks++;
  return lock(mutex);
}
#endif
