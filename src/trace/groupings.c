/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/groupings.h"

#include <inttypes.h>
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
 * A process has the last name of its leader, so its name stays the same when the leader calls exec.
 * A later process with the same pid has its own name.
 */
static void add_process(struct trace *trace, const struct grouped_task *task, int tgid,
			struct text *out)
{
	struct tgid_life life;

	tgid_table_life(trace_source_at(trace, task->file)->tgids, tgid, task->ts, &life);
	text_printf(out, "%s-%d", trace_comm(trace, task->file, tgid, life.to), tgid);
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
