/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_place - where a path leads; the folder that is judged is the one that is opened. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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

/* -1 with errno if a component is a link. */
static int open_without_links(const char *folder)
{
	int fd = open(*folder == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (const char *p = folder + strspn(folder, "/"); *p && fd >= 0; p += strspn(p, "/")) {
		size_t len = strcspn(p, "/");
		char *name = mem_strndup(p, len);
		int next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		free(name);
		close(fd);
		fd = next;
		p += len;
	}
	return fd;
}

int broker_place_open(struct broker_place *place, const char *path, struct ft_error *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = !slash ? mem_strdup(".") :
				mem_strndup(path, slash == path ? 1 : (size_t)(slash - path));
	int named = open_without_links(folder), ret = 0;
	char *real = realpath(folder, NULL);
	int errnum = errno;

	*place = (struct broker_place){ .folder = -1, .name = slash ? slash + 1 : path,
					.has_links = named < 0 };
	if (named >= 0)
		close(named);
	free(folder);
	if (!real)
		return ft_error_errno(err, errnum, -1, "%s", path);
	if (!*place->name)
		ret = ft_error_set(err, FT_E_USAGE, -1, "'%s' is not a file name", path);
	else if (is_misread(place->name))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s: the name begins with - or has control characters", path);
	else if (*place->name == '.' || !may_write_in(real))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s: the browser does not write hidden files", path);
	else if (is_system(real) && !is_start(real))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s: the browser does not write system files", path);
	else
		place->folder = open_without_links(real);	/* none may have come since */
	if (!ret && place->folder < 0)
		ret = ft_error_errno(err, errno, -1, "%s", path);
	free(real);
	return ret;
}

int broker_place_beside(struct broker_place *place, const char *path, struct ft_error *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = mem_strndup(path, slash ? (size_t)(slash - path) + 1 : 0);

	*place = (struct broker_place){
		.folder = open(slash ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC),
		.name = slash ? slash + 1 : path,
	};
	free(folder);
	if (place->folder < 0)
		return ft_error_errno(err, errno, -1, "%s", path);
	return *place->name ? 0 :
			      ft_error_set(err, FT_E_USAGE, -1, "'%s' is not a file name", path);
}

/*
 * The kernel's own rule (fs.protected_symlinks), also where it is switched off: in a folder such as
 * /tmp, only links of the caller or of the folder's owner are followed.
 */
static bool may_follow(const struct broker_place *place, const struct stat *link)
{
	struct stat folder;

	return !fstat(place->folder, &folder) &&
	       (!(folder.st_mode & S_ISVTX) || !(folder.st_mode & S_IWOTH) ||
		link->st_uid == geteuid() || link->st_uid == folder.st_uid);
}

/* Let the kernel follow the link, once, and go where it led. */
static int follow(struct broker_place *place, const char *path, struct ft_error *err)
{
	int fd = openat(place->folder, place->name, O_PATH | O_CLOEXEC);
	char link[32], target[PATH_MAX], *real;
	struct stat there, named;
	ssize_t len;
	int ret;

	if (fd < 0 || fstat(fd, &there))
		return ft_error_errno(err, errno, -1, "%s", path);
	if (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode)) {
		place->stream = fd;
		return 0;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, target, sizeof(target) - 1);
	close(fd);
	if (len <= 0)
		return ft_error_errno(err, errno, -1, "%s", path);
	real = mem_strndup(target, (size_t)len);
	broker_place_close(place);
	ret = broker_place_beside(place, real, err);
	place->real = real;
	if (ret)
		return -1;
	/* a file that has been removed has no name, and another one may have its */
	if (fstatat(place->folder, place->name, &named, AT_SYMLINK_NOFOLLOW) ||
	    named.st_dev != there.st_dev || named.st_ino != there.st_ino)
		return ft_error_set(err, FT_E_IO, -1, "%s leads to a file without a name", path);
	return 0;
}

int broker_place_of(struct broker_place *place, const char *path, struct ft_error *err)
{
	struct stat st;

	if (broker_place_beside(place, path, err))
		return -1;
	if (fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (S_ISLNK(st.st_mode) && !may_follow(place, &st))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"%s is a symbolic link of another user, in a folder where all "
			"may write: it is not followed; remove it, or give another name",
			path);
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	return follow(place, path, err);
}

int broker_place_below(struct broker_place *place, const char *path, const char *folder,
		       struct ft_error *err)
{
	static const char *const tables[] = { ".parquet", ".csv", NULL };
	size_t len = strlen(folder);
	const char *table = path + len + 1, *slash;
	char *name;
	int fd;

	*place = (struct broker_place){ .folder = -1 };
	slash = !strncmp(path, folder, len) && path[len] == '/' ? strchr(table, '/') : NULL;
	if (slash)
		place->name = slash + 1;
	if (!slash || strchr(place->name, '/') || is_hidden(table) || is_misread(place->name) ||
	    !broker_place_ends_in(place, tables))
		return ft_error_set(err, FT_E_USAGE, -1, "%s is not a table of %s", path, folder);
	if (mkdir(folder, 0777) && errno != EEXIST)
		return ft_error_errno(err, errno, -1, "%s", folder);
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	name = mem_strndup(table, (size_t)(slash - table));
	if (fd >= 0 && (!mkdirat(fd, name, 0777) || errno == EEXIST))
		place->folder = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (place->folder < 0)
		ft_error_errno(err, errno, -1, "%s/%s", folder, name);
	free(name);
	if (fd >= 0)
		close(fd);
	return place->folder < 0 ? -1 : 0;
}

bool broker_place_ends_in(const struct broker_place *place, const char *const *endings)
{
	size_t len = strlen(place->name);

	for (; *endings; endings++)
		if (len > strlen(*endings) &&
		    !strcmp(place->name + len - strlen(*endings), *endings))
			return true;
	return false;
}

void broker_place_close(struct broker_place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	if (place->stream > 0)
		close(place->stream);
	free(place->real);
	*place = (struct broker_place){ .folder = -1 };
}
