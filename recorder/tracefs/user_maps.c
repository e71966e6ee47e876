/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/user_maps.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/tracefs/build_id.h"
#include "src/base/index_map.h"
#include "src/base/small_file.h"

#define MOST_BYTES	(16u << 20)	/* of /proc/PID/maps */
#define MOST_MAPS	65536u		/* of a process, over time */
#define YOUNG_NS	1000000000ull	/* in which a process loads its libraries */
#define NO_FILE		UINT32_MAX

struct mapping {
	uint64_t	from, to, place;
	uint64_t	first, last;	/* looks that saw it */
	uint32_t	file;		/* NO_FILE: memory without one */
};

struct mark {				/* what changes with mappings */
	unsigned long long all, code, data;	/* sizes; all 0: it has no memory */
	uint32_t	 program;	/* changes with an exec */
};

struct process {
	int		 pid;
	struct mark	 mark;
	uint64_t	 born;		/* the first look at it */
	uint64_t	 seen;		/* the last look at which it had memory */
	struct mapping	*maps;		/* owned, [nr] */
	uint32_t	 nr, cap;
};

struct mapped_file {
	char		*key;		/* owned: device, inode and path, as in /proc/PID/maps */
	const char	*path;		/* in it */
	char		*build_id;	/* owned; "" = not known */
};

struct user_maps {
	const char	*proc;		/* borrowed */
	bool		data;		/* also mappings of data */
	uint64_t	(*now)(void *arg);
	void		*arg;
	struct process	*processes;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map by_pid;
	struct mapped_file *files;	/* owned, [nr_files] */
	uint32_t	 nr_files, cap_files;
	struct index_map by_key;
	struct text	 text, auxv;	/* files of /proc */
};

struct user_maps *user_maps_new(const char *proc, bool data, uint64_t (*now)(void *arg), void *arg)
{
	struct user_maps *m = mem_alloc(sizeof(*m));

	*m = (struct user_maps){ .proc = proc, .data = data, .now = now, .arg = arg };
	return m;
}

void user_maps_free(struct user_maps *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->nr; i++)
		free(m->processes[i].maps);
	for (uint32_t i = 0; i < m->nr_files; i++) {
		free(m->files[i].key);
		free(m->files[i].build_id);
	}
	free(m->processes);
	free(m->files);
	index_map_fini(&m->by_pid);
	index_map_fini(&m->by_key);
	text_fini(&m->text);
	text_fini(&m->auxv);
	free(m);
}

/* --- files ------------------------------------------------------------------------------------ */

/*
 * The file itself, also one that has no name any more or another one in the process' name space;
 * that takes root.
 */
static char *read_build_id(const struct user_maps *m, int pid, const struct mapping *map)
{
	struct text path = { 0 }, id = { 0 };
	int fd;

	text_printf(&path, "%s/%d/map_files/%" PRIx64 "-%" PRIx64, m->proc, pid, map->from,
		    map->to);
	fd = open(text_str(&path), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		build_id_read(fd, &id);
		close(fd);
	}
	text_fini(&path);
	return id.data ? id.data : mem_strdup("");
}

/* @key: "08:01 1234      /usr/lib/x.so" */
static uint32_t file_of(struct user_maps *m, int pid, const struct mapping *map, const char *key,
			size_t len)
{
	uint32_t hash = index_map_hash_bytes(key, len);
	struct mapped_file *file;
	size_t path = strcspn(key, " ") + 1;

	path += strspn(key + path, "0123456789");
	path += strspn(key + path, " ");
	if (path >= len)
		return NO_FILE;
	index_map_each (&m->by_key, hash, i)
		if (!strncmp(m->files[i].key, key, len) && !m->files[i].key[len])
			return i;
	mem_grow(&m->files, m->nr_files, &m->cap_files);
	file = &m->files[m->nr_files];
	file->key = mem_strndup(key, len);
	file->path = file->key + path;
	file->build_id = *file->path == '/' ? read_build_id(m, pid, map) : mem_strdup("");
	index_map_add(&m->by_key, hash, m->nr_files);
	return m->nr_files++;
}

/* --- a process -------------------------------------------------------------------------------- */

static const char *read_file(const struct user_maps *m, int pid, const char *name,
			     struct text *text)
{
	struct text path = { 0 };
	int ret;

	text_printf(&path, "%s/%d/%s", m->proc, pid, name);
	text_clear(text);
	ret = small_file_read(text_str(&path), MOST_BYTES, text, NULL);
	text_fini(&path);
	return ret ? "" : text_str(text);
}

static struct process *find_process(const struct user_maps *m, int pid)
{
	index_map_each (&m->by_pid, index_map_hash((uint32_t)pid), i)
		if (m->processes[i].pid == pid)
			return &m->processes[i];
	return NULL;
}

static struct process *process_of(struct user_maps *m, int pid, uint64_t now)
{
	uint32_t hash = index_map_hash((uint32_t)pid);
	struct process *known = find_process(m, pid);

	if (known)
		return known;
	mem_grow(&m->processes, m->nr, &m->cap);
	index_map_add(&m->by_pid, hash, m->nr);
	m->processes[m->nr] = (struct process){ .pid = pid, .born = now };
	return &m->processes[m->nr++];
}

