/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "src/base/file_names.h"
#include "src/base/memory.h"

#define MOST_LINKS	40u		/* of a path, as in the kernel */
#define FOLDER		(O_PATH | O_DIRECTORY | O_CLOEXEC)

struct file_walk {				/* along a path */
	const char	*path;		/* for messages */
	int		 at;		/* the folder that was reached */
	struct text	 rest;		/* of the path */
	mode_t		 make;		/* permissions of folders that are made; 0: none */
	unsigned int	 nr_links;	/* that were followed */
	bool		 is_led;	/* the last name was one */
};

/* --- the rules -------------------------------------------------------------------------------- */

/* fs/namei.c: may_follow_link() and may_create_in_sticky().  @writers: who else may write there. */
static bool is_of_others(int folder, const struct stat *st, mode_t writers)
{
	struct stat dir;

	return fstatat(folder, ".", &dir, 0) ||
	       (dir.st_mode & S_ISVTX && dir.st_mode & writers && st->st_uid != geteuid() &&
		st->st_uid != dir.st_uid);
}

bool file_place_is_foreign(int folder, const struct stat *st)
{
	return is_of_others(folder, st, S_IWOTH | S_IWGRP);
}

static int refuse(const struct file_walk *w, const char *name, const struct stat *st,
		  struct ft_error *err)
{
	bool is_link = S_ISLNK(st->st_mode), is_last = !strcmp(file_names_base(w->path), name);

	return ft_error_set(err, FT_E_USAGE, -1,
			    "%s%s%s is a %s of another user, in a folder where %s may write: it is "
			    "not %s; remove it, or give another name",
			    w->path, is_last ? "" : ": ", is_last ? "" : name,
			    is_link               ? "symbolic link" :
			    S_ISFIFO(st->st_mode) ? "FIFO" :
						    "file",
			    is_link ? "all" : "others", is_link ? "followed" : "written");
}

/* --- along a path ----------------------------------------------------------------------------- */

static int failed(const struct file_walk *w, int errnum, struct ft_error *err)
{
	return ft_error_errno(err, errnum, -1, "%s", w->path);
}

static void set_rest(struct file_walk *w, const char *first, const char *then)
{
	struct text rest = { 0 };

	text_add(&rest, first);
	text_add(&rest, then);
	text_fini(&w->rest);
	w->rest = rest;
}

static int go_to(struct file_walk *w, int folder, struct ft_error *err)
{
	if (folder < 0)
		return failed(w, errno, err);
	if (w->at >= 0)
		close(w->at);
	w->at = folder;
	return 0;
}

