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

struct process {
	int		 pid;
	char		 mark[96];	/* what changes with mappings */
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
	struct process	*processes;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map by_pid;
	struct mapped_file *files;	/* owned, [nr_files] */
	uint32_t	 nr_files, cap_files;
	struct index_map by_key;
	struct text	 text;		/* a file of /proc */
};

struct user_maps *user_maps_new(const char *proc)
{
	struct user_maps *m = mem_alloc(sizeof(*m));

	m->proc = proc;
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

static const char *read_file(struct user_maps *m, int pid, const char *name)
{
	struct text path = { 0 };
	int ret;

	text_printf(&path, "%s/%d/%s", m->proc, pid, name);
	text_clear(&m->text);
	ret = small_file_read(text_str(&path), MOST_BYTES, &m->text, NULL);
	text_fini(&path);
	return ret ? "" : text_str(&m->text);
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

/*
 * Of /proc/PID/statm, "SIZE RESIDENT SHARED TEXT LIB DATA DT", the size, that of the code, and that
 * of data and stack; and auxv, whose addresses are random for each exec.  "": it has no memory.
 */
static void mark_of(struct user_maps *m, int pid, char *mark, size_t len)
{
	unsigned long long all, code, data;
	uint32_t hash;

	*mark = '\0';
	if (sscanf(read_file(m, pid, "statm"), "%llu %*u %*u %llu %*u %llu", &all, &code, &data) !=
		    3 ||
	    !all)
		return;
	read_file(m, pid, "auxv");
	hash = index_map_hash_bytes(text_str(&m->text), m->text.len);
	snprintf(mark, len, "%llu %llu %llu %x", all, code, data, hash);
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
	    mode[2] != 'x' || (size_t)used >= len)
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

void user_maps_look_at(struct user_maps *m, int pid, uint64_t now)
{
	struct process *p = process_of(m, pid, now);
	char mark[sizeof(p->mark)];
	const char *line;

	mark_of(m, pid, mark, sizeof(mark));
	if (!*mark)			/* the kernel's, or it has ended */
		return;
	if (!strcmp(p->mark, mark)) {
		keep_open(p, now);
		return;
	}
	line = read_file(m, pid, "maps");
	if (!*line)
		return;
	for (size_t len; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		see_line(m, p, line, len, now);
	}
	memcpy(p->mark, mark, sizeof(mark));
	p->seen = now;
}

void user_maps_look(struct user_maps *m, bool only_young, uint64_t now)
{
	DIR *proc = opendir(m->proc);
	const struct dirent *d;

	while (proc && (d = readdir(proc))) {
		int pid = isdigit((unsigned char)*d->d_name) ? atoi(d->d_name) : 0;
		const struct process *known = pid && only_young ? find_process(m, pid) : NULL;

		if (pid && (!known || now - known->born < YOUNG_NS))
			user_maps_look_at(m, pid, now);
	}
	if (proc)
		closedir(proc);
}

/* --- the block -------------------------------------------------------------------------------- */

static void put_map(const struct process *p, const struct mapping *map, bool has_stamps,
		    int64_t shift, struct text *out)
{
	uint64_t first = has_stamps ? map->first + (uint64_t)shift : 0;
	uint64_t last = has_stamps ? map->last + (uint64_t)shift : UINT64_MAX;

	text_printf(out, "map %d %" PRIx64 "-%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64, p->pid,
		    map->from, map->to, map->place, first, last);
	if (map->file == NO_FILE)
		text_add(out, " -\n");
	else
		text_printf(out, " %u\n", map->file);
}

void user_maps_text(const struct user_maps *m, bool has_stamps, int64_t shift, struct text *out)
{
	for (uint32_t i = 0; i < m->nr_files; i++)
		text_printf(out, "file %s offset %s\n",
			    *m->files[i].build_id ? m->files[i].build_id : "-", m->files[i].path);
	for (uint32_t i = 0; i < m->nr; i++)
		for (uint32_t k = 0; k < m->processes[i].nr; k++)
			put_map(&m->processes[i], &m->processes[i].maps[k], has_stamps, shift, out);
}
