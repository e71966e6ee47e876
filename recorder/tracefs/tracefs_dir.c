/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/tracefs_dir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "src/base/memory.h"

/* bytes; the largest files, lists of functions, have a few MiB */
#define MAX_FILE	(256u << 20)
#define READ_PIECE	(64u << 10)

static const struct {
	int		 errnum;
	const char	*name;
} errnos[] = {
	{ EPERM, "EPERM" },	{ ENOENT, "ENOENT" },	{ EINTR, "EINTR" },	{ EIO, "EIO" },
	{ ENXIO, "ENXIO" },	{ E2BIG, "E2BIG" },	{ EBADF, "EBADF" },	{ EAGAIN,
		"EAGAIN" },
	{ ENOMEM, "ENOMEM" },	{ EACCES, "EACCES" },	{ EFAULT, "EFAULT" },	{ EBUSY, "EBUSY" },
	{ EEXIST, "EEXIST" },	{ ENODEV, "ENODEV" },	{ ENOTDIR, "ENOTDIR" },	{ EISDIR,
		"EISDIR" },
	{ EINVAL, "EINVAL" },	{ ENFILE, "ENFILE" },	{ EMFILE, "EMFILE" },	{ EFBIG, "EFBIG" },
	{ ENOSPC, "ENOSPC" },	{ EROFS, "EROFS" },	{ EPIPE, "EPIPE" },	{ ERANGE,
		"ERANGE" },
	{ ENOSYS, "ENOSYS" },	{ ELOOP, "ELOOP" },	{ ENODATA, "ENODATA" },
	{ EOVERFLOW, "EOVERFLOW" },
	{ ENOTEMPTY, "ENOTEMPTY" },	{ EOPNOTSUPP, "EOPNOTSUPP" },	{ ETIMEDOUT, "ETIMEDOUT" },
	{ ENAMETOOLONG, "ENAMETOOLONG" },
};

const char *tracefs_dir_errno(int errnum)
{
	static _Thread_local char buf[24];

	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++)
		if (errnos[i].errnum == errnum)
			return errnos[i].name;
	snprintf(buf, sizeof(buf), "errno %d", errnum);
	return buf;
}

int tracefs_dir_refused(struct ft_error *err, int errnum, const char *what, ...)
{
	char words[384];
	va_list ap;

	va_start(ap, what);
	vsnprintf(words, sizeof(words), what, ap);
	va_end(ap);
	ft_error_set(err, FT_E_IO, -1, "%s: %s (%s)", words, tracefs_dir_errno(errnum),
		     strerror(errnum));
	errno = errnum;
	return -1;
}

const char *tracefs_dir_text(char text[static TRACEFS_TEXT_BYTES], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, TRACEFS_TEXT_BYTES, fmt, ap);
	va_end(ap);
	return text;
}

/* Set the error for one file; keeps errno.  @what: "opening", "writing 'function'". */
static int set_refused(const struct tracefs_dir *dir, const char *file, const char *what,
		       struct ft_error *err)
{
	return tracefs_dir_refused(err, errno, "%s%s%s: %s", dir->path, *file ? "/" : "", file,
				   what);
}

/* The folder's path for libtracefs. */
#define LIB_PATH(dir) TRACEFS_TEXT("/proc/self/fd/%d", (dir)->fd)

/* --- where it is ------------------------------------------------------------ */

/* /proc/self/mounts writes blanks, tabs, newlines and backslashes as \ooo. */
static void add_unescaped(struct text *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' && len - i > 3 && s[i + 1] >= '0' && s[i + 1] <= '3') {
			text_char(out,
				  (s[i + 1] - '0') << 6 | (s[i + 2] - '0') << 3 | (s[i + 3] - '0'));
			i += 3;
		} else {
			text_char(out, s[i]);
		}
	}
}

/* One line: "DEVICE FOLDER TYPE OPTIONS 0 0".  A later value is preferred. */
enum { FOUND_NOTHING, FOUND_DEBUGFS, FOUND_TRACEFS, FOUND_USUAL };

