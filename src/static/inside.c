/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inside - what is inside the program that is one file: the sample trace, and how terminals are
 * spoken to.
 */
#include "src/base/inside.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/paths.h"
#include "src/static/terminals.h"

/* The assembler reads the file, which the compiler would do for a second. */
asm(".pushsection .rodata\n"
    "inside_demo:\t.incbin \"" FTOP_DEMO "\"\n"
    "inside_demo_end:\t.byte 0\n"
    ".popsection\n");
extern const char inside_demo[] __attribute__((visibility("hidden")));
extern const char inside_demo_end[] __attribute__((visibility("hidden")));

const char *inside_find(const char *name, size_t *len)
{
	if (!strcmp(name, "demo.dat")) {
		*len = (size_t)(inside_demo_end - inside_demo);
		return inside_demo;
	}
	for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		if (!strcmp(name, terminals[i].name)) {
			*len = strlen(terminals[i].entry);
			return terminals[i].entry;
		}
	return NULL;
}

/* In memory, since a descriptor is wanted, and there may be no folder to write to. */
static int copy(const char *bytes, size_t len)
{
	int fd = memfd_create("inside", MFD_CLOEXEC);

	while (fd >= 0 && len) {
		ssize_t n = write(fd, bytes, len);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		bytes += n;
		len -= (size_t)n;
	}
	return fd;
}

/* A copy for each call: the program closes descriptors that it does not know, so none is kept. */
int inside_open(const char *path)
{
	char installed[4096];
	const char *bytes;
	size_t len;

	if (!paths_data("demo.dat", installed, sizeof(installed)) || strcmp(path, installed) != 0)
		return -1;
	bytes = inside_find("demo.dat", &len);
	return bytes ? copy(bytes, len) : -1;
}
