/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perf/perf_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/name_table.h"

#define MISC_DATA	(1u << 13)	/* of MMAP: it is not of code */
#define MISC_EXEC	(1u << 13)	/* of COMM */
#define MISC_BUILD_ID	(1u << 14)	/* of MMAP2 */
#define PROT_CODE	4u		/* PROT_EXEC */
#define KERNEL_MAP	"[kernel.kallsyms]"
#define MOST_OVERLAPS	1024u		/* mappings that a new one is compared with */

struct perf_told {
	enum { TOLD_NAME, TOLD_EXEC, TOLD_FORK, TOLD_MAP } kind;
	uint32_t	 nr;		/* in the order of the file */
	uint64_t	 ts;
	int		 tid, tgid;
	int		 parent, parent_tgid;	/* FORK */
	unsigned int	 len;
	const char	*name;		/* NAME, EXEC; lives as long as the tasks */
	struct perf_map	 map;		/* MAP */
};

void perf_tasks_init(struct perf_tasks *tasks)
{
	*tasks = (struct perf_tasks){ .files = name_table_new() };
}

void perf_tasks_fini(struct perf_tasks *tasks)
{
	free(tasks->names);
	free(tasks->before);
	number_set_fini(&tasks->tids);
	free(tasks->tasks);
	free(tasks->maps);
	name_table_free(tasks->files);
	free(tasks->looks);
	number_set_fini(&tasks->cgroups);
	free(tasks->paths);
	free(tasks->told);
	arena_fini(&tasks->arena);
}

/* --- what is told ---------------------------------------------------------------------------- */

static struct perf_task *find_task(struct perf_tasks *tasks, int tid)
{
	bool is_new;
	uint32_t at = number_set_add(&tasks->tids, (uint32_t)tid, &is_new);

	mem_reach(&tasks->tasks, &tasks->nr_tasks, at);
	if (is_new)
		tasks->tasks[at].tgid = -1;
	return &tasks->tasks[at];
}

void perf_tasks_see(struct perf_tasks *tasks, int tid, int tgid)
{
	unsigned int slot = (unsigned int)tid % PERF_CACHED_TASKS;

	if (tid <= 0 || tgid <= 0 ||
	    (tasks->cached[slot].tid == tid && tasks->cached[slot].tgid == tgid))
		return;
	tasks->cached[slot].tid = tid;
	tasks->cached[slot].tgid = tgid;
	find_task(tasks, tid)->tgid = tgid;
}

void perf_tasks_in(struct perf_tasks *tasks, int tid, uint64_t ts, uint64_t cgroup)
{
	struct perf_task *task = tid > 0 ? find_task(tasks, tid) : NULL;
	struct perf_look *look = task && task->look ? &tasks->looks[task->look - 1] : NULL;

	if (look && look->cgroup == cgroup) {
		look->first = ts < look->first ? ts : look->first;
		look->last = ts > look->last ? ts : look->last;
	} else if (task && tasks->nr_looks < PERF_MAX_LOOKS) {
		mem_grow(&tasks->looks, tasks->nr_looks, &tasks->cap_looks);
		tasks->looks[tasks->nr_looks] = (struct perf_look){ tid, ts, ts, cgroup };
		task->look = ++tasks->nr_looks;
	}
}

static void tell(struct perf_tasks *tasks, const struct perf_file *file,
		 const struct perf_told *told)
{
	if (tasks->nr_told == PERF_MAX_TOLD) {
		source_add_warning(file->source, -1,
				   "more than %u records tell of tasks: names and mappings of "
				   "later ones are left out",
				   PERF_MAX_TOLD);
		return;
	}
	mem_grow(&tasks->told, tasks->nr_told, &tasks->cap_told);
	tasks->told[tasks->nr_told] = *told;
	tasks->told[tasks->nr_told].nr = tasks->nr_told;
	tasks->nr_told++;
}

/* The stamp at the end of a record; 0: it was there before the recording. */
static uint64_t stamp_of(const struct perf_file *file, const struct perf_record *record)
{
	const struct perf_attr *attr = perf_file_attr(file, record);
	struct perf_stamp stamp;

	if (!attr || !perf_record_stamp(attr, record, file->swap, &stamp) ||
	    stamp.ts == record->offset)
		return 0;
	return stamp.ts;
}

