/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/functions/function_groups.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define INTERRUPTS	0u		/* the group of their calls */

struct function_groups {
	struct trace	*trace;
	unsigned int	 file;
	enum grouping	 by;
	pthread_mutex_t	 lock;		/* of all below */
	struct arena	 text;
	const char	**names;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map map;		/* by name */
};

struct function_groups *function_groups_new(struct trace *trace, unsigned int file,
					    enum grouping by)
{
	struct function_groups *g = mem_alloc(sizeof(*g));

	*g = (struct function_groups){ .trace = trace, .file = file, .by = by };
	pthread_mutex_init(&g->lock, NULL);
	mem_grow(&g->names, g->nr, &g->cap);
	g->names[g->nr++] = GROUPING_INTERRUPTS;	/* in no map: a task may be called so */
	return g;
}

void function_groups_free(struct function_groups *g)
{
	if (!g)
		return;
	pthread_mutex_destroy(&g->lock);
	index_map_fini(&g->map);
	arena_fini(&g->text);
	free(g->names);
	free(g);
}

static uint32_t find_group(struct function_groups *g, const struct text *name)
{
	uint32_t hash = index_map_hash_bytes(text_str(name), name->len);

	index_map_each (&g->map, hash, i)
		if (!strcmp(g->names[i], text_str(name)))
			return i;
	index_map_add(&g->map, hash, g->nr);
	mem_grow(&g->names, g->nr, &g->cap);
	g->names[g->nr] = arena_strndup(&g->text, text_str(name), name->len);
	return g->nr++;
}

/* As lists of tasks have it: a group in which a task stays has the last name of the task. */
static void look_up(struct function_groups *g, int64_t ts, struct function_member *m)
{
	struct grouped_task task = { .file = g->file, .pid = m->pid, .ts = INT64_MAX,
				     .prio = GROUPING_NO_PRIO };
	struct who who = { .uid = -1 };
	struct text name = { 0 };
	bool known = true;

	m->from = INT64_MIN;
	m->to = INT64_MAX;
	if (groupings[g->by].moves) {
		known = trace_who(g->trace, g->file, m->pid, ts, &who, &m->from, &m->to);
		task.ts = ts;
	}
	if (!known || !grouping_name_of(g->trace, g->by, &task, &who, &name)) {
		text_clear(&name);
		text_add(&name, GROUPING_NOT_KNOWN);
	}
	pthread_mutex_lock(&g->lock);
	m->group = find_group(g, &name);
	pthread_mutex_unlock(&g->lock);
	text_fini(&name);
}

uint32_t function_groups_of(struct function_groups *g, const struct call_tree *tree, int pid,
			    const struct call *call, struct function_member *m)
{
	bool ended = call_is_timed(call);
	int64_t ts = trace_stream_ts(g->trace, ended ? call->stream_out : call->stream_in,
				     ended ? call->exit_ts : call->entry_ts);

	if (call->level != GRAPH_TASK && call_tree_interrupts(tree, call))
		return INTERRUPTS;
	if (!m->known || m->pid != pid || ts < m->from || ts > m->to) {
		m->known = true;
		m->pid = pid;
		look_up(g, ts, m);
	}
	return m->group;
}

const char *function_groups_name(const struct function_groups *g, uint32_t group)
{
	return g->names[group];
}
