/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/limits/limits_untold.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

struct untold_time {
	const char	*path;		/* interned */
	size_t		 len;
	int64_t		 from, to;	/* two looks at it */
	bool		 inferred;	/* when it was */
};

struct limits_untold {
	struct trace	*trace;		/* borrowed */
	unsigned int	 file;
	const struct sched_limits *limits;	/* borrowed while it is made */
	struct untold_time *list;	/* owned, [nr] */
	uint32_t	 nr, cap;
};

static void take_group(void *arg, const struct who_cgroup *c)
{
	struct limits_untold *u = arg;

	bool inferred = u->limits && sched_limits_places(u->limits, c->path);

	if (inferred && sched_limits_are_exact(u->limits))
		return;
	for (uint32_t i = 1; i < c->nr; i++) {
		const struct who_cgroup_state *before = &c->states[i - 1], *now = &c->states[i];

		if (before->throttled < 0 || now->throttled <= before->throttled)
			continue;
		mem_grow(&u->list, u->nr, &u->cap);
		u->list[u->nr++] = (struct untold_time){ c->path, strlen(c->path), before->ts,
							 now->ts, inferred };
	}
}

struct limits_untold *limits_untold_new(struct trace *trace, unsigned int file,
					const struct sched_limits *limits)
{
	struct limits_untold *u = mem_alloc(sizeof(*u));

	*u = (struct limits_untold){ .trace = trace, .file = file, .limits = limits };
	trace_cgroups(trace, file, take_group, u);
	if (u->nr)
		return u;
	limits_untold_free(u);
	return NULL;
}

void limits_untold_free(struct limits_untold *u)
{
	if (!u)
		return;
	free(u->list);
	free(u);
}

/* Is it the cgroup, or below it? */
static bool is_in(const char *path, const struct untold_time *time)
{
	return !strncmp(path, time->path, time->len) &&
	       (!path[time->len] || path[time->len] == '/');
}

bool limits_untold_hold(const struct limits_untold *u, int pid, int64_t from, int64_t to,
			bool inferred)
{
	int64_t since, until;
	struct who who;

	for (uint32_t i = 0; u && i < u->nr; i++) {
		const struct untold_time *time = &u->list[i];

		if (time->from < to && time->to > from && (inferred || !time->inferred) &&
		    trace_who(u->trace, u->file, pid, from > time->from ? from : time->from, &who,
			      &since, &until) &&
		    who.cgroup && is_in(who.cgroup, time))
			return true;
	}
	return false;
}