static bool is_in_proc(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Go on with what a link says, then the rest of the path. */
static int follow(struct file_walk *w, const char *name, int link, struct ft_error *err)
{
	char target[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (fstat(link, &st) || !S_ISLNK(st.st_mode))
		return failed(w, ENOTDIR, err);
	if (++w->nr_links > MOST_LINKS)
		return failed(w, ELOOP, err);
	if (is_of_others(w->at, &st, S_IWOTH))
		return refuse(w, name, &st, err);
	/* the kernel knows where it leads; the text need not be a path */
	if (is_in_proc(link))
		return go_to(w, openat(w->at, name, FOLDER), err);
	len = readlinkat(link, "", target, sizeof(target) - 1);
	if (len <= 0)
		return failed(w, errno, err);
	target[len] = '\0';
	set_rest(w, target, text_str(&w->rest));
	return *target == '/' ? go_to(w, open("/", FOLDER), err) : 0;
}

static int enter(struct file_walk *w, const char *name, struct ft_error *err)
{
	int next = openat(w->at, name, FOLDER | O_NOFOLLOW), link, ret;

	if (next < 0 && errno == ENOENT && w->make &&
	    (!mkdirat(w->at, name, w->make) || errno == EEXIST))
		next = openat(w->at, name, FOLDER | O_NOFOLLOW);
	if (next >= 0 || errno != ENOTDIR)
		return go_to(w, next, err);
	link = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (link < 0)
		return failed(w, errno, err);
	ret = follow(w, name, link, err);
	close(link);
	return ret;
}

/* Until the rest is a name without a slash, which may be empty. */
static int walk(struct file_walk *w, struct ft_error *err)
{
	for (;;) {
		const char *name = text_str(&w->rest) + strspn(text_str(&w->rest), "/");
		const char *slash = strchr(name, '/');
		char *part;
		int ret;

		if (!slash) {
			set_rest(w, name, "");
			return 0;
		}
		part = mem_strndup(name, (size_t)(slash - name));
		set_rest(w, slash, "");
		ret = enter(w, part, err);
		free(part);
		if (ret)
			return ret;
	}
}

static int begin(struct file_walk *w, const char *path, mode_t make, struct ft_error *err)
{
	*w = (struct file_walk){ .path = path, .at = -1, .make = make };
	text_add(&w->rest, path);
	return go_to(w, open(*path == '/' ? "/" : ".", FOLDER), err);
}

/* --- what is there ---------------------------------------------------------------------------- */

static bool is_stream(const struct stat *st)
{
	return S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode);
}

static int real_of(int fd, struct text *real)
{
	char link[32], target[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, target, sizeof(target));
	if (len > 0)
		text_bytes(real, target, (size_t)len);
	return len > 0 ? 0 : -1;
}

/* A link such as /proc/self/fd/1: to a stream, or to a file whose name the kernel tells. */
static int take_from_proc(struct file_place *place, struct file_walk *w, struct ft_error *err)
{
	int fd = openat(w->at, text_str(&w->rest), O_PATH | O_CLOEXEC), ret = 0;
	struct stat there, named;
	struct text real = { 0 };

	if (fd < 0 || fstat(fd, &there) || real_of(fd, &real)) {
		ret = failed(w, errno, err);
	} else if (is_stream(&there)) {
		place->stream = fd;
		fd = -1;
	} else {
		ret = file_place_open(place, text_str(&real), 0, err);
		/* a file that has been removed has no name, and another one may have its */
		if (!ret && (fstatat(place->folder, place->name, &named, AT_SYMLINK_NOFOLLOW) ||
			     named.st_dev != there.st_dev || named.st_ino != there.st_ino))
			ret = ft_error_set(err, FT_E_IO, -1, "%s leads to a file without a name",
					   w->path);
	}
	if (fd >= 0)
		close(fd);
	text_fini(&real);
	return ret;
}

/* Return: as of follow(), or 1 if the link leads on. */
static int follow_last(struct file_place *place, struct file_walk *w, int link,
		       struct ft_error *err)
{
	char *name;
	int ret;

	w->is_led = true;
	if (is_in_proc(link)) {
		w->nr_links++;
		return take_from_proc(place, w, err);
	}
	name = mem_strdup(text_str(&w->rest));
	text_clear(&w->rest);
	ret = follow(w, name, link, err) ?: 1;
	free(name);
	return ret;
}

/* What has the name that is left.  Return: 0, -1, or 1 for a link that leads on. */
static int look(struct file_place *place, struct file_walk *w, unsigned int how,
		struct ft_error *err)
{
	const char *name = text_str(&w->rest);
	struct stat st;
	int fd, ret = 0;

	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return ft_error_set(err, FT_E_USAGE, -1, "'%s' is not a file name", w->path);
	fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)		/* it can be created, but not through a link */
		return w->is_led ? failed(w, errno, err) : 0;
	if (fstat(fd, &st)) {
		ret = failed(w, errno, err);
	} else if (how & FILE_PLACE_FOLLOW && S_ISLNK(st.st_mode)) {
		ret = follow_last(place, w, fd, err);
	} else if (file_place_is_foreign(w->at, &st)) {
		ret = refuse(w, name, &st, err);
	} else if (how & FILE_PLACE_FOLLOW && is_stream(&st)) {
		place->stream = fd;
		return 0;
	}
	close(fd);
	return ret;
}

/* --- the interface ---------------------------------------------------------------------------- */

int file_place_open(struct file_place *place, const char *path, unsigned int how,
		    struct ft_error *err)
{
	struct file_walk w;
	int ret = begin(&w, path, how & FILE_PLACE_MAKE ? 0700 : 0, err) ?: 1;

	*place = (struct file_place){ .folder = -1, .stream = -1 };
	while (ret > 0)
		ret = walk(&w, err) ?: look(place, &w, how, err);
	if (place->folder < 0) {		/* not taken from /proc */
		place->folder = w.at;
		place->name = mem_strdup(text_str(&w.rest));
	} else {
		close(w.at);
	}
	place->has_links |= w.nr_links > 0;
	text_fini(&w.rest);
	if (ret)
		file_place_close(place);
	return ret;
}

void file_place_close(struct file_place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	if (place->stream >= 0)
		close(place->stream);
	free(place->name);
	*place = (struct file_place){ .folder = -1, .stream = -1 };
}

int file_place_open_file(const char *path, int flags, struct ft_error *err)
{
	struct file_place place;
	int fd;

	if (file_place_open(&place, path, flags & O_NOFOLLOW ? 0 : FILE_PLACE_FOLLOW, err))
		return -1;
	fd = openat(place.folder, place.name, flags | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		ft_error_errno(err, errno, -1, "%s: cannot open", path);
	file_place_close(&place);
	return fd;
}

int file_place_folder(const char *path, mode_t make, struct ft_error *err)
{
	struct file_walk w;
	int ret = begin(&w, path, make, err);

	text_char(&w.rest, '/');
	if (!ret)
		ret = walk(&w, err);
	if (ret && w.at >= 0)
		close(w.at);
	text_fini(&w.rest);
	return ret ? -1 : w.at;
}

int file_place_real(const struct file_place *place, struct text *real, struct ft_error *err)
{
	return real_of(place->folder, real) ?
		       ft_error_errno(err, errno, -1, "%s: cannot tell its folder", place->name) :
		       0;
}
