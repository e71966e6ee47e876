/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_TASKS_H
#define FTOP_PARSERS_PERF_PERF_TASKS_H
/*
 * perf_tasks - what records tell of tasks: names, processes, and which files they had mapped.
 *
 * A task begins with the name of the one that made it, and a process with its mappings.  Records of
 * several CPUs are not in the order of time, so they are kept until all are known.
 */
#include "parsers/perf/perf_file.h"
#include "parsers/source/source.h"

#define PERF_MAX_TOLD	(1u << 22)	/* records that are kept */
#define PERF_MAX_MAPS	(1u << 20)
#define PERF_MAX_LOOKS	(1u << 20)

struct perf_task {
	int		 tgid;		/* -1: unknown */
	uint32_t	 name;		/* its last one: index + 1 of names; 0: none */
	uint32_t	 map;		/* of a process, its last one: index + 1 of maps; 0: none */
	uint32_t	 look;		/* its last one: index + 1 of looks; 0: none */
};

struct perf_look {			/* a task was in a cgroup */
	int		 tid;
	uint64_t	 first, last;	/* raw stamps */
	uint64_t	 cgroup;	/* the kernel's number */
};

struct perf_map {
	int		 tgid;
	uint32_t	 file;
	uint32_t	 before;	/* the process' one before: index + 1; 0: none */
	uint64_t	 from, to, place;	/* addresses, and bytes of the file */
	uint64_t	 first, last;	/* raw stamps; UINT64_MAX: to the end */
};

#define PERF_CACHED_TASKS	1024u

struct perf_tasks {
	struct source_name *names;	/* owned, [nr_names], in the order of time */
	uint32_t	*before;	/* owned, [nr_names]: the task's name before: index + 1 */
	unsigned int	 nr_names, cap_names, cap_before;
	struct number_set tids;
	struct perf_task *tasks;	/* owned, by index of tids */
	unsigned int	 nr_tasks;
	struct perf_map	*maps;		/* owned, [nr_maps] */
	uint32_t	 nr_maps, cap_maps;
	struct name_table *files;	/* owned: "BUILD-ID PATH" */
	struct perf_look *looks;	/* owned, [nr_looks] */
	uint32_t	 nr_looks, cap_looks;
	struct number_set cgroups;
	const char	**paths;	/* owned, by index of cgroups; of the arena */
	uint32_t	 cap_paths;
	uint64_t	 kernel_text;	/* address of _text; 0: unknown */
	struct perf_told *told;		/* owned, [nr_told]: until perf_tasks_settle() */
	uint32_t	 nr_told, cap_told;
	struct arena	 arena;		/* names */
	struct {
		int tid, tgid;
	}		 cached[PERF_CACHED_TASKS];	/* of samples */
};

void perf_tasks_init(struct perf_tasks *tasks);
void perf_tasks_fini(struct perf_tasks *tasks);

/* A sample says whose thread a task is. */
void perf_tasks_see(struct perf_tasks *tasks, int tid, int tgid);
/* A sample says which cgroup a task is in. */
void perf_tasks_in(struct perf_tasks *tasks, int tid, uint64_t ts, uint64_t cgroup);
/* Take what a record tells, if it tells anything. */
void perf_tasks_take(struct perf_tasks *tasks, const struct perf_file *file,
		     const struct perf_record *record);
/* All is told.  The functions below may be called from now on, by any thread. */
void perf_tasks_settle(struct perf_tasks *tasks);

/* The name of a task at a time, *len bytes; "" if it is not known. */
const char *perf_tasks_name(const struct perf_tasks *tasks, int tid, uint64_t ts,
			    unsigned int *len);
/*
 * Append lines "pid name", of the last name of each task; "pid tgid"; those of
 * parsers/types/who_table.h; and those of parsers/types/user_symbols.h.
 */
void perf_tasks_comms(const struct perf_tasks *tasks, struct text *out);
void perf_tasks_tgids(const struct perf_tasks *tasks, struct text *out);
void perf_tasks_who(const struct perf_tasks *tasks, struct text *out);
void perf_tasks_maps(const struct perf_tasks *tasks, struct text *out);
#endif
