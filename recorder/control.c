/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/control.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "src/memory.h"
#include "src/options.h"

#define READ_BLOCK	(64u << 10)
#define PATH_BYTES	4096

/* --- lists of names -------------------------------------------------------------------------- */

void name_list_add(struct name_list *list, const char *name)
{
	mem_grow(&list->names, list->nr, &list->cap);
	list->names[list->nr++] = mem_strdup(name);
}

static void add_bytes(struct name_list *list, const char *s, size_t len)
{
	mem_grow(&list->names, list->nr, &list->cap);
	list->names[list->nr++] = mem_strndup(s, len);
}

void name_list_lines(struct name_list *list, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (len && *text != '#')
			add_bytes(list, text, len);
		text += len + (text[len] == '\n');
	}
}

void name_list_words(struct name_list *list, const char *text)
{
	for (text += strspn(text, " \n\t[]"); *text; text += strspn(text, " \n\t[]")) {
		size_t len = strcspn(text, " \n\t[]");

		add_bytes(list, text, len);
		text += len;
	}
}

bool name_list_has(const struct name_list *list, const char *name)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->names[i], name))
			return true;
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void name_list_sort(struct name_list *list)
{
	if (list->nr)
		qsort(list->names, list->nr, sizeof(*list->names), compare_names);
}

void name_list_fini(struct name_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct name_list){ 0 };
}

const char *name_list_nearest(const struct name_list *list, const char *name)
{
	return options_nearest(name, (const char *const *)list->names, list->nr);
}

/* --- files ------------------------------------------------------------------------------------- */

const char *control_path(const char *dir, const char *name, char *path, size_t size)
{
	if (snprintf(path, size, "%s%s%s", dir, *name ? "/" : "", name) >= (int)size)
		path[0] = '\0';		/* a path that long is no file: what opens it fails with ENOENT */
	return path;
}

bool control_exists(const char *dir, const char *name)
{
	char path[PATH_BYTES];

	return !access(control_path(dir, name, path, sizeof(path)), F_OK);
}

const char *control_errno_name(int errnum)
{
	const char *name = strerrorname_np(errnum);

	return name ? name : "unknown errno";
}

/* What a refusal looks like everywhere: file, what was tried, errno, cause. */
static int refused(struct ft_error *err, const char *path, const char *what, const char *value)
{
	int errnum = errno;
	/* a file that is there may still not find what was written to it */
	const char *cause = value && errnum == ENOENT ? "" : control_cause(errnum);
	const char *quote = value ? "'" : "";

	ft_error_set(err, errnum == ENOMEM ? FT_E_NOMEM : FT_E_IO, -1, "%s: cannot %s%s%s%.80s%s: %s (%s)%s%s", path, what,
		     value ? " " : "", quote, value ? value : "", quote, strerror(errnum), control_errno_name(errnum),
		     *cause ? "; " : "", cause);
	errno = errnum;
	return -1;
}

