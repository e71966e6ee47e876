/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_FAKE_TRACEFS_H
#define FTOP_TESTS_FAKE_TRACEFS_H
/*
 * fake_tracefs - a folder below $TMPDIR that looks like tracefs, for tests that may not touch the
 * real one.
 *
 * Its control files are plain files: what was written last is what they hold.
 */
#include <stddef.h>

struct fake_tracefs {
	char	root[512];
};

void fake_tracefs_init(struct fake_tracefs *fake);      /* an empty folder; the test
							   fails if it cannot be made */
void fake_tracefs_fini(struct fake_tracefs *fake);	/* removes all of it */

/*
 * A file below it with this text; folders on the way are made.  A name that ends with "/" is a
 * folder.
 */
void fake_tracefs_put(struct fake_tracefs *fake, const char *file, const char *content);
void fake_tracefs_put_bytes(struct fake_tracefs *fake, const char *file, const void *bytes,
			    size_t len);

/* What a file holds now, for the caller to free(); NULL if there is none. */
char *fake_tracefs_get(const struct fake_tracefs *fake, const char *file);
#endif
