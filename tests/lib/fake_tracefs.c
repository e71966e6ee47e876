/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/fake_tracefs.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

void fake_tracefs_init(struct fake_tracefs *fake)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(fake->root, sizeof(fake->root), "%s/fake-tracefs-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(fake->root));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fake_tracefs_fini(struct fake_tracefs *fake)
{
	nftw(fake->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void fake_tracefs_put_bytes(struct fake_tracefs *fake, const char *file, const void *bytes,
			    size_t len)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fake->root, file);
	for (char *p = path + strlen(fake->root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	if (path[strlen(path) - 1] == '/')
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

void fake_tracefs_put(struct fake_tracefs *fake, const char *file, const char *content)
{
	fake_tracefs_put_bytes(fake, file, content, strlen(content));
}

char *fake_tracefs_get(const struct fake_tracefs *fake, const char *file)
{
	char path[1024], *content;
	struct stat st;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fake->root, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	assert_int_equal(fstat(fd, &st), 0);
	content = calloc(1, st.st_size + 1);
	got = content ? read(fd, content, st.st_size) : -1;
	close(fd);
	assert_int_equal(got, st.st_size);
	return content;
}