/* u32 pid, u32 tid, name */
static void take_comm(struct perf_tasks *tasks, const struct perf_file *file,
		      const struct perf_record *record, struct byte_reader *r)
{
	struct perf_told told = { .kind = record->misc & MISC_EXEC ? TOLD_EXEC : TOLD_NAME };
	const char *name;

	told.tgid = (int)byte_reader_u32(r);
	told.tid = (int)byte_reader_u32(r);
	name = byte_reader_string(r);
	if (!name || told.tid <= 0)
		return;
	told.ts = stamp_of(file, record);
	told.len = (unsigned int)strlen(name);
	told.name = arena_strndup(&tasks->arena, name, told.len);
	perf_tasks_see(tasks, told.tid, told.tgid);
	tell(tasks, file, &told);
}

/* u32 pid, ppid, tid, ptid; u64 time */
static void take_fork(struct perf_tasks *tasks, const struct perf_file *file, struct byte_reader *r)
{
	struct perf_told told = { .kind = TOLD_FORK };

	told.tgid = (int)byte_reader_u32(r);
	told.parent_tgid = (int)byte_reader_u32(r);
	told.tid = (int)byte_reader_u32(r);
	told.parent = (int)byte_reader_u32(r);
	told.ts = byte_reader_u64(r);
	if (r->failed || told.tid <= 0)
		return;
	perf_tasks_see(tasks, told.tid, told.tgid);
	tell(tasks, file, &told);
}

/* u64 id, path */
static void take_cgroup(struct perf_tasks *tasks, struct byte_reader *r)
{
	uint64_t id = byte_reader_u64(r);
	const char *path = byte_reader_string(r);
	bool is_new;
	uint32_t at;

	if (!path || tasks->cgroups.nr == PERF_MAX_LOOKS)
		return;
	at = number_set_add(&tasks->cgroups, id, &is_new);
	if (is_new)
		mem_grow(&tasks->paths, at, &tasks->cap_paths);
	tasks->paths[at] = arena_strndup(&tasks->arena, path, strlen(path));
}

/* "BUILD-ID PATH", as the name of a file */
static uint32_t file_number(struct perf_tasks *tasks, const uint8_t *id, unsigned int nr_id,
			    const char *path)
{
	struct text name = { 0 };
	uint32_t number;

	for (unsigned int i = 0; i < nr_id; i++)
		text_printf(&name, "%02x", id[i]);
	text_printf(&name, "%s %s", nr_id ? "" : "-", path);
	number = name_table_add(tasks->files, name.data, name.len);
	text_fini(&name);
	return number;
}

/* Memory without a file: what is executed there was made at run time. */
static bool is_anonymous(const char *path)
{
	return !strncmp(path, "//anon", 6) || !strncmp(path, "/dev/zero", 9) ||
	       !strncmp(path, "/anon_hugepage", 14);
}

/* As in perf, it is of the file that tells perf the names of such code, at its own addresses. */
static void map_code(struct perf_tasks *tasks, struct perf_map *map)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", map->tgid);
	map->file = file_number(tasks, NULL, 0, path);
	map->place = map->from;
}

/* u32 pid, tid; u64 address, bytes, offset; MMAP2: 24 bytes of ids, u32 prot, flags; path */
static void take_map(struct perf_tasks *tasks, const struct perf_file *file,
		     const struct perf_record *record, struct byte_reader *r)
{
	bool is_second = record->type == PERF_RECORD_MMAP2,
	     has_id = is_second && record->misc & MISC_BUILD_ID;
	struct perf_told told = { .kind = TOLD_MAP };
	const uint8_t *id = NULL;
	const struct perf_build_id *known;
	const char *path;

	told.tgid = (int)byte_reader_u32(r);
	told.tid = (int)byte_reader_u32(r);
	told.map = (struct perf_map){ .tgid = told.tgid, .last = UINT64_MAX };
	told.map.from = byte_reader_u64(r);
	told.map.to = told.map.from + byte_reader_u64(r);
	told.map.place = byte_reader_u64(r);
	if (is_second)
		id = byte_reader_bytes(r, 24);
	if (is_second && !(byte_reader_u32(r) & PROT_CODE))
		return;
	if (is_second)
		byte_reader_u32(r);
	path = byte_reader_string(r);
	if (!path || strchr(path, '\n'))
		return;
	if (told.tgid == -1 && !strncmp(path, KERNEL_MAP, strlen(KERNEL_MAP)) &&
	    !strcmp(path + strlen(KERNEL_MAP), "_text"))
		tasks->kernel_text = told.map.place;
	if (told.tgid <= 0 || (!is_second && record->misc & MISC_DATA))
		return;
	known = perf_file_build_id(file, path);
	if (is_anonymous(path))
		map_code(tasks, &told.map);
	else if (has_id)
		told.map.file = file_number(tasks, id + 4,
					    id[0] < PERF_BUILD_ID_BYTES ? id[0] :
									  PERF_BUILD_ID_BYTES,
					    path);
	else
		told.map.file = file_number(tasks, known ? known->bytes : NULL,
					    known ? known->nr : 0, path);
	told.ts = told.map.first = stamp_of(file, record);
	tell(tasks, file, &told);
}

