/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_files - files that fuzz targets read, and where they may write. */
#include "tests/fuzz/fuzz.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "tests/lib/samples.h"

#define MAX_SEED	(64u << 10)

static char folder[4096];

const char *fuzz_file(const void *data, size_t size)
{
	static int fd = -1;
	static char path[64];

	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	return ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size ? NULL : path;
}

static void remove_folder(void)
{
	char command[sizeof(folder) + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	if (system(command))
		fprintf(stderr, "cannot remove %s\n", folder);
}

const char *fuzz_path(const char *name)
{
	static char paths[4][sizeof(folder) + 256];
	static unsigned int turn;
	const char *parent = getenv("TMPDIR");
	char *path = paths[turn++ % 4];

	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "%s/ftop-fuzz-XXXXXX", parent ? parent : "/tmp");
		if (!mkdtemp(folder))
			abort();
		atexit(remove_folder);
	}
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

void fuzz_add_file(const char *path, void (*add)(void *arg, const void *data, size_t size),
		   void *arg)
{
	char *bytes = mem_alloc(MAX_SEED + 1);
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(bytes, 1, MAX_SEED + 1, file) : 0;

	if (size && size <= MAX_SEED)
		add(arg, bytes, size);
	if (file)
		fclose(file);
	free(bytes);
}

const char *fuzz_recorded(void)
{
	static char path[4096];
	const char *data = getenv("FTOP_TEST_DATA");

	snprintf(path, sizeof(path), "%s/good", data ? data : "tests/data");
	return path;
}

void fuzz_add_traces(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	const char *path = fuzz_path("seed");
	char pattern[4200];
	glob_t found;

	for (unsigned int i = 0; i < samples_nr(); i++)
		if (!sample_write(sample_at(i), path, NULL))
			fuzz_add_file(path, add, arg);
	unlink(path);
	snprintf(pattern, sizeof(pattern), "%s/*/trace.dat", fuzz_recorded());
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		fuzz_add_file(found.gl_pathv[i], add, arg);
	globfree(&found);
}