static int look_at_mount(const char *line, int found, struct text *path)
{
	const char *folder = strchr(line, ' ');
	const char *type = folder ? strchr(folder + 1, ' ') : NULL;
	size_t len;
	int kind;

	if (!type)
		return found;
	folder++;
	len = type - folder;
	type++;
	if (!strncmp(type, "tracefs ", 8))
		kind = len == 19 && !memcmp(folder, "/sys/kernel/tracing", len) ? FOUND_USUAL :
										  FOUND_TRACEFS;
	else if (!strncmp(type, "debugfs ", 8))
		kind = FOUND_DEBUGFS;
	else
		return found;
	if (kind <= found)
		return found;
	text_clear(path);
	add_unescaped(path, folder, len);
	if (kind == FOUND_DEBUGFS)
		text_add(path, "/tracing");
	return kind;
}

int tracefs_dir_find(const char *mounts, struct text *path, struct ft_error *err)
{
	FILE *in = fopen(mounts ? mounts : "/proc/self/mounts", "re");
	int found = FOUND_NOTHING, errnum = errno;
	char *line = NULL;
	size_t size = 0;

	text_clear(path);
	if (!in) {
		if (!mounts && errnum == ENOENT)
			ft_error_set(
				err, FT_E_IO, -1,
				"/proc is not mounted; mount it: sudo mount -t proc proc /proc");
		else
			ft_error_errno(err, errnum, -1, "%s",
				       mounts ? mounts : "/proc/self/mounts");
		errno = errnum;
		return -1;
	}
	while (getline(&line, &size, in) >= 0)
		found = look_at_mount(line, found, path);
	free(line);
	fclose(in);
	/*
	 * A debugfs without the folder means a kernel without tracing, or with tracing in tracefs
	 * only.
	 */
	if (found > FOUND_DEBUGFS || (found == FOUND_DEBUGFS && !access(text_str(path), F_OK)))
		return 0;
	text_clear(path);
	ft_error_set(
		err, FT_E_IO, -1,
		"tracefs is not mounted; mount it: sudo mount -t tracefs nodev /sys/kernel/tracing");
	errno = ENODEV;
	return -1;
}

/* Open the folder for libtracefs; needs /proc for its path. */
static int open_lib(struct tracefs_dir *dir, struct ft_error *err)
{
	int errnum;

	tracefs_set_loglevel(TEP_LOG_NONE);	/* we report errors ourselves */
	dir->lib = tracefs_instance_alloc(LIB_PATH(dir), NULL);
	if (dir->lib)
		return 0;
	errnum = errno;
	tracefs_dir_refused(err, errnum, "%s: libtracefs reaches it by %s", dir->path,
			    LIB_PATH(dir));
	tracefs_dir_close(dir);
	errno = errnum;
	return -1;
}

int tracefs_dir_open(struct tracefs_dir *dir, const char *root, struct ft_error *err)
{
	struct text path = { 0 };
	size_t len;

	*dir = (struct tracefs_dir){ .fd = -1 };
	if (root)
		text_add(&path, root);
	else if (tracefs_dir_find(NULL, &path, err)) {
		text_fini(&path);
		return -1;
	}
	for (len = path.len; len > 1 && path.data[len - 1] == '/'; len--)
		;
	dir->path = mem_strndup(text_str(&path), len);
	text_fini(&path);
	dir->fd = open(dir->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd >= 0)
		return open_lib(dir, err);
	set_refused(dir, "", "opening", err);
	len = errno;
	tracefs_dir_close(dir);
	errno = len;
	return -1;
}

int tracefs_dir_open_below(struct tracefs_dir *dir, const struct tracefs_dir *parent,
			   const char *name, struct ft_error *err)
{
	struct text path = { 0 };

	*dir = (struct tracefs_dir){ .fd = openat(parent->fd, name,
						  O_PATH | O_DIRECTORY | O_CLOEXEC) };
	if (dir->fd < 0)
		return set_refused(parent, name, "opening", err);
	text_add(&path, parent->path);
	if (strcmp(name, ".") != 0)
		text_printf(&path, "/%s", name);
	dir->path = mem_strdup(text_str(&path));
	text_fini(&path);
	return open_lib(dir, err);
}

void tracefs_dir_close(struct tracefs_dir *dir)
{
	if (dir->lib)
		tracefs_instance_free(dir->lib);
	if (dir->path && dir->fd >= 0)
		close(dir->fd);
	free(dir->path);
	*dir = (struct tracefs_dir){ .fd = -1 };
}

/* --- files ------------------------------------------------------------------ */

int tracefs_dir_file(const struct tracefs_dir *dir, const char *file, int flags,
		     struct ft_error *err)
{
	int fd = openat(dir->fd, file, flags | O_CLOEXEC);