void perf_tasks_take(struct perf_tasks *tasks, const struct perf_file *file,
		     const struct perf_record *record)
{
	struct byte_reader r;

	byte_reader_init(&r, record->data + PERF_HEADER_BYTES, record->size - PERF_HEADER_BYTES,
			 record->offset + PERF_HEADER_BYTES, file->swap);
	if (record->type == PERF_RECORD_COMM)
		take_comm(tasks, file, record, &r);
	else if (record->type == PERF_RECORD_FORK)
		take_fork(tasks, file, &r);
	else if (record->type == PERF_RECORD_CGROUP)
		take_cgroup(tasks, &r);
	else
		take_map(tasks, file, record, &r);
}

/* --- in the order of time --------------------------------------------------------------------- */

static void add_name(struct perf_tasks *tasks, int tid, uint64_t ts, const char *name,
		     unsigned int len)
{
	struct perf_task *task = find_task(tasks, tid);

	if (!len)
		return;
	/* what perf tells of tasks that were there before it is all of time 0 */
	if (task->name && tasks->names[task->name - 1].ts == ts) {
		tasks->names[task->name - 1].name = name;
		tasks->names[task->name - 1].len = len;
		return;
	}
	mem_grow(&tasks->names, tasks->nr_names, &tasks->cap_names);
	mem_grow(&tasks->before, tasks->nr_names, &tasks->cap_before);
	tasks->names[tasks->nr_names] = (struct source_name){ tid, ts, name, len };
	tasks->before[tasks->nr_names] = task->name;
	task->name = ++tasks->nr_names;
}

static void add_map(struct perf_tasks *tasks, struct perf_map map)
{
	struct perf_task *task = find_task(tasks, map.tgid);

	if (tasks->nr_maps == PERF_MAX_MAPS)
		return;
	map.before = task->map;
	mem_grow(&tasks->maps, tasks->nr_maps, &tasks->cap_maps);
	tasks->maps[tasks->nr_maps] = map;
	task->map = ++tasks->nr_maps;
}

/* A part of a mapping goes on. */
static void add_rest(struct perf_tasks *tasks, struct perf_map map, uint64_t ts, uint64_t from,
		     uint64_t to)
{
	map.place += from - map.from;
	map.from = from;
	map.to = to;
	map.first = ts;
	if (from < to)
		add_map(tasks, map);
}

/* Mappings of a process end in [from, to). */
static void end_maps(struct perf_tasks *tasks, int tgid, uint64_t ts, uint64_t from, uint64_t to)
{
	unsigned int seen = 0;

	for (uint32_t at = find_task(tasks, tgid)->map; at && seen < MOST_OVERLAPS; seen++) {
		struct perf_map map = tasks->maps[at - 1];

		if (map.last == UINT64_MAX && map.from < to && from < map.to) {
			tasks->maps[at - 1].last = ts ? ts - 1 : 0;
			add_rest(tasks, map, ts, map.from, from);
			add_rest(tasks, map, ts, to, map.to);
		}
		at = map.before;
	}
}

/* A new process has the mappings of the one that made it. */
static void inherit_maps(struct perf_tasks *tasks, const struct perf_told *told)
{
	uint32_t at = find_task(tasks, told->parent_tgid)->map;

	end_maps(tasks, told->tgid, told->ts, 0, UINT64_MAX);
	find_task(tasks, told->tgid)->map = 0;
	while (at) {
		struct perf_map map = tasks->maps[at - 1];

		at = map.before;
		map.tgid = told->tgid;
		map.first = told->ts;
		if (map.last == UINT64_MAX)
			add_map(tasks, map);
	}
}

static void settle(struct perf_tasks *tasks, const struct perf_told *told)
{
	const char *name;
	unsigned int len;

	switch (told->kind) {
	case TOLD_EXEC:
		end_maps(tasks, told->tgid, told->ts, 0, UINT64_MAX);
		find_task(tasks, told->tgid)->map = 0;
		/* fall through */
	case TOLD_NAME:
		add_name(tasks, told->tid, told->ts, told->name, told->len);
		break;
	case TOLD_FORK:
		name = perf_tasks_name(tasks, told->parent, told->ts, &len);
		add_name(tasks, told->tid, told->ts, name, len);
		if (told->tgid != told->parent_tgid)
			inherit_maps(tasks, told);
		break;
	case TOLD_MAP:
		end_maps(tasks, told->tgid, told->ts, told->map.from, told->map.to);
		add_map(tasks, told->map);
		break;
	}
}

