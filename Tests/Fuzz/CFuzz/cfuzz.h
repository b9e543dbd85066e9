/* The entry of libFuzzer, which ships with the compiler and has no header there. */
#ifndef CFUZZ_H
#define CFUZZ_H
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));

#endif
