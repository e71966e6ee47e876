/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/leftover.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/refusal.h"
#include "src/memory.h"

#define REMOVE_TRIES	20
#define REMOVE_PAUSE_NS	50000000

/* Field 22 of /proc/PID/stat; the name of the program, which may hold anything, ends with the last ")". */
static bool read_start_time(const char *proc, int pid, unsigned long long *start)
{
	char path[PATH_MAX], buf[2048];
	const char *p;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/%d/stat", proc, pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	buf[len > 0 ? len : 0] = '\0';
	p = strrchr(buf, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	return p && sscanf(p, " %llu", start) == 1;
}

int leftover_name(char *buf, unsigned int size, struct ft_error *err)
{
	unsigned long long start;

	if (!read_start_time("/proc", getpid(), &start))
		return ft_error_set(err, FT_E_IO, -1, "/proc/%d/stat cannot be read", getpid());
	snprintf(buf, size, "ftop-%d-%llu", getpid(), start);
	return 0;
}

/* "ftop-PID-START" and nothing else. */
static bool parse_name(const char *name, int *pid, unsigned long long *start)
{
	char *end;
	long number;

	if (strncmp(name, "ftop-", 5) || !isdigit((unsigned char)name[5]))
		return false;
	errno = 0;
	number = strtol(name + 5, &end, 10);
	if (errno || number <= 0 || number > INT_MAX || *end != '-' || !isdigit((unsigned char)end[1]))
		return false;
	*pid = number;
	*start = strtoull(end + 1, &end, 10);
	return !errno && !*end;
}

static void add(struct leftovers *leftovers, const char *name, const char *proc)
{
	unsigned long long start, now;
	struct leftover *item;
	int pid;

	if (!parse_name(name, &pid, &start)) {
		tracefs_dir_names_add(&leftovers->foreign, name, strlen(name));
		return;
	}
	mem_grow(&leftovers->items, leftovers->nr, &leftovers->cap);
	item = &leftovers->items[leftovers->nr++];
	*item = (struct leftover){ .name = mem_strdup(name), .pid = pid };
	item->alive = read_start_time(proc, pid, &now) && now == start;
	leftovers->nr_stale += !item->alive;
}

int leftovers_find(struct leftovers *leftovers, const struct tracefs_dir *dir, const char *proc, struct ft_error *err)
{
	struct tracefs_dir_names names;
	int ret, errnum;

	*leftovers = (struct leftovers){ 0 };
	ret = tracefs_dir_list(dir, "instances", &names, err);
	errnum = errno;
	for (unsigned int i = 0; i < names.nr; i++)
		add(leftovers, names.names[i], proc);
	tracefs_dir_names_fini(&names);
	errno = errnum;
	return ret;
}

void leftovers_fini(struct leftovers *leftovers)
{
	for (unsigned int i = 0; i < leftovers->nr; i++)
		free(leftovers->items[i].name);
	free(leftovers->items);
	tracefs_dir_names_fini(&leftovers->foreign);
	*leftovers = (struct leftovers){ 0 };
}

static void set_busy_error(const struct tracefs_dir *dir, const char *path, struct ft_error *err)
{
	struct text holders = { 0 };
	struct tracefs_dir instance;

	if (!tracefs_dir_open_below(&instance, dir, path, NULL))
		refusal_holders(&instance, "/proc", &holders);
	tracefs_dir_close(&instance);
	ft_error_set(err, FT_E_IO, -1, "%s/%s: removing: EBUSY: in use by %s", dir->path, path,
		     holders.len ? text_str(&holders) : "a process that cannot be seen");
	text_fini(&holders);
	errno = EBUSY;
}

int leftover_remove(const struct tracefs_dir *dir, const char *name, struct ft_error *err)
{
	char path[NAME_MAX + 16];
	int errnum;

	snprintf(path, sizeof(path), "instances/%s", name);
	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (!unlinkat(dir->fd, path, AT_REMOVEDIR))
			return 0;
		if (errno != EBUSY)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = REMOVE_PAUSE_NS }, NULL);
	}
	errnum = errno;
	if (errnum == EBUSY) {
		set_busy_error(dir, path, err);
		return -1;
	}
	ft_error_set(err, FT_E_IO, -1, "%s/%s: removing: %s (%s)", dir->path, path, tracefs_dir_errno(errnum),
		     strerror(errnum));
	errno = errnum;
	return -1;
}