	return fd < 0 ? set_refused(dir, file, "opening", err) : fd;
}

bool tracefs_dir_has(const struct tracefs_dir *dir, const char *file)
{
	struct stat st;

	return !fstatat(dir->fd, file, &st, 0);
}

int tracefs_dir_read(const struct tracefs_dir *dir, const char *file, struct text *out,
		     struct ft_error *err)
{
	int fd = tracefs_dir_file(dir, file, O_RDONLY | O_NONBLOCK, err);
	int errnum = 0;
	ssize_t got;

	text_clear(out);
	if (fd < 0)
		return -1;
	for (;;) {
		text_reserve(out, READ_PIECE);
		out->data[out->len] = '\0';
		got = read(fd, out->data + out->len, READ_PIECE);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0 || out->len + got > MAX_FILE)
			break;
		out->len += got;
	}
	if (got < 0) {
		set_refused(dir, file, "reading", err);
		errnum = errno;
	} else if (got > 0) {
		ft_error_set(err, FT_E_LIMIT, -1, "%s/%s: more than %u bytes", dir->path, file,
			     MAX_FILE);
	}
	close(fd);
	errno = errnum;
	return got ? -1 : 0;
}

bool tracefs_dir_read_into(int at, const char *path, char *buf, size_t size)
{
	int fd = openat(at, path, O_RDONLY | O_CLOEXEC);
	ssize_t got, len = 0;

	buf[0] = '\0';
	if (fd < 0)
		return false;
	while ((got = read(fd, buf + len, size - 1 - len)) > 0)
		len += got;
	buf[len] = '\0';
	close(fd);
	return got == 0;
}

int tracefs_dir_read_line(const struct tracefs_dir *dir, const char *file, struct text *out,
			  struct ft_error *err)
{
	if (tracefs_dir_read(dir, file, out, err))
		return -1;
	while (out->len && isspace((unsigned char)out->data[out->len - 1]))
		out->data[--out->len] = '\0';
	return 0;
}

char *tracefs_dir_line(const struct tracefs_dir *dir, const char *file)
{
	struct text content = { 0 };
	char *line = NULL;

	if (!tracefs_dir_read(dir, file, &content, NULL))
		line = mem_strndup(text_str(&content), strcspn(text_str(&content), "\n"));
	text_fini(&content);
	return line;
}

char *tracefs_dir_chosen(char *line)
{
	char *open = strchr(line, '[');
	char *close = open ? strchr(open, ']') : NULL;

	if (!close) {
		line[strcspn(line, " \n")] = '\0';
		return line;
	}
	*close = '\0';
	return open + 1;
}

uint64_t tracefs_dir_size_kb(const char *text)
{
	static const char word[] = "(expanded: ";
	const char *expanded = strstr(text, word);

	return strtoull(expanded ? expanded + strlen(word) : text, NULL, 10);
}

int tracefs_dir_read_number(const struct tracefs_dir *dir, const char *file, long long *value,
			    struct ft_error *err)
{
	struct text content = { 0 };
	const char *s;
	char *end;
	int ret = -1;

	if (tracefs_dir_read(dir, file, &content, err))
		goto out;
	s = text_str(&content);
	errno = 0;
	*value = strtoll(s, &end, 10);
	if (end == s || errno) {
		ft_error_set(err, FT_E_FORMAT, -1, "%s/%s does not begin with a number", dir->path,
			     file);
		errno = 0;
	} else {
		ret = 0;
	}
out:
	text_fini(&content);
	return ret;
}

int tracefs_dir_write(const struct tracefs_dir *dir, const char *file, const char *value,
		      enum tracefs_dir_mode mode, struct ft_error *err)
{
	int flags = O_WRONLY | O_CLOEXEC | (mode == TRACEFS_DIR_REPLACE ? O_TRUNC : O_APPEND);
	int fd = tracefs_instance_file_open(dir->lib, file, flags);
	size_t len = strlen(value), done = 0;
	int errnum = 0;
	char what[96];
	ssize_t put;

