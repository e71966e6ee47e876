/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_place - where the screen may write; the folder that is judged is open. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/sandbox/broker_private.h"
#include "src/base/memory.h"

static bool is_hidden(const char *path)
{
	return *path == '.' || strstr(path, "/.");
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (!path[len] || path[len] == '/');
}

/*
 * Would other programs misread the name?  If it begins with -, they take it for an option, where a
 * shell gives it to them for a *.  In a list of names, a newline makes two of it.
 */
static bool is_misread(const char *name)
{
	const char *p = name;

	while ((unsigned char)*p >= 0x20 && *p != 0x7f)
		p++;
	return *name == '-' || *p;
}

/* Is it the folder in which the program was started? */
static bool is_start(const char *real)
{
	char start[PATH_MAX];

	return getcwd(start, sizeof(start)) && !strcmp(real, start);
}

/* Programs of root read all files of some folders there, whatever their names are. */
static bool is_system(const char *real)
{
	static const char *const folders[] = { "/etc", "/usr", "/boot", "/bin", "/sbin",
					       "/lib", "/lib64", "/var/spool" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (is_below(real, folders[i]))
			return true;
	return false;
}

/* @real: without links.  The folder in which the program was started may be hidden. */
static bool may_write_in(const char *real)
{
	if (is_below(real, "/dev/shm"))
		return true;
	if (is_below(real, "/proc") || is_below(real, "/sys") || is_below(real, "/dev"))
		return false;
	return !is_hidden(real) || is_start(real);
}

int broker_place_open(struct file_place *place, const char *path, struct ft_error *err)
{
	struct text folder = { 0 };
	const char *real;
	int ret = 0;

	if (file_place_open(place, path, 0, err))
		return -1;
	if (file_place_real(place, &folder, err)) {
		file_place_close(place);
		return -1;
	}
	real = text_str(&folder);
	if (is_misread(place->name))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s: the name begins with - or has control characters", path);
	else if (*place->name == '.' || !may_write_in(real))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s: the browser does not write hidden files", path);
	else if (is_system(real) && !is_start(real))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s: the browser does not write system files", path);
	if (ret)
		file_place_close(place);
	text_fini(&folder);
	return ret;
}

int broker_place_below(struct file_place *place, const char *path, const char *folder,
		       struct ft_error *err)
{
	static const char *const tables[] = { ".parquet", ".csv", NULL };
	size_t len = strlen(folder);
	const char *table = path + len + 1, *slash;
	char *name;
	int fd;

	*place = (struct file_place){ .folder = -1, .stream = -1 };
	slash = !strncmp(path, folder, len) && path[len] == '/' ? strchr(table, '/') : NULL;
	if (slash)
		place->name = mem_strdup(slash + 1);
	if (!slash || strchr(place->name, '/') || is_hidden(table) || is_misread(place->name) ||
	    !broker_place_ends_in(place, tables))
		return ft_error_set(err, FT_E_USAGE, -1, "%s is not a table of %s", path, folder);
	fd = file_place_folder(folder, 0777, err);
	if (fd < 0)
		return -1;
	name = mem_strndup(table, (size_t)(slash - table));
	if (!mkdirat(fd, name, 0777) || errno == EEXIST)
		place->folder = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (place->folder < 0)
		ft_error_errno(err, errno, -1, "%s/%s", folder, name);
	free(name);
	close(fd);
	return place->folder < 0 ? -1 : 0;
}

int broker_create_new(const struct file_place *place, const char *path, struct ft_error *err)
{
	int fd = openat(place->folder, place->name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	return fd < 0 ? ft_error_errno(err, errno, -1, "%s", path) : fd;
}

bool broker_place_ends_in(const struct file_place *place, const char *const *endings)
{
	size_t len = strlen(place->name);

	for (; *endings; endings++)
		if (len > strlen(*endings) &&
		    !strcmp(place->name + len - strlen(*endings), *endings))
			return true;
	return false;
}