/* Addresses in auxv are random for each exec. */
static uint32_t program_of(struct user_maps *m, int pid)
{
	read_file(m, pid, "auxv", &m->auxv);
	return index_map_hash_bytes(text_str(&m->auxv), m->auxv.len);
}

/*
 * Of /proc/PID/statm, "SIZE RESIDENT SHARED TEXT LIB DATA DT", the size, that of the code, and that
 * of data and stack.
 */
static struct mark mark_of(struct user_maps *m, int pid)
{
	struct mark mark = { 0 };

	if (sscanf(read_file(m, pid, "statm", &m->text), "%llu %*u %*u %llu %*u %llu", &mark.all,
		   &mark.code, &mark.data) != 3 ||
	    !mark.all)
		return (struct mark){ 0 };
	mark.program = program_of(m, pid);
	return mark;
}

static bool is_same(const struct mark *a, const struct mark *b)
{
	return a->all == b->all && a->code == b->code && a->data == b->data &&
	       a->program == b->program;
}

static void see_mapping(struct process *p, const struct mapping *map, uint64_t now)
{
	for (uint32_t i = 0; i < p->nr; i++) {
		struct mapping *old = &p->maps[i];

		if (old->last >= p->seen && old->from == map->from && old->to == map->to &&
		    old->place == map->place && old->file == map->file) {
			old->last = now;
			return;
		}
	}
	if (p->nr == MOST_MAPS)
		return;
	mem_grow(&p->maps, p->nr, &p->cap);
	p->maps[p->nr++] = *map;
}

/* "FROM-TO r-xp OFFSET DEVICE INODE      PATH" */
static void see_line(struct user_maps *m, struct process *p, const char *line, size_t len,
		     uint64_t now)
{
	struct mapping map = { .first = now, .last = now };
	char mode[8];
	int used = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %n", &map.from, &map.to, mode,
		   &map.place, &used) != 4 ||
	    (size_t)used >= len ||
	    (mode[2] != 'x' && !(m->data && mode[1] == 'w' && memchr(line, '/', len))))
		return;
	map.file = file_of(m, p->pid, &map, line + used, len - (size_t)used);
	if (map.file == NO_FILE)
		map.place = 0;
	see_mapping(p, &map, now);
}

/* Mappings that were there at the last look and are unchanged get the time of this one. */
static void keep_open(struct process *p, uint64_t now)
{
	for (uint32_t i = 0; i < p->nr; i++)
		if (p->maps[i].last == p->seen)
			p->maps[i].last = now;
	p->seen = now;
}

/*
 * The time of a look is when the process ran this program: before it is known that nothing has
 * changed, and between two readings of what an exec changes.
 */
void user_maps_look_at(struct user_maps *m, int pid)
{
	uint64_t now = m->now(m->arg);
	struct process *p = process_of(m, pid, now);
	const struct mark mark = mark_of(m, pid);
	const char *line;

	if (!mark.all)			/* the kernel's, or it has ended */
		return;
	if (is_same(&p->mark, &mark)) {
		keep_open(p, now);
		return;
	}
	now = m->now(m->arg);
	line = read_file(m, pid, "maps", &m->text);
	if (!*line || program_of(m, pid) != mark.program)
		return;
	for (size_t len; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		see_line(m, p, line, len, now);
	}
	p->mark = mark;
	p->seen = now;
}

void user_maps_look(struct user_maps *m, bool only_young)
{
	uint64_t now = m->now(m->arg);
	DIR *proc = opendir(m->proc);
	const struct dirent *d;

	while (proc && (d = readdir(proc))) {
		int pid = isdigit((unsigned char)*d->d_name) ? atoi(d->d_name) : 0;
		const struct process *known = pid && only_young ? find_process(m, pid) : NULL;

		if (pid && (!known || now - known->born < YOUNG_NS))
			user_maps_look_at(m, pid);
	}
	if (proc)
		closedir(proc);
}

/* --- the block -------------------------------------------------------------------------------- */

static void put_map(const struct process *p, const struct mapping *map,
		    uint64_t (*stamp)(const void *arg, uint64_t now), const void *arg,
		    struct text *out)
{
	uint64_t first = stamp ? stamp(arg, map->first) : 0;
	uint64_t last = stamp ? stamp(arg, map->last) : UINT64_MAX;

	text_printf(out, "map %d %" PRIx64 "-%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64, p->pid,
		    map->from, map->to, map->place, first, last);
	if (map->file == NO_FILE)
		text_add(out, " -\n");
	else
		text_printf(out, " %u\n", map->file);
}

void user_maps_text(const struct user_maps *m, uint64_t (*stamp)(const void *arg, uint64_t now),
		    const void *arg, struct text *out)
{
	for (uint32_t i = 0; i < m->nr_files; i++)
		text_printf(out, "file %s offset %s\n",
			    *m->files[i].build_id ? m->files[i].build_id : "-", m->files[i].path);
	for (uint32_t i = 0; i < m->nr; i++)
		for (uint32_t k = 0; k < m->processes[i].nr; k++)
			put_map(&m->processes[i], &m->processes[i].maps[k], stamp, arg, out);
}
