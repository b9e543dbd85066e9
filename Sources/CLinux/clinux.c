#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_memfd_create(const char *name, unsigned int flags) { return memfd_create(name, flags); }
int clinux_pipe2(int fds[2], int flags) { return pipe2(fds, flags); }
int clinux_close_range(unsigned int first, unsigned int last, int flags) {
  return (int)syscall(SYS_close_range, first, last, flags);
}
int clinux_seal(int fd) {
  return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}
int clinux_prctl(int option, unsigned long value) { return prctl(option, value, 0, 0, 0); }
int clinux_set_nonblocking(int fd) { return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }
int clinux_set_cloexec(int fd, int on) { return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0); }
int clinux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
int clinux_spawn_closefrom(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
char **clinux_environ(void) { return environ; }
