/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/file_place.h"

static int write_all(int fd, const char *s, size_t len)
{
	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

int small_file_replace_at(int folder, const char *name, const struct text *contents,
			  unsigned int mode, struct ft_error *err)
{
	struct text tmp = { 0 };
	int fd, result = 0;

	text_printf(&tmp, "%s.%ld", name, (long)getpid());
	fd = openat(folder, text_str(&tmp), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    mode);
	if (fd < 0) {
		result = ft_error_errno(err, errno, -1, "%s", text_str(&tmp));
	} else {
		if (write_all(fd, text_str(contents), contents->len))
			result = ft_error_errno(err, errno, -1, "%s", name);
		if (close(fd) && !result)
			result = ft_error_errno(err, errno, -1, "%s", name);
		if (!result && renameat(folder, text_str(&tmp), folder, name))
			result = ft_error_errno(err, errno, -1, "%s", name);
		if (result)
			unlinkat(folder, text_str(&tmp), 0);
	}
	text_fini(&tmp);
	return result;
}

int small_file_replace(const char *path, const struct text *contents, unsigned int mode,
		       struct ft_error *err)
{
	struct file_place place;
	int ret = file_place_open(&place, path, FILE_PLACE_MAKE, err);

	if (ret)
		return -1;
	if (small_file_replace_at(place.folder, place.name, contents, mode, err))
		ret = ft_error_prefix(err, "%s", path);
	file_place_close(&place);
	return ret;
}

int small_file_read(const char *path, size_t most, struct text *out, struct ft_error *err)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), result = 0;
	size_t before = out->len;
	struct stat st;
	char buf[4096];
	ssize_t n = 1;

	if (fd < 0)
		return ft_error_errno(err, errno, -1, "%s", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		result = ft_error_set(err, FT_E_FORMAT, -1, "%s is not a regular file", path);
	while (!result && (n = read(fd, buf, sizeof(buf))) > 0) {
		if (out->len - before + (size_t)n > most)
			result = ft_error_set(err, FT_E_LIMIT, (int64_t)most,
					      "%s is longer than %zu bytes", path, most);
		else
			text_bytes(out, buf, (size_t)n);
	}
	if (n < 0)
		result = ft_error_errno(err, errno, -1, "%s", path);
	close(fd);
	return result;
}