static int by_told(const void *a, const void *b)
{
	const struct perf_told *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

void perf_tasks_settle(struct perf_tasks *tasks)
{
	if (tasks->nr_told)
		qsort(tasks->told, tasks->nr_told, sizeof(*tasks->told), by_told);
	for (uint32_t i = 0; i < tasks->nr_told; i++)
		settle(tasks, &tasks->told[i]);
	free(tasks->told);
	tasks->told = NULL;
	tasks->nr_told = 0;
}

/* --- what is known ---------------------------------------------------------------------------- */

const char *perf_tasks_name(const struct perf_tasks *tasks, int tid, uint64_t ts, unsigned int *len)
{
	*len = 0;
	index_map_each (&tasks->tids.map, index_map_hash((uint32_t)tid), i) {
		if (tasks->tids.numbers[i] != (uint32_t)tid)
			continue;
		for (uint32_t at = tasks->tasks[i].name; at; at = tasks->before[at - 1])
			if (tasks->names[at - 1].ts <= ts) {
				*len = tasks->names[at - 1].len;
				return tasks->names[at - 1].name;
			}
		break;
	}
	return "";
}

void perf_tasks_comms(const struct perf_tasks *tasks, struct text *out)
{
	for (uint32_t i = 0; i < tasks->tids.nr; i++) {
		uint32_t name = tasks->tasks[i].name;

		if (name)
			text_printf(out, "%d %.*s\n", tasks->names[name - 1].pid,
				    (int)tasks->names[name - 1].len, tasks->names[name - 1].name);
	}
}

void perf_tasks_tgids(const struct perf_tasks *tasks, struct text *out)
{
	for (uint32_t i = 0; i < tasks->tids.nr; i++)
		if (tasks->tasks[i].tgid > 0)
			text_printf(out, "%d %d\n", (int)tasks->tids.numbers[i],
				    tasks->tasks[i].tgid);
}

static void add_look(const struct perf_tasks *tasks, const struct perf_look *look, struct text *out)
{
	int tgid = -1;

	index_map_each (&tasks->tids.map, index_map_hash((uint32_t)look->tid), i)
		if (tasks->tids.numbers[i] == (uint32_t)look->tid)
			tgid = tasks->tasks[i].tgid;
	if (tgid <= 0)
		return;
	index_map_each (&tasks->cgroups.map, index_map_hash(look->cgroup), i)
		if (tasks->cgroups.numbers[i] == look->cgroup) {
			for (int k = 0; k < (look->last > look->first ? 2 : 1); k++) {
				uint64_t ts = k ? look->last : look->first;

				text_printf(out, "thread %" PRIu64 " %" PRIu64 " %d %d %u\n", ts,
					    ts, look->tid, tgid, i + 1);
			}
			return;
		}
}

/* Paths of cgroups are its strings. */
void perf_tasks_who(const struct perf_tasks *tasks, struct text *out)
{
	for (uint32_t i = 0; tasks->nr_looks && i < tasks->cgroups.nr; i++)
		text_printf(out, "string %zu\n%s\n", strlen(tasks->paths[i]), tasks->paths[i]);
	for (uint32_t i = 0; i < tasks->nr_looks; i++)
		add_look(tasks, &tasks->looks[i], out);
}

void perf_tasks_maps(const struct perf_tasks *tasks, struct text *out)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < tasks->nr_maps; i++)
		nr = tasks->maps[i].file > nr ? tasks->maps[i].file : nr;
	for (uint32_t file = 1; file <= nr; file++) {
		const char *name = name_table_text(tasks->files, file);
		int id = (int)strcspn(name, " ");

		text_printf(out, "file %.*s offset%s\n", id, name, name + id);
	}
	for (uint32_t i = 0; i < tasks->nr_maps; i++) {
		const struct perf_map *map = &tasks->maps[i];

		text_printf(out, "map %d %" PRIx64 "-%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64,
			    map->tgid, map->from, map->to, map->place, map->first, map->last);
		if (map->file)
			text_printf(out, " %u\n", map->file - 1);
		else
			text_add(out, " -\n");
	}
}
