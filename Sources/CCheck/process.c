/* What a library may not change of its process, and how that is seen. */
#define _GNU_SOURCE
#include "internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

uint64_t check_resident(void) {
  unsigned long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL) return 0;
  if (fscanf(file, "%lu %lu", &total, &resident) != 2) resident = 0;
  fclose(file);
  return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t check_spent(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t check_peak_resident(void) {
  unsigned long kilobytes = 0;
  char line[256];
  FILE *file = fopen("/proc/self/status", "re");
  if (file == NULL) return 0;
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmHWM: %lu", &kilobytes) == 1) break;
  fclose(file);
  return (uint64_t)kilobytes * 1024;
}

uint32_t check_threads(void) {
  uint32_t count = 0;
  DIR *folder = opendir("/proc/self/task");
  if (folder == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

check_descriptors check_open_descriptors(void) {
  check_descriptors set = {{0}};
  for (int fd = 0; fd < 1024; fd++)
    if (fcntl(fd, F_GETFD) >= 0) set.bits[fd / 64] |= (uint64_t)1 << (fd % 64);
  return set;
}

/* Canaries lie at low numbers, which a careless loop closes first, and at a high one. */
enum { CANARIES = 8 };
static struct { int fd; dev_t device; ino_t file; } canaries[CANARIES];

void check_lay_canaries(void) {
  for (int i = 0; i < CANARIES; i++) {
    int pair[2], fd = -1;
    if (pipe2(pair, O_CLOEXEC) == 0) {
      fd = i + 1 < CANARIES ? pair[0] : fcntl(pair[0], F_DUPFD_CLOEXEC, 200);
      if (fd != pair[0]) close(pair[0]);
      close(pair[1]);
    }
    struct stat status = {0};
    canaries[i].fd = fd >= 0 && fstat(fd, &status) == 0 ? fd : -1;
    canaries[i].device = status.st_dev;
    canaries[i].file = status.st_ino;
  }
}

int check_lost_canaries(void) {
  int lost = 0;
  for (int i = 0; i < CANARIES; i++) {
    struct stat status;
    if (canaries[i].fd < 0) continue;
    lost += fstat(canaries[i].fd, &status) != 0 || status.st_dev != canaries[i].device ||
            status.st_ino != canaries[i].file;
  }
  return lost;
}

static struct sigaction handlers[NSIG];
static sigset_t mask;
static char folder_before[4096], locale_before[256];
static mode_t umask_before;
static uint64_t environment_before;

static mode_t current_umask(void) {
  mode_t now = umask(0);
  umask(now);
  return now;
}

static uint64_t environment(void) {
  uint64_t hash = 1469598103934665603u;
  for (char **e = environ; e != NULL && *e != NULL; e++)
    for (const char *c = *e;; c++) {
      hash = (hash ^ (uint8_t)*c) * 1099511628211u;
      if (*c == 0) break;
    }
  return hash;
}

void check_remember_process(void) {
  for (int s = 1; s < NSIG; s++) sigaction(s, NULL, &handlers[s]);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  if (getcwd(folder_before, sizeof folder_before) == NULL) folder_before[0] = 0;
  umask_before = current_umask();
  const char *locale = setlocale(LC_ALL, NULL);
  snprintf(locale_before, sizeof locale_before, "%s", locale == NULL ? "" : locale);
  environment_before = environment();
}

const char *check_changed_process(void) {
  static char text[256];
  for (int s = 1; s < NSIG; s++) {
    struct sigaction now;
    if (sigaction(s, NULL, &now) != 0) continue;
    if (now.sa_handler == handlers[s].sa_handler) continue;
    snprintf(text, sizeof text, "the handler of signal %d (%s)", s, strsignal(s));
    return text;
  }
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, NULL, &now);
  for (int s = 1; s < NSIG; s++)
    if (sigismember(&now, s) != sigismember(&mask, s)) {
      snprintf(text, sizeof text, "the main thread's mask of signal %d (%s)", s, strsignal(s));
      return text;
    }
  char folder[4096];
  if (getcwd(folder, sizeof folder) == NULL || strcmp(folder, folder_before) != 0)
    return "the working folder";
  if (current_umask() != umask_before) return "the umask";
  const char *locale = setlocale(LC_ALL, NULL);
  if (locale == NULL || strcmp(locale, locale_before) != 0) return "the locale";
  if (environment() != environment_before) return "the environment";
  return "";
}

/* ---- new processes: a filter of this process stops at the calls that make one. */
static volatile uint64_t refused;

static void on_fork(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  refused++;
#if defined(__x86_64__)
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__aarch64__)
  ((ucontext_t *)context)->uc_mcontext.regs[0] = (unsigned long long)-EPERM;
#else
  (void)context;
#endif
}

uint64_t check_refused_processes(void) { return refused; }

int check_refuse_processes(void) {
#if defined(__x86_64__) || defined(__aarch64__)
#  define CALL(number, verdict) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, (verdict))
  struct sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#  ifdef SYS_fork
    CALL(SYS_fork, SECCOMP_RET_TRAP),
    CALL(SYS_vfork, SECCOMP_RET_TRAP),
#  endif
    /* its flags lie in memory, where a filter cannot look: the C library falls back to clone */
    CALL(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x00010000 /* CLONE_THREAD */, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof program / sizeof program[0], program};
  struct sigaction action = {.sa_sigaction = on_fork, .sa_flags = SA_SIGINFO};
  if (sigaction(SIGSYS, &action, NULL) != 0) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 ? 0 : errno;
#else
  return ENOSYS;
#endif
}

uint64_t check_output_bytes(void) {
  struct stat status;
  fflush(NULL);
  return fstat(1, &status) == 0 && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

void check_limit_memory(uint64_t bytes) {
  struct rlimit none = {0, 0};
#ifdef CHECK_SANITIZED /* it maps terabytes, and has limits of its own */
  (void)bytes;
#else
  struct rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_DATA, &limit);
#endif
  setrlimit(RLIMIT_CORE, &none);
}

void check_exit(void) { _exit(0); }
