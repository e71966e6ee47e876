/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/perfetto/perfetto_tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/perfetto/perfetto_numbers.h"

#define NAME_BYTES	15u		/* that the kernel keeps of a name */
#define WHO_BYTES	(64u << 20)	/* at most: a hostile file may have millions of processes */
#define KTHREADD	2		/* the parent of the kernel's threads */

struct perfetto_task {
	int		 tgid;		/* 0: unknown */
	const char	*name;		/* NULL: unknown */
};

void perfetto_tasks_fini(struct perfetto_tasks *tasks)
{
	number_set_fini(&tasks->pids);
	free(tasks->tasks);
	arena_fini(&tasks->arena);
	text_fini(&tasks->who);
}

void perfetto_tasks_tell(struct perfetto_tasks *tasks, int64_t pid, int64_t tgid, const void *name,
			 size_t len)
{
	struct perfetto_task *task;
	bool is_new;
	uint32_t i;

	if (pid <= 0 || pid > INT32_MAX)
		return;
	i = number_set_add(&tasks->pids, (uint64_t)pid, &is_new);
	mem_reach(&tasks->tasks, &tasks->nr_tasks, i);
	task = &tasks->tasks[i];
	if (tgid > 0 && tgid <= INT32_MAX)
		task->tgid = (int)tgid;
	if (name && len && (!task->name || strncmp(task->name, name, len) || task->name[len])) {
		char *copy = arena_strndup(&tasks->arena, name, len);

		for (char *c = copy; *c; c++)
			if ((unsigned char)*c < ' ')
				*c = ' ';
		task->name = copy;
	}
}

/* A command's first word is a path; a name of the kernel's begins behind its last slash. */
static void tell_command(struct perfetto_tasks *tasks, int64_t pid, const struct proto_field *f,
			 bool is_comm)
{
	const char *s = (const char *)f->bytes;
	size_t len = f->bytes ? f->value : 0;
	const char *slash = is_comm || !len ? NULL : memrchr(s, '/', len);

	if (slash) {
		len -= (size_t)(slash + 1 - s);
		s = slash + 1;
	}
	perfetto_tasks_tell(tasks, pid, pid, s, len < NAME_BYTES ? len : NAME_BYTES);
}

struct told_process {
	int64_t		 pid, parent, uid;	/* parent, uid: -1: not told */
	struct proto_field command;		/* the first word */
	bool		 is_kernel, is_comm;
};

/* Who it is, with its words: as the census of a recording tells it. */
static void tell_who(struct perfetto_tasks *tasks, uint64_t ts, const struct told_process *p,
		     const struct text *words)
{
	uint32_t command = 0;

	if (!ts || p->pid <= 0 || tasks->who.len > WHO_BYTES)
		return;
	if (words->len && !p->is_kernel && !p->is_comm) {
		text_printf(&tasks->who, "string %zu\n", words->len);
		text_bytes(&tasks->who, words->data, words->len);
		text_char(&tasks->who, '\n');
		command = ++tasks->nr_strings;
	}
	text_printf(&tasks->who,
		    "task %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " -1 %" PRId64
		    " 0 %u 0 %d\n",
		    ts, ts, p->pid, p->parent, p->uid, command, p->is_kernel);
}

static bool take_process(struct perfetto_tasks *tasks, uint64_t ts, struct proto_reader r)
{
	struct told_process p = { .parent = -1, .uid = -1 };
	struct text words = { 0 };
	struct proto_field f;

	while (proto_next(&r, &f))
		if (f.number == PROCESS_PID) {
			p.pid = (int32_t)f.value;
		} else if (f.number == PROCESS_PARENT) {
			p.parent = (int32_t)f.value;
		} else if (f.number == PROCESS_COMMAND) {
			p.command = p.command.bytes ? p.command : f;
			text_bytes(&words, f.bytes ? (const char *)f.bytes : "",
				   f.bytes ? f.value : 0);
			text_char(&words, '\0');
		} else if (f.number == PROCESS_UID) {
			p.uid = (int32_t)f.value;
		} else if (f.number == PROCESS_IS_KTHREAD) {
			p.is_kernel |= f.value;
		} else if (f.number == PROCESS_IS_COMM) {
			p.is_comm = f.value;
		}
	p.is_kernel |= p.pid == KTHREADD || p.parent == KTHREADD;
	tell_command(tasks, p.pid, &p.command, p.is_comm || p.is_kernel);
	tell_who(tasks, ts, &p, &words);
	text_fini(&words);
	return !r.failed;
}

static bool take_thread(struct perfetto_tasks *tasks, struct proto_reader r)
{
	struct proto_field f, name = { 0 };
	int64_t tid = 0, tgid = 0;

	while (proto_next(&r, &f))
		if (f.number == THREAD_TID)
			tid = (int32_t)f.value;
		else if (f.number == THREAD_TGID)
			tgid = (int32_t)f.value;
		else if (f.number == THREAD_NAME)
			name = f;
	perfetto_tasks_tell(tasks, tid, tgid, name.bytes, name.bytes ? name.value : 0);
	return !r.failed;
}

bool perfetto_tasks_tree(struct perfetto_tasks *tasks, uint64_t ts, struct proto_reader r)
{
	struct proto_reader again = r;
	struct proto_field f;
	bool good = true;

	while (good && proto_next(&r, &f))	/* a thread's name is better than a command */
		if (f.number == TREE_PROCESS)
			good = take_process(tasks, ts, proto_inside(&f));
	while (good && proto_next(&again, &f))
		if (f.number == TREE_THREAD)
			good = take_thread(tasks, proto_inside(&f));
	return good && !r.failed;
}

static bool take_stats(struct perfetto_tasks *tasks, struct proto_reader r)
{
	struct proto_field f, inner;
	int64_t pid = 0;

	while (proto_next(&r, &f)) {
		struct proto_reader thread = proto_inside(&f);

		if (f.number == PROCESS_STATS_PID)
			pid = (int32_t)f.value;
		if (f.number != PROCESS_STATS_THREAD)
			continue;
		while (proto_next(&thread, &inner))
			if (inner.number == THREAD_TID)
				perfetto_tasks_tell(tasks, (int32_t)inner.value, pid, NULL, 0);
		r.failed |= thread.failed;
	}
	return !r.failed;
}

bool perfetto_tasks_stats(struct perfetto_tasks *tasks, struct proto_reader r)
{
	struct proto_field f;
	bool good = true;

	while (good && proto_next(&r, &f))
		if (f.number == STATS_PROCESS)
			good = take_stats(tasks, proto_inside(&f));
	return good && !r.failed;
}

void perfetto_tasks_comms(const struct perfetto_tasks *tasks, struct text *out)
{
	for (uint32_t i = 0; i < tasks->pids.nr; i++)
		if (tasks->tasks[i].name)
			text_printf(out, "%d %s\n", (int)tasks->pids.numbers[i],
				    tasks->tasks[i].name);
}

void perfetto_tasks_tgids(const struct perfetto_tasks *tasks, struct text *out)
{
	for (uint32_t i = 0; i < tasks->pids.nr; i++)
		if (tasks->tasks[i].tgid)
			text_printf(out, "%d %d\n", (int)tasks->pids.numbers[i],
				    tasks->tasks[i].tgid);
}
