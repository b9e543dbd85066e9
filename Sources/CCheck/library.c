/* Loading, and what a library exports. */
#define _GNU_SOURCE
#include "internal.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const voiced_library *(*entry)(uint32_t);

const char *check_load(const char *path) {
  check_calling("dlopen");
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == NULL) return dlerror();
  *(void **)&entry = dlsym(handle, "voiced_source_library");
  return NULL;
}

int check_has_entry(void) { return entry != NULL; }

const voiced_library *check_library(uint32_t abi) {
  check_calling("voiced_source_library");
  return entry == NULL ? NULL : entry(abi);
}

/* Names a language's own runtime may carry along: C++, Swift, the linker. */
static int is_runtime(const char *name) {
  static const char *const prefixes[] = {"_Z", "$", "swift_", "_swift", "__swift", "rust_", "_R",
                                         "__bss_start", "_edata", "_end", "_init", "_fini",
                                         "voiced_source_library"};
  for (unsigned i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  return 0;
}

static int shadows_in(const uint8_t *file, size_t length, char *text, uint32_t bytes) {
  const ElfW(Ehdr) *header = (const void *)file;
  if (length < sizeof *header || memcmp(file, ELFMAG, SELFMAG) != 0) return -1;
  if (header->e_shoff > length || header->e_shentsize != sizeof(ElfW(Shdr)) ||
      (length - header->e_shoff) / sizeof(ElfW(Shdr)) < header->e_shnum)
    return -1;
  const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
  int found = 0;
  uint32_t used = 0;
  for (unsigned i = 0; i < header->e_shnum; i++) {
    const ElfW(Shdr) *table = &sections[i];
    if (table->sh_type != SHT_DYNSYM || table->sh_link >= header->e_shnum) continue;
    const ElfW(Shdr) *names = &sections[table->sh_link];
    if (table->sh_offset > length || table->sh_size > length - table->sh_offset ||
        names->sh_offset > length || names->sh_size > length - names->sh_offset ||
        names->sh_size == 0 || file[names->sh_offset + names->sh_size - 1] != 0)
      return -1;
    const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
    for (size_t k = 0; k < table->sh_size / sizeof *symbols; k++) {
      if (symbols[k].st_shndx == SHN_UNDEF || symbols[k].st_name >= names->sh_size ||
          ELF64_ST_BIND(symbols[k].st_info) == STB_LOCAL)
        continue;
      const char *name = (const char *)file + names->sh_offset + symbols[k].st_name;
      if (*name == 0 || is_runtime(name) || dlsym(RTLD_DEFAULT, name) == NULL) continue;
      found++;
      size_t n = strlen(name);
      if (used + n + 2 > bytes) continue;
      memcpy(text + used, name, n);
      text[used + n] = '\n';
      used += (uint32_t)n + 1;
    }
  }
  if (bytes != 0) text[used] = 0;
  return found;
}

int check_shadows(const char *path, char *text, uint32_t bytes) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0) return -1;
  int found = -1;
  if (fstat(fd, &status) == 0 && status.st_size > 0) {
    size_t length = (size_t)status.st_size;
    void *at = mmap(0, length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at != MAP_FAILED) {
      found = shadows_in(at, length, text, bytes);
      munmap(at, length);
    }
  }
  close(fd);
  return found;
}
