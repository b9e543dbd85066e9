/* Linux calls that the Glibc module does not show to Swift. */
#ifndef CLINUX_H
#define CLINUX_H
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

/* GNU-only calls, declared here under names of our own: _GNU_SOURCE in this header would change
 * types that the Glibc module has already fixed. */
int clinux_memfd_create(const char *name, unsigned int flags);
int clinux_pipe2(int fds[2], int flags);
int clinux_close_range(unsigned int first, unsigned int last, int flags);
int clinux_seal(int fd);       /* F_ADD_SEALS: shrink, grow, seal. 0, or -1 with errno */
int clinux_prctl(int option, unsigned long value);
int clinux_set_nonblocking(int fd);
int clinux_set_cloexec(int fd, int on);
int clinux_pidfd_open(int pid);      /* a close-on-exec descriptor, or -1 with errno */
int clinux_spawn_closefrom(posix_spawn_file_actions_t *actions, int first);
char **clinux_environ(void);         /* the process's own environment, not a copy */
void clinux_trim(void);              /* returns free heap, and unmaps the unwritten pages of loaded files */
#endif
