/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_WHO_TABLE_H
#define FTOP_PARSERS_TYPES_WHO_TABLE_H
/*
 * who_table - who a task is at a time: its process, parent, user, program and cgroup.
 *
 * A pid is reused for later tasks, and tgid_table tells where the life of one ends and that of the
 * next begins.  Inside a life, the sources are:
 *
 *   what the recorder saw      in /proc, at a time; lines of our own section (who_table_load())
 *   the birth                  a new task has the user, program and cgroup of the one that made it
 *   sched_process_exec         another program; its command line and user are not recorded
 *   cgroup_attach_task         another cgroup, in the hierarchy of which the recorder told (else
 *                              cgroup v2), for all threads if it is the leader
 *   sched_process_exit         in a trace without births the pid may be another task's afterwards
 *
 * What was seen holds for the whole life, back and forth, up to the next exec, or the next move to
 * another cgroup, or to when something else was seen: where two sightings differ without an event
 * in between, nothing is known in between.  A look that began behind the end of a task, or before
 * a birth, may be at the next task with the pid, or at the one before, and tells nothing.  An
 * answer is never that of another task.
 *
 * The user is the effective one.  It outlives an exec unless it is root: programs that root starts
 * for others change it without an event.
 *
 * Written by index workers, read by the screen: any thread may call any function.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/tgid_table.h"
#include "src/base/error.h"

struct who {
	int		 tgid;		/* the process; 0 = not known, or the idle task */
	int		 parent;	/* process that made it, or was its parent when the recorder
					 * looked; 0 = not known */
	int64_t		 uid;		/* -1 = not known */
	/* Interned, untrusted bytes: clean them to show them.  NULL = not known, or it has none. */
	const char	*user;		/* name of the uid */
	const char	*exe;		/* path of the program */
	const char	*cmdline;	/* arguments, with blanks in between */
	const char	*cgroup;	/* "/a/b", in the hierarchy of cgroup v2, or of v1's CPU
					 * controller, if the recorder told so */
	bool		 is_kernel;	/* a thread of the kernel, or the idle task */
};

struct who_table;			/* opaque */

/* @tgids is borrowed: births and processes. */
struct who_table *who_table_new(struct tgid_table *tgids);
void who_table_free(struct who_table *table);	/* NULL is allowed */

/**
 * who_table_load() - add what the recorder saw, as parsers/file/trace_extra.c describes it
 * @text: may hold any bytes
 * @more: it goes on where that of the last call ended, which has strings that it names
 * @time: converts raw stamps of the file to model time
 *
 * Return: -1 at the first line that is wrong (offset in @text); those before it are added.
 */
int who_table_load(struct who_table *table, const char *text, uint64_t size, bool more,
		   int64_t (*time)(const void *arg, uint64_t raw), const void *arg,
		   struct ft_error *err);

/**
 * who_table_at() - who a task is at a time
 * @who:  receives what is known; its strings live as long as @table
 * @from, @to: receive a time span in which the answer is the same, both ends included; valid while
 *        who_table_changes() returns what it returned before the call
 *
 * Costs a few searches, more for a task of which only its makers are known.
 * Return: false if nothing is known.
 */
bool who_table_at(struct who_table *table, int pid, int64_t ts, struct who *who, int64_t *from,
		  int64_t *to);
uint64_t who_table_changes(const struct who_table *table);

bool who_table_has_recorder(struct who_table *table);	/* has that said which tasks are its own? */
/* Is it one of the tasks that the recorder names, of whose events it leaves out some? */
bool who_table_is_named(struct who_table *table, int pid);
/*
 * Which tasks' events the recorder had recorded, as it has said.  @children: and those of tasks
 * that they make.  False: all.
 */
bool who_table_has_only(struct who_table *table, bool *children);
bool who_table_is_only(struct who_table *table, int pid);	/* is it one of them? */
/* True once, if the file does not say which tasks were recorded: the records may show it. */
bool who_table_asks_only(struct who_table *table);
void who_table_add_only(struct who_table *table, int pid);
/* Did the recorder leave CPUs out of a buffer? */
bool who_table_lacks_cpus(struct who_table *table, const char *buffer);
/* Is it a task of the recorder itself, as that has said? */
bool who_table_is_recorder(struct who_table *table, int pid, int64_t ts);

/* Had the task with the pid ended before a time, as far as records tell? */
bool who_table_is_over(struct who_table *table, int pid, int64_t ts);
/*
 * Are the pids by which a process knows its tasks those of the records?  False: it has a PID
 * namespace of its own, as in a container, or the recorder did not see it.
 */
