/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_FUZZ_H
#define FTOP_TESTS_FUZZ_H
/*
 * fuzz - what a fuzz target offers.  Each is built twice if wanted: with
 * tests/fuzz/driver.c, which mutates seeds itself (make check), or with clang's
 * -fsanitize=fuzzer, which brings a main of its own and needs the first alone.
 */
#include <stddef.h>
#include <stdint.h>

/* Run the parser on these bytes.  Anything but a crash, a hang and a failed assertion is right. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char fuzz_name[];

/* Hand every seed to @add, which copies it. */
void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg);
#endif
