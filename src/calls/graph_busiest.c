/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/graph_busiest.h"

#include "src/base/index_map.h"

#define BATCH	256u
#define BATCHES	200u

struct tasks {
	struct graph_busiest *list;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map by_pid;
};

static struct graph_busiest *find(const struct tasks *tasks, int32_t pid)
{
	index_map_each (&tasks->by_pid, index_map_hash((uint32_t)pid), i)
		if (tasks->list[i].pid == pid)
			return &tasks->list[i];
	return NULL;
}

static void add(struct tasks *tasks, const struct graph_record *record)
{
	struct graph_busiest *task = find(tasks, record->pid);

	if (!task) {
		mem_grow(&tasks->list, tasks->nr, &tasks->cap);
		index_map_add(&tasks->by_pid, index_map_hash((uint32_t)record->pid), tasks->nr);
		task = &tasks->list[tasks->nr++];
		*task = (struct graph_busiest){ record->pid, record->ref, record->key, 0 };
	}
	task->calls++;
}

static void count(struct graph_reader *reader, struct tasks *tasks)
{
	struct graph_record *records = mem_array(BATCH, sizeof(*records));
	unsigned int nr = BATCH;

	for (unsigned int batch = 0; batch < BATCHES && nr; batch++) {
		nr = graph_reader_read(reader, records, BATCH);
		for (unsigned int i = 0; i < nr; i++)
			if (records[i].kind == GRAPH_ENTRY)
				add(tasks, &records[i]);
	}
	free(records);
}

/* Idle tasks come last. */
static bool is_busier(const struct graph_busiest *a, const struct graph_busiest *b)
{
	return !a->pid == !b->pid ? a->calls > b->calls : a->pid;
}

bool graph_find_busiest(struct trace *trace, const struct graph_types *types, unsigned int file,
			unsigned int buffer, int32_t pid, struct graph_busiest *busiest,
			uint64_t *calls)
{
	struct graph_reader_options options = { 0 };
	struct graph_reader *reader = graph_reader_new(trace, types, file, buffer, &options);
	struct tasks tasks = { 0 };
	const struct graph_busiest *own;

	count(reader, &tasks);
	*busiest = (struct graph_busiest){ 0 };
	for (uint32_t i = 0; i < tasks.nr; i++)
		if (is_busier(&tasks.list[i], busiest))
			*busiest = tasks.list[i];
	own = find(&tasks, pid);
	*calls = own ? own->calls : 0;
	graph_reader_free(reader);
	index_map_fini(&tasks.by_pid);
	free(tasks.list);
	return busiest->calls;
}