bool who_table_has_own_pids(struct who_table *table, int tgid);

/* A span of time in which a process ran one program, both ends included. */
struct who_program {
	int64_t		from, to;
	int		copied;		/* the process that it was a copy of at `from`; 0: it began
					 * with an exec, or that is not known */
};

/* The program that the process with this tgid ran at ts. */
void who_table_program(struct who_table *table, int tgid, int64_t ts, struct who_program *program);

/*
 * Call @each for every pid that the table has heard of, pid by pid, for all of time: span by span,
 * both ends included, of which each begins where an answer may change.  @who: valid during the
 * call, its strings for longer; may say nothing.
 */
void who_table_each(struct who_table *table,
		    void (*each)(void *arg, int pid, int64_t from, int64_t to,
				 const struct who *who),
		    void *arg);
/*
 * The same for the pids alone of which an answer may change after @first, up to @last: from the
 * span of @first, which is told from there on, to that of @last.  @tgids: of who->tgid alone, and
 * nothing else is told.
 */
void who_table_moves(struct who_table *table, int64_t first, int64_t last, bool tgids,
		     void (*each)(void *arg, int pid, int64_t from, int64_t to,
				  const struct who *who),
		     void *arg);

/* How the recorder saw that a task was scheduled. */
struct who_sched {
	int		policy;		/* SCHED_FIFO and so on, of sched_setscheduler(2) */
	int		priority, nice;
	int64_t		runtime_ns, period_ns;	/* of a deadline task */
	const char	*allowed;	/* interned: the CPUs on which it may run, as "0-3,7"; NULL:
					 * not known */
	bool		is_doubtful;	/* a later look found something else: since when is not
					 * known */
};

/* How a task was scheduled at ts.  False: nobody saw it. */
bool who_table_sched(struct who_table *table, int pid, int64_t ts, struct who_sched *sched);

/* What the recorder saw of a cgroup.  -1: not known. */
struct who_cgroup {
	const char	*path;		/* interned, untrusted */
	uint64_t	 id;		/* the kernel's number of it; 0: not known */
	bool		 is_threaded;	/* threads of a process may be in others */
	struct who_cgroup_state {
		int64_t	ts;		/* model time */
		int64_t	quota_us, period_us;	/* cpu.max; quota 0: no limit */
		int64_t	weight;		/* cpu.weight */
		int64_t	usage_us, periods, throttled, throttled_us;	/* cpu.stat */
	}		 first, last;
	struct who_cgroup_state *states;	/* owned by the table, [nr]: from first to last */
	uint32_t	 nr, cap;
};

/* How much a counter of it grew from the first look to the last; -1: not known. */
static inline int64_t who_cgroup_growth(const struct who_cgroup *c, int64_t first, int64_t last)
{
	return c->first.ts >= c->last.ts || first < 0 || last < first ? -1 : last - first;
}

/* Call @each for every such cgroup, with the lock held. */
void who_table_cgroups(struct who_table *table,
		       void (*each)(void *arg, const struct who_cgroup *cgroup), void *arg);

/* --- facts; in any order of time ------------------------------------------- */
/* @exe and @path: bytes up to a NUL, @len at most. */
void who_table_exec(struct who_table *table, int pid, int64_t ts, const char *exe, uint32_t len);
void who_table_moved(struct who_table *table, int pid, int64_t ts, int hierarchy, const char *path,
		     uint32_t len);
void who_table_exited(struct who_table *table, int pid, int64_t ts);

/* --- what records contain -------------------------------------------------- */
struct event_field;

struct who_rule {
	enum who_rule_kind { WHO_RULE_TGID, WHO_RULE_EXEC, WHO_RULE_MOVE, WHO_RULE_EXIT } kind;
	bool			 has_tgid;
	struct tgid_rule	 tgid;
	const struct event_field *pid, *text;	/* borrowed from the type */
	const struct event_field *root;		/* MOVE: the hierarchy */
};

/* Do records of this type tell anything of this?  Decided by name and fields. */
bool who_rule_of(const struct event_type *type, const struct common_layout *common,
		 struct who_rule *rule);

/* Add a record of such a type with this time to the table, and to its tgid_table. */
void who_rule_see(const struct who_rule *rule, struct who_table *table, struct tgid_cache *cache,
		  int64_t ts, int common_pid, const uint8_t *data, uint32_t size, bool swap);
#endif
