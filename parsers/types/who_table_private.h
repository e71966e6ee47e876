/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_WHO_TABLE_PRIVATE_H
#define FTOP_PARSERS_TYPES_WHO_TABLE_PRIVATE_H
/* who_table_private - what is inside a who_table, for the files that fill it and look up in it. */
#include <pthread.h>
#include <stdatomic.h>
#include "parsers/types/who_table.h"
#include "src/base/text.h"
#include "src/base/index_map.h"
#include "src/base/name_table.h"
#include "src/base/number_set.h"

#define STRING_MAX	65536u		/* bytes */

enum fact_kind {
	FACT_SEEN,		/* number: index in who_table.seen */
	FACT_EXEC,		/* number: the program */
	FACT_MOVED,		/* number: the cgroup */
	FACT_EXITED,
	FACT_SCHED,		/* number: index in who_table.scheds */
	FACT_KINDS
};

#define BIT(kind)	(1u << (kind))

struct who_fact {
	int64_t		ts;
	uint32_t	number;
	enum fact_kind	kind;
};

/* What the recorder saw.  Strings are numbers in who_table.names; 0 = not known. */
struct who_seen {
	int64_t		since;		/* it was so from then to its fact's time */
	bool		is_process;	/* else only the cgroup of a thread */
	bool		is_kernel;
	int		parent;
	int64_t		uid;
	uint32_t	exe, cmdline, cgroup;
};

struct who_sched_seen {
	int64_t		since;		/* as above */
	struct who_sched sched;		/* allowed: NULL, */
	uint32_t	allowed;	/* and a number instead */
};

struct who_task {
	int		 pid;
	unsigned int	 nr, cap;
	bool		 is_full;
	struct who_fact	*facts;		/* owned, [nr], by time */
	uint16_t	*places;	/* owned, [nr_placed]: numbers of facts, those of each kind
					 * in order; one kind after the other */
	uint16_t	 nr_placed;	/* nr, when places were last made */
	uint16_t	 kinds[FACT_KINDS + 1];	/* where the places of each kind begin */
	bool		 has_pid_ns;	/* a process, once seen in a PID namespace of its own */
};

struct who_user {
	int64_t		 uid;
	uint32_t	 name;
};

struct who_table {
	struct tgid_table *tgids;	/* borrowed */
	pthread_mutex_t	 lock;
	struct who_task	*tasks;		/* owned, [nr_tasks] */
	uint32_t	 nr_tasks, cap_tasks;
	struct index_map task_map;	/* by pid */
	struct who_seen	*seen;		/* owned, [nr_seen] */
	uint32_t	 nr_seen, cap_seen;
	struct who_sched_seen *scheds;	/* owned, [nr_scheds] */
	uint32_t	 nr_scheds, cap_scheds;
	struct who_user	*users;		/* owned, [nr_users] */
	uint32_t	 nr_users, cap_users;
	struct index_map user_map;	/* by uid */
	struct who_cgroup *cgroups;	/* owned, [nr_cgroups] */
	uint32_t	 nr_cgroups, cap_cgroups;
	struct index_map cgroup_map;	/* by the number of the path */
	struct name_table *names;
	uint32_t	 nr_names;
	uint64_t	 names_bytes;
	int		*recorder;	/* owned, [nr_recorder]: pids of tasks and processes */
	uint32_t	 nr_recorder, cap_recorder;
	struct number_set only;		/* pids that the kernel filtered by */
	bool		 only_children;	/* and by their children's */
	bool		 asked_only;	/* see who_table_asks_only() */
	struct text	 without;	/* names of buffers without some CPUs, a NUL behind each */
	uint32_t	*strings;	/* owned, [nr_strings]: from the file's numbers */
	uint32_t	 nr_strings, cap_strings;
	bool		 any_pid_ns;	/* of a task */
	int64_t		 hierarchy;	/* of cgroups; 0: cgroup v2 */
	_Atomic uint64_t changes;
};

/* All with the lock held. */
struct who_task *who_task_find(const struct who_table *table, int pid);	/* NULL: none is known */
/* The number of a string up to a NUL, of @len bytes at most; 0: it is empty, or has no room. */
uint32_t who_table_string(struct who_table *table, const char *s, size_t len);
void who_table_fact(struct who_table *table, int pid, struct who_fact fact);
struct who_user *who_table_user(const struct who_table *table, int64_t uid);
bool who_table_names_recorder(const struct who_table *table, int pid);
void who_table_put_only(struct who_table *table, int pid);
#endif