int control_read(const char *dir, const char *name, struct text *out, struct ft_error *err)
{
	char path[PATH_BYTES];
	int fd = open(control_path(dir, name, path, sizeof(path)), O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return refused(err, path, "open", NULL);
	do {
		text_reserve(out, READ_BLOCK);
		out->data[out->len] = '\0';	/* an empty file leaves an empty text */
		got = read(fd, out->data + out->len, READ_BLOCK);
		if (got > 0) {
			out->len += got;
			out->data[out->len] = '\0';
		}
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		refused(err, path, "read", NULL);
		got = errno;
		close(fd);
		errno = (int)got;
		return -1;
	}
	close(fd);
	return 0;
}

char *control_read_line(const char *dir, const char *name)
{
	struct text t = { 0 };
	char *line = NULL;

	if (!control_read(dir, name, &t, NULL))
		line = mem_strndup(text_str(&t), strcspn(text_str(&t), "\n"));
	text_fini(&t);
	return line;
}

static int write_value(const char *dir, const char *name, const char *value, int flags, struct ft_error *err)
{
	char path[PATH_BYTES];
	size_t len = strlen(value);
	int fd = open(control_path(dir, name, path, sizeof(path)), O_WRONLY | O_CLOEXEC | flags);
	int errnum;

	if (fd < 0)
		return refused(err, path, "open", NULL);
	/* an empty value means what O_TRUNC did; writing nothing would be no write at all */
	if (len && write(fd, value, len) < 0) {
		refused(err, path, "write", value);
		errnum = errno;
		close(fd);
		errno = errnum;
		return -1;
	}
	if (close(fd))
		return refused(err, path, "write", value);
	return 0;
}

int control_write(const char *dir, const char *name, const char *value, struct ft_error *err)
{
	return write_value(dir, name, value, O_TRUNC, err);
}

int control_append(const char *dir, const char *name, const char *value, struct ft_error *err)
{
	return write_value(dir, name, value, O_APPEND, err);
}

int control_write_number(const char *dir, const char *name, unsigned long long value, struct ft_error *err)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", value);
	return control_write(dir, name, number, err);
}

int control_list(const char *dir, const char *name, bool folders, struct name_list *list)
{
	char path[PATH_BYTES];
	DIR *d = opendir(control_path(dir, name, path, sizeof(path)));
	struct dirent *entry;

	if (!d)
		return -1;
	while ((entry = readdir(d))) {
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		if (folders && entry->d_type == DT_UNKNOWN &&
		    (fstatat(dirfd(d), entry->d_name, &st, 0) || !S_ISDIR(st.st_mode)))
			continue;
		if (folders && entry->d_type != DT_UNKNOWN && entry->d_type != DT_DIR)
			continue;
		name_list_add(list, entry->d_name);
	}
	closedir(d);
	name_list_sort(list);
	return 0;
}

char *control_chosen(char *text)
{
	char *open = strchr(text, '[');
	char *close = open ? strchr(open, ']') : NULL;

	if (!close) {
		text[strcspn(text, " \n")] = '\0';
		return text;
	}
	*close = '\0';
	return open + 1;
}

/* --- causes ------------------------------------------------------------------------------------- */

static bool lockdown_is_confidentiality(void)
{
	char *line = control_read_line("/sys/kernel/security", "lockdown");
	bool is = line && strstr(line, "[confidentiality]");

	free(line);
	return is;
}

const char *control_cause(int errnum)
{
	switch (errnum) {
	case EPERM:
	case EACCES:
		if (geteuid() != 0)
			return "recording needs root: sudo ftop-trace record ...";
		if (lockdown_is_confidentiality())
			return "the kernel is locked down at confidentiality, which forbids tracing";
		return "this kernel refuses it to root, and does not say why";
	case ENOENT:
		return "this kernel does not have it";
	case EROFS:
		return "it is mounted read-only";
	default:
		return "";
	}
}

static char config_of(const char *line, const char *option)
{
	size_t len = strlen(option);

	if (!strncmp(line, option, len) && line[len] == '=')
		return line[len + 1] == 'm' ? 'm' : 'y';
	if (!strncmp(line, "# ", 2) && !strncmp(line + 2, option, len) && !strncmp(line + 2 + len, " is not set", 11))
		return 'n';
	return 0;
}

char control_config(const char *option)
{
	struct utsname uts;
	char path[256], line[512], found = 0;
	bool any = false;
#ifdef HAVE_ZLIB
	gzFile z = gzopen("/proc/config.gz", "re");

	while (z && !found && gzgets(z, line, sizeof(line))) {
		found = config_of(line, option);
		any = true;
	}
	if (z)
		gzclose(z);
	if (any)
		return found ? found : 'n';
#endif
	uname(&uts);
	snprintf(path, sizeof(path), "/boot/config-%s", uts.release);
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		found = config_of(line, option);
		any = true;
	}
	if (f)
		fclose(f);
	return found ? found : any ? 'n' : 0;
}
