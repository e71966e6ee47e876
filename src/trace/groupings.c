/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/groupings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/trace_streams.h"

#define RT_PRIOS	100		/* MAX_RT_PRIO; include/linux/sched/prio.h */

const struct grouping_words groupings[GROUPINGS_NR] = {
	[GROUPING_PROCESS] = { "process", "processes", .moves = true, .least = 2 },
	[GROUPING_CGROUP] = { "cgroup", "cgroups", .is_tree = true, .moves = true, .least = 1 },
	[GROUPING_NAME] = { "name", "names", .least = 2 },
	[GROUPING_USER] = { "user", "users", .moves = true, .least = 1 },
	[GROUPING_CLASS] = { "class", "classes", .least = 1 },
};

enum grouping grouping_find(const char *option, struct ft_error *err)
{
	for (unsigned int by = 1; by < GROUPINGS_NR; by++)
		if (!strcmp(groupings[by].option, option))
			return (enum grouping)by;
	ft_error_set(err, FT_E_USAGE, -1, "tasks cannot be grouped by '%s': one of %s", option,
		     GROUPINGS_OPTION);
	return GROUPING_NONE;
}

void task_kind_name(const char *comm, struct text *out)
{
	size_t start = out->len;

	if (!strncmp(comm, "kworker/", 8)) {
		text_add(out, "kworker");
		return;
	}
	while (*comm) {
		size_t digits = strspn(comm, "0123456789");
		bool is_number = digits &&
				 (!comm[digits] ||
				  (out->len > start && strchr("/-:_.#", out->data[out->len - 1])));

		if (is_number)
			text_char(out, '*');
		else
			text_bytes(out, comm, digits ?: 1);
		comm += digits ?: 1;
	}
}

/*
 * The life of a process: that of its leader.  A thread is of the process that had the pid when the
 * thread was born: later the pid may be that of another process.
 */
static void find_process(struct tgid_table *tgids, const struct grouped_task *task, int tgid,
			 struct tgid_life *life)
{
	tgid_table_life(tgids, task->pid, task->ts, life);
	if (task->pid != tgid)
		tgid_table_life(tgids, tgid, life->is_born ? life->from : task->ts, life);
}

/* The number of a process among those that had its pid. */
static unsigned int number_of(struct trace *trace, unsigned int file, int tgid,
			      const struct tgid_life *life)
{
	unsigned int born = tgid_table_births(trace_source_at(trace, file)->tgids, tgid, life->to);
	int64_t from, to;
	struct who first;

	if (!born)
		return 1;
	/* before the first birth there may have been another one */
	return born +
	       (trace_who(trace, file, tgid, INT64_MIN, &first, &from, &to) && first.tgid == tgid);
}

/*
 * A process has the last name of its leader, so its name stays the same when the leader calls exec.
 * A later process with the same pid has its own name, which may be the same, and a number.
 */
static void add_process(struct trace *trace, const struct grouped_task *task, int tgid,
			struct text *out)
{
	struct tgid_life life;
	unsigned int number;

	find_process(trace_source_at(trace, task->file)->tgids, task, tgid, &life);
	text_printf(out, "%s-%d", trace_comm(trace, task->file, tgid, life.to), tgid);
	number = number_of(trace, task->file, tgid, &life);
	if (number > 1)
		text_printf(out, " (%u)", number);
}

size_t grouping_process_name(const char *name, int *pid)
{
	const char *dash = strrchr(name, '-');
	const char *digits = dash ? dash + 1 : name;

	*pid = atoi(digits);
	return (size_t)(digits - name) + strspn(digits, "0123456789");
}

bool grouping_name_of(struct trace *trace, enum grouping by, const struct grouped_task *task,
		      const struct who *who, struct text *out)
{
	switch (by) {
	case GROUPING_PROCESS:
		if (who->tgid)
			add_process(trace, task, who->tgid, out);
		return who->tgid;
	case GROUPING_CGROUP:
		if (who->cgroup)
			text_add(out, who->cgroup);
		return who->cgroup;
	case GROUPING_NAME:
		task_kind_name(task->comm ?: trace_comm(trace, task->file, task->pid, task->ts),
			       out);
		return true;
	case GROUPING_USER:
		if (who->user)
			text_add(out, who->user);
		else if (who->uid >= 0)
			text_printf(out, "%" PRId64, who->uid);
		return who->user || who->uid >= 0;
	case GROUPING_CLASS:
		if (task->prio == GROUPING_NO_PRIO)
			return false;
		text_add(out, task->prio < 0        ? "deadline" :
			      task->prio < RT_PRIOS ? "real-time" :
						      "fair");
		return true;
	case GROUPING_NONE:
	case GROUPINGS_NR:
		break;
	}
	return false;
}

bool grouping_name(struct trace *trace, enum grouping by, const struct grouped_task *task,
		   struct text *out)
{
	struct who who = { .uid = -1 };
	int64_t from, to;

	if (groupings[by].moves &&
	    !trace_who(trace, task->file, task->pid, task->ts, &who, &from, &to))
		return false;
	return grouping_name_of(trace, by, task, &who, out);
}
