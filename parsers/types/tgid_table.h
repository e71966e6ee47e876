/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TYPES_TGID_TABLE_H
#define FTOP_PARSERS_TYPES_TGID_TABLE_H
/*
 * tgid_table - which process (thread group) a task belonged to at a time.
 *
 * A pid is reused for later tasks. From one birth to the next, the group of a pid stays the same.
 * Sources:
 *
 *   task_newtask           a birth: with CLONE_THREAD into the group of the task that cloned, else
 *                          its own process
 *   sched_process_fork     a birth, of a process or a thread
 *   sched_process_exec     the task that calls exec becomes the leader of its group
 *   user_stack, sched_*_numa   record pid and tgid
 *   saved_tgids            the group of the last task with this pid, when the recording ended
 *
 * Stores only changes, so it grows with the number of tasks. Written by index workers, read by the
 * screen: any thread may call any function.
 */
#include <stdbool.h>
#include <stdint.h>

struct tgid_table;			/* opaque */

struct tgid_table *tgid_table_new(void);
void tgid_table_free(struct tgid_table *table);	/* NULL is allowed */

/* saved_tgids: "pid tgid" lines.  Malformed lines are skipped. */
void tgid_table_saved(struct tgid_table *table, const char *text, uint64_t size);

/* How a task came to be. */
#define TGID_THREAD	1u	/* into the group of the task that cloned; else its own process */
#define TGID_OWN_CGROUP	2u	/* not into the cgroup of the task that cloned */
#define TGID_FORK	4u	/* by sched_process_fork, which tells neither of these */
#define TGID_ABOUT	8u	/* not recorded: its start as /proc has it, so not before ts */

/*
 * A task was born at ts (model time).  @maker: the task that cloned, 0: not known; @how: TGID_… .
 * Calls may come in any order of time.
 */
void tgid_table_born(struct tgid_table *table, int pid, int64_t ts, int maker, unsigned int how);

/* The task with this pid at ts belongs to this group. */
void tgid_table_seen(struct tgid_table *table, int pid, int64_t ts, int tgid);

/**
 * tgid_table_at() - the group of a task at a time
 * @tgid:     receives the group; pid 0 is 0
 * @from, @to: receive the time span in which the answer is the same, both ends included; valid
 *        while tgid_table_changes() returns what it returned before the call
 *
 * Return: false if the group is not known.
 */
bool tgid_table_at(struct tgid_table *table, int pid, int64_t ts, int *tgid, int64_t *from,
		   int64_t *to);
uint64_t tgid_table_changes(const struct tgid_table *table);

struct tgid_life {
	int64_t		from, to;	/* model time, both included: the pid is this task's */
	bool		is_born;	/* it began at `from`; else before all that is known */
	bool		knows_births;	/* the trace has births: where none is, there was none */
	int		maker;		/* the task that cloned; 0 = not known */
	unsigned int	how;		/* TGID_… */
};

/* The life of the task that had the pid at ts, as far as births tell. */
void tgid_table_life(struct tgid_table *table, int pid, int64_t ts, struct tgid_life *life);

/* How many tasks were born with the pid up to ts, except threads, where births tell. */
unsigned int tgid_table_births(struct tgid_table *table, int pid, int64_t ts);

/* All pids that have been added, in any order.  Return: [*nr], for the caller to free. */
int *tgid_table_pids(struct tgid_table *table, uint32_t *nr);

/*
 * Call @each, with the lock held, for every group that a pid ever had, once for each task that had
 * the pid.
 */
void tgid_table_each(struct tgid_table *table, void (*each)(void *arg, int pid, int tgid),
		     void *arg);

/* Has nothing been added so far? */
bool tgid_table_is_empty(const struct tgid_table *table);

/* --- what records contain -------------------------------------------------- */
struct event_type;
struct common_layout;

enum tgid_rule_kind { TGID_RULE_BIRTH, TGID_RULE_FORK, TGID_RULE_TELLS, TGID_RULE_EXEC };

#define TGID_PAIRS_MAX	2u

struct tgid_rule {
	enum tgid_rule_kind	 kind;
	unsigned int		 nr;
	struct {
		uint16_t	 pid_at, pid_size;
		uint16_t	 tgid_at, tgid_size;	/* BIRTH: of clone_flags; FORK: of
							   parent_pid; EXEC: of old_pid */
	}			 pairs[TGID_PAIRS_MAX];
};

/*
 * Do records of this type contain a tgid or a birth?  Decided by name and fields.  @rule: receives
 * their offsets.
 */
bool tgid_rule_of(const struct event_type *type, const struct common_layout *common,
		  struct tgid_rule *rule);

/* What a reader has added already, so that a pair seen a million times is looked up once. */
#define TGID_SLOTS	1024u
struct tgid_cache {
	struct {
		int32_t	pid, tgid;
	}		 slots[TGID_SLOTS];	/* zeros: unused */
};

/* Add a record of such a type with this time. */
void tgid_cache_see(struct tgid_cache *cache, struct tgid_table *table,
		    const struct tgid_rule *rule, int64_t ts, int common_pid, const uint8_t *data,
		    uint32_t size, bool swap);
#endif
