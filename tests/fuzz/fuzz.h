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

/* --- what targets share: fuzz_files.c --------------------------------------------------------- */

/* A file of these bytes, in memory; the next call changes it.  NULL: there is no room. */
const char *fuzz_file(const void *data, size_t size);

/* A path in an empty folder of this process, removed at its end; valid for 4 calls. */
const char *fuzz_path(const char *name);

/* Hand a file to @add as a seed, if there is one that is not too large. */
void fuzz_add_file(const char *path, void (*add)(void *arg, const void *data, size_t size),
		   void *arg);

/* Hand traces of all forms, and small recorded ones, to @add. */
void fuzz_add_traces(void (*add)(void *arg, const void *data, size_t size), void *arg);

/* The folder of recorded traces in tests/data. */
const char *fuzz_recorded(void);
#endif
