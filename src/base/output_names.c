/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/output_names.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/file_place.h"

static const struct {
	const char	*end;		/* of the name: this, the number, this */
	const char	*behind;	/* NULL: it has no number */
	bool		 is_beside;	/* they take the place of .dat */
	const char	*head;		/* as of output_name_replaces() */
	const char	*writer;
} derived[] = {
	[OUTPUT_PART] = { ".part" },
	[OUTPUT_PACKING] = { ".packing", .head = OUTPUT_TRACE_HEAD, .writer = "the recorder" },
	[OUTPUT_CPU] = { ".cpu", "" },
	[OUTPUT_MARKS] = { ".marks", .head = OUTPUT_MARKS_HEAD, .writer = "the browser" },
	[OUTPUT_MAX] = { ".max.dat", NULL, true, OUTPUT_TRACE_HEAD, "a latency tracer" },
	[OUTPUT_NUMBER] = { ".", ".dat", true, OUTPUT_TRACE_HEAD, "--split" },
	[OUTPUT_NUMBER_PART] = { ".", ".dat.part", true },
};

void output_name_add(enum output_name which, const char *output, unsigned int number,
		     struct text *name)
{
	size_t len = strlen(output);

	if (derived[which].is_beside && len > 4 && !strcmp(output + len - 4, ".dat"))
		len -= 4;
	text_printf(name, "%.*s%s", (int)len, output, derived[which].end);
	if (derived[which].behind)
		text_printf(name, "%u%s", number, derived[which].behind);
}

/* --- what is there ---------------------------------------------------------------------------- */

bool output_name_replaces(int folder, const char *name, const char *head)
{
	size_t len = head ? strlen(head) : 0;
	struct stat st;
	char bytes[32];
	bool replaces;
	int fd;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))	/* or nothing can be there */
		return errno == ENOENT || errno == ENAMETOOLONG;
	if (!head || (!S_ISREG(st.st_mode) && (*head || !S_ISLNK(st.st_mode))) ||
	    file_place_is_foreign(folder, &st))
		return false;
	if (!*head)
		return true;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	replaces = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		   (!st.st_size || (len <= sizeof(bytes) && read(fd, bytes, len) == (ssize_t)len &&
				    !memcmp(bytes, head, len)));
	close(fd);
	return replaces;
}

static int refuse(const char *name, const struct stat *st, enum output_name which,
		  struct ft_error *err)
{
	if (!derived[which].head)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "%s exists: it is being written, or is left of a program that "
				    "was killed; then remove it",
				    name);
	return ft_error_set(err, FT_E_USAGE, -1,
			    "%s is %s, which %s does not replace: move it, or name another file "
			    "with -o",
			    name,
			    S_ISLNK(st->st_mode) ? "a symbolic link" :
			    S_ISDIR(st->st_mode) ? "a folder" :
			    S_ISREG(st->st_mode) ? "not a trace" :
						   "not a regular file",
			    derived[which].writer);
}

static int check(int folder, const char *output, enum output_name which, unsigned int number,
		 struct ft_error *err)
{
	struct text name = { 0 };
	struct stat st;
	int ret = 0;

	output_name_add(which, output, number, &name);
	if (!output_name_replaces(folder, text_str(&name), derived[which].head))
		ret = fstatat(folder, text_str(&name), &st, AT_SYMLINK_NOFOLLOW) ?
			      ft_error_errno(err, errno, -1, "%s", text_str(&name)) :
			      refuse(text_str(&name), &st, which, err);
	text_fini(&name);
	return ret;
}

int output_names_check(int folder, const char *output, const struct output_names *names,
		       struct ft_error *err)
{
	struct text part = { 0 };
	int ret;

	output_name_add(OUTPUT_PART, output, 0, &part);
	ret = check(folder, text_str(&part), OUTPUT_PACKING, 0, err);
	text_fini(&part);
	if (!ret && names->has_max)
		ret = check(folder, output, OUTPUT_MAX, 0, err);
	for (unsigned int i = 1; i <= names->numbers && !ret; i++) {
		ret = check(folder, output, OUTPUT_NUMBER, i, err);
		if (!ret)
			ret = check(folder, output, OUTPUT_NUMBER_PART, i, err);
	}
	return ret;
}

mode_t output_name_mode(int folder, const char *name, mode_t mode)
{
	struct stat st;

	/* what its owner may do does not matter to others, and the program reads and writes it */
	if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
		mode &= st.st_mode | 0600;
	return mode;
}

/* --- what becomes of it ----------------------------------------------------------------------- */

/* Who may write in the folder could have put a link to a file of ours there. */
static void keep_mode(int folder, const char *from, int into, const char *to)
{
	int fd = openat(folder, from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	mode_t mode;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_uid == geteuid()) {
		mode = output_name_mode(into, to, st.st_mode & 07777);
		if (mode != (st.st_mode & 07777) && fchmod(fd, mode))
			errno = 0;	/* a file system without permissions */
	}
	close(fd);
}

/* Nothing may have come there since it was looked at. */
static int rename_to_new(int folder, const char *from, int into, const char *to)
{
	/* musl has no function for it before 1.2.6 */
	if (!syscall(SYS_renameat2, folder, from, into, to, RENAME_NOREPLACE))
		return 0;
	/* some file systems cannot rename with that condition */
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (!faccessat(into, to, F_OK, AT_SYMLINK_NOFOLLOW)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(folder, from, into, to);
}

int output_name_give(int folder, const char *from, int into, const char *to, const char *head,
		     struct ft_error *err)
{
	struct stat st;
	int ret;

	if (fstatat(into, to, &st, AT_SYMLINK_NOFOLLOW)) {
		ret = rename_to_new(folder, from, into, to);
	} else if (output_name_replaces(into, to, head)) {
		keep_mode(folder, from, into, to);
		ret = renameat(folder, from, into, to);
	} else {
		errno = EEXIST;
		ret = -1;
	}
	return ret ? ft_error_errno(err, errno, -1, "%s: cannot be renamed to %s", from, to) : 0;
}

void output_name_remove(int folder, const char *name, const char *head)
{
	if (output_name_replaces(folder, name, head))
		unlinkat(folder, name, 0);
}