	if (fd < 0)
		return set_refused(dir, file, "opening", err);
	/*
	 * an empty value needs no write, O_TRUNC has cleared the file; the kernel takes a list of
	 * functions word by word
	 */
	do {
		put = len ? write(fd, value + done, len - done) : 0;
		done += put > 0 ? (size_t)put : 0;
	} while ((put > 0 && done < len) || (put < 0 && errno == EINTR));
	if (put < 0) {
		int shown = strcspn(value + done, "\n");

		/* A long list of functions is shown by its beginning. */
		if (shown > 64)
			shown = 61;
		snprintf(what, sizeof(what), "writing '%.*s%s'", shown, value + done,
			 shown == 61 ? "..." : "");
		set_refused(dir, file, what, err);
		errnum = errno;
	} else if (done < len) {
		ft_error_set(err, FT_E_IO, -1, "%s/%s: took %zu of %zu bytes", dir->path, file,
			     done, len);
	}
	close(fd);
	errno = errnum;
	return done == len ? 0 : -1;
}

int tracefs_dir_write_number(const struct tracefs_dir *dir, const char *file, long long value,
			     struct ft_error *err)
{
	return tracefs_dir_write(dir, file, TRACEFS_TEXT("%lld", value), TRACEFS_DIR_REPLACE, err);
}

/* --- instances ---------------------------------------------------------------- */

int tracefs_dir_make_instance(const struct tracefs_dir *root, const char *name)
{
	struct tracefs_instance *made;
	bool is_new;

	tracefs_dir_use(root);
	made = tracefs_instance_create(name);
	is_new = made && tracefs_instance_is_new(made);
	if (made && !is_new)
		errno = EEXIST;
	if (made)
		tracefs_instance_free(made);
	return is_new ? 0 : -1;
}

int tracefs_dir_remove_instance(const struct tracefs_dir *root, const char *name)
{
	struct tracefs_instance *instance = tracefs_instance_alloc(LIB_PATH(root), name);
	int ret = instance ? tracefs_instance_destroy(instance) : -1, errnum = errno;

	if (instance)
		tracefs_instance_free(instance);
	errno = errnum;
	return ret;
}

void tracefs_dir_use(const struct tracefs_dir *root)
{
	tracefs_set_tracing_dir((char *)LIB_PATH(root));
}

/* --- names ------------------------------------------------------------------ */

static bool is_folder(DIR *stream, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !fstatat(dirfd(stream), entry->d_name, &st, 0) && S_ISDIR(st.st_mode);
}

static int list_folder(const struct tracefs_dir *dir, const char *folder, bool folders,
		       struct name_list *names, struct ft_error *err)
{
	int fd = tracefs_dir_file(dir, *folder ? folder : ".", O_RDONLY | O_DIRECTORY, err);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	int errnum;

	*names = (struct name_list){ 0 };
	if (fd < 0)
		return -1;
	if (!stream) {
		set_refused(dir, folder, "opening", err);
		errnum = errno;
		close(fd);
		errno = errnum;
		return -1;
	}
	while (errno = 0, entry = readdir(stream))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    (!folders || is_folder(stream, entry)))
			name_list_add(names, entry->d_name);
	errnum = errno;
	if (errnum)
		set_refused(dir, folder, "reading", err);
	else
		name_list_sort(names);
	closedir(stream);
	errno = errnum;
	return errnum ? -1 : 0;
}

int tracefs_dir_list(const struct tracefs_dir *dir, const char *folder, struct name_list *names,
		     struct ft_error *err)
{
	return list_folder(dir, folder, false, names, err);
}

int tracefs_dir_folders(const struct tracefs_dir *dir, const char *folder, struct name_list *names,
			struct ft_error *err)
{
	return list_folder(dir, folder, true, names, err);
}

static int read_names(const struct tracefs_dir *dir, const char *file,
		      void (*split)(struct name_list *names, const char *text),
		      struct name_list *names, struct ft_error *err)
{
	struct text content = { 0 };
	int ret = tracefs_dir_read(dir, file, &content, err);

	*names = (struct name_list){ 0 };
	if (!ret)
		split(names, text_str(&content));
	text_fini(&content);
	return ret;
}

int tracefs_dir_read_words(const struct tracefs_dir *dir, const char *file, struct name_list *names,
			   struct ft_error *err)
{
	return read_names(dir, file, name_list_words, names, err);
}

int tracefs_dir_read_lines(const struct tracefs_dir *dir, const char *file, struct name_list *names,
			   struct ft_error *err)
{
	return read_names(dir, file, name_list_lines, names, err);
}

bool tracefs_dir_explains(const struct tracefs_dir *root, const char *words)
{
	struct text readme = { 0 };
	bool does = !tracefs_dir_read(root, "README", &readme, NULL) &&
		    strstr(text_str(&readme), words);

	text_fini(&readme);
	return does;
}
