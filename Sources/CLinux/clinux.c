#define _GNU_SOURCE
#include "CLinux.h"
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
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

static int drop_code_pages(struct dl_phdr_info *file, size_t size, void *none) {
  (void)size;
  (void)none;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
  for (int i = 0; i < file->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &file->dlpi_phdr[i];
    /* Writable parts hold relocated data, which is nowhere else. */
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t from = (file->dlpi_addr + part->p_vaddr) & ~page;
    uintptr_t to = (file->dlpi_addr + part->p_vaddr + part->p_filesz) & ~page;
    if (to > from) madvise((void *)from, to - from, MADV_DONTNEED);
  }
  return 0;
}

void clinux_trim(void) {
  malloc_trim(0);
  dl_iterate_phdr(drop_code_pages, 0);
}
