/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * who_lines - what the recorder saw of tasks and cgroups: the lines of the block "tasks", see
 * parsers/file/trace_extra.c.
 */
#include <string.h>

#include "parsers/types/who_table_private.h"
#include "src/base/memory.h"
#include "src/base/text.h"

#define RECORDER_MAX	1024u		/* its tasks */
#define WITHOUT_BYTES	65536u

struct who_loader {
	struct who_table *table;
	int64_t		(*time)(const void *arg, uint64_t raw);
	const void	*arg;
	const char	*pos, *end;
};

/* Take @nr numbers up to the end of the line. */
static bool take_numbers(struct who_loader *l, int64_t *numbers, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!text_take_i64(&l->pos, l->end, &numbers[i]))
			return false;
	return l->pos < l->end && *l->pos++ == '\n';
}

static bool is_pid(int64_t v)
{
	return v > 0 && v <= INT32_MAX;
}

/* 0: none; INT64_MAX: there is no such string. */
static int64_t string_at(const struct who_loader *l, int64_t number)
{
	if (number <= 0)
		return 0;
	return number <= l->table->nr_strings ? l->table->strings[number - 1] : INT64_MAX;
}

/* "string LEN", the bytes, and the end of the line. */
static bool load_string(struct who_loader *l)
{
	struct who_table *table = l->table;
	struct text t = { 0 };
	int64_t len;

	if (!take_numbers(l, &len, 1) || len < 0 || len > STRING_MAX || len >= l->end - l->pos ||
	    l->pos[len] != '\n')
		return false;
	text_bytes(&t, l->pos, (size_t)len);
	while (t.len && !t.data[t.len - 1])	/* arguments of a command line end with NUL */
		t.len--;
	for (size_t i = 0; i < t.len; i++)
		if (!t.data[i])
			t.data[i] = ' ';
	mem_grow(&table->strings, table->nr_strings, &table->cap_strings);
	table->strings[table->nr_strings++] = who_table_string(table, text_str(&t), t.len);
	l->pos += len + 1;
	text_fini(&t);
	return true;
}

/* "hierarchy NUMBER" */
static bool load_hierarchy(struct who_loader *l)
{
	return take_numbers(l, &l->table->hierarchy, 1);
}

/* "user UID STRING" */
static bool load_user(struct who_loader *l)
{
	struct who_table *table = l->table;
	int64_t v[2], name;

	if (!take_numbers(l, v, 2) || v[0] < 0 || v[0] > UINT32_MAX)
		return false;
	name = string_at(l, v[1]);
	if (name == INT64_MAX)
		return false;
	if (who_table_user(table, v[0]))
		return true;
	mem_grow(&table->users, table->nr_users, &table->cap_users);
	index_map_add(&table->user_map, index_map_hash((uint64_t)v[0]), table->nr_users);
	table->users[table->nr_users++] =
		(struct who_user){ .uid = v[0], .name = (uint32_t)name };
	return true;
}

static bool load_seen(struct who_loader *l, const int64_t times[2], int64_t pid, int64_t tgid,
		      struct who_seen *seen)
{
	struct who_table *table = l->table;
	int64_t ts;

	if (times[0] < 0 || times[1] < times[0] || !is_pid(pid) || !is_pid(tgid))
		return false;
	ts = l->time(l->arg, (uint64_t)times[1]);
	seen->since = l->time(l->arg, (uint64_t)times[0]);
	tgid_table_seen(table->tgids, (int)pid, ts, (int)tgid);
	mem_grow(&table->seen, table->nr_seen, &table->cap_seen);
	table->seen[table->nr_seen] = *seen;
	who_table_fact(table, (int)pid,
		 (struct who_fact){ .ts = ts, .kind = FACT_SEEN, .number = table->nr_seen++ });
	return true;
}

/* "task SINCE TS PID PARENT START UID EXE CMDLINE CGROUP KERNEL" */
static bool load_task(struct who_loader *l)
{
	enum { SINCE, TS, PID, PARENT, START, UID, EXE, CMDLINE, CGROUP, KERNEL, NR };
	int64_t v[NR], strings[3];

	if (!take_numbers(l, v, NR) || !is_pid(v[PID]) || v[PARENT] > INT32_MAX ||
	    v[UID] > UINT32_MAX)
		return false;
	for (int i = 0; i < 3; i++) {
		strings[i] = string_at(l, v[EXE + i]);
		if (strings[i] == INT64_MAX)
			return false;
	}
	if (v[START] >= 0)
		tgid_table_born(l->table->tgids, (int)v[PID], l->time(l->arg, (uint64_t)v[START]),
				0, TGID_ABOUT);
	return load_seen(l, &v[SINCE], v[PID], v[PID],
			 &(struct who_seen){
				 .is_process = true, .is_kernel = v[KERNEL] == 1,
				 .parent = v[PARENT] > 0 ? (int)v[PARENT] : 0,
				 .uid = v[UID] < 0 ? -1 : v[UID],
				 .exe = (uint32_t)strings[0], .cmdline = (uint32_t)strings[1],
				 .cgroup = (uint32_t)strings[2] });
}

/* "thread SINCE TS PID TGID CGROUP" */
static bool load_thread(struct who_loader *l)
{
	int64_t v[5], cgroup;

	if (!take_numbers(l, v, 5))
		return false;
	cgroup = string_at(l, v[4]);
	return cgroup != INT64_MAX &&
	       load_seen(l, v, v[2], v[3],
			 &(struct who_seen){ .uid = -1, .cgroup = (uint32_t)cgroup });
}

/* By its string; NULL: no line told of it. */
static struct who_cgroup *find_cgroup(struct who_table *table, int64_t name)
{
	index_map_each (&table->cgroup_map, index_map_hash((uint64_t)name), i)
		if (table->cgroups[i].path == name_table_text(table->names, (uint32_t)name))
			return &table->cgroups[i];
	return NULL;
}

/* "cgroup TS CGROUP QUOTA_US PERIOD_US WEIGHT USAGE_US PERIODS THROTTLED THROTTLED_US THREADED" */
static bool load_cgroup(struct who_loader *l)
{
	enum { TS, CGROUP, QUOTA, PERIOD, WEIGHT, USAGE, PERIODS, TIMES, THROTTLED, THREADED, NR };
	struct who_table *table = l->table;
	struct who_cgroup_state state;
	struct who_cgroup *cgroup;
	int64_t v[NR], name;

	if (!take_numbers(l, v, NR) || v[TS] < 0)
		return false;
	name = string_at(l, v[CGROUP]);
	if (!name || name == INT64_MAX)
		return false;
	state = (struct who_cgroup_state){
		.ts = l->time(l->arg, (uint64_t)v[TS]), .quota_us = v[QUOTA],
		.period_us = v[PERIOD], .weight = v[WEIGHT], .usage_us = v[USAGE],
		.periods = v[PERIODS], .throttled = v[TIMES], .throttled_us = v[THROTTLED],
	};
	for (int i = QUOTA; i < THREADED; i++)
		if (v[i] < -1)
			return false;
	cgroup = find_cgroup(table, name);
	if (!cgroup) {
		mem_grow(&table->cgroups, table->nr_cgroups, &table->cap_cgroups);
		index_map_add(&table->cgroup_map, index_map_hash((uint64_t)name),
			      table->nr_cgroups);
		cgroup = &table->cgroups[table->nr_cgroups++];
		*cgroup = (struct who_cgroup){
			.path = name_table_text(table->names, (uint32_t)name), .first = state
		};
	}
	cgroup->is_threaded = v[THREADED] == 1;
	cgroup->last = state;
	mem_grow_from(&cgroup->states, cgroup->nr, &cgroup->cap, 2);
	cgroup->states[cgroup->nr++] = state;
	return true;
}

/* "cgroup_id CGROUP ID" */
static bool load_cgroup_id(struct who_loader *l)
{
	struct who_cgroup *cgroup;
	int64_t v[2], name;

	if (!take_numbers(l, v, 2))
		return false;
	name = string_at(l, v[0]);
	cgroup = name && name != INT64_MAX ? find_cgroup(l->table, name) : NULL;
	if (cgroup)
		cgroup->id = (uint64_t)v[1];
	return cgroup;
}

/* "sched SINCE TS PID POLICY PRIORITY NICE ALLOWED RUNTIME_NS PERIOD_NS" */
static bool load_sched(struct who_loader *l)
{
	enum { SINCE, TS, PID, POLICY, PRIORITY, NICE, ALLOWED, RUNTIME, PERIOD, NR };
	struct who_table *table = l->table;
	int64_t v[NR], allowed;

	if (!take_numbers(l, v, NR) || v[SINCE] < 0 || v[TS] < v[SINCE] || !is_pid(v[PID]))
		return false;
	for (int i = POLICY; i <= NICE; i++)
		if (v[i] < -128 || v[i] > 255)
			return false;
	allowed = string_at(l, v[ALLOWED]);
	if (allowed == INT64_MAX || v[RUNTIME] < 0 || v[PERIOD] < 0)
		return false;
	mem_grow(&table->scheds, table->nr_scheds, &table->cap_scheds);
	table->scheds[table->nr_scheds] = (struct who_sched_seen){
		.since = l->time(l->arg, (uint64_t)v[SINCE]),
		.sched = { .policy = (int)v[POLICY], .priority = (int)v[PRIORITY],
			   .nice = (int)v[NICE], .runtime_ns = v[RUNTIME], .period_ns = v[PERIOD] },
		.allowed = (uint32_t)allowed,
	};
	who_table_fact(table, (int)v[PID],
		       (struct who_fact){ .ts = l->time(l->arg, (uint64_t)v[TS]),
					  .kind = FACT_SCHED, .number = table->nr_scheds++ });
	return true;
}

/* "recorder PID" */
static bool load_recorder(struct who_loader *l)
{
	struct who_table *table = l->table;
	int64_t pid;

	if (!take_numbers(l, &pid, 1) || !is_pid(pid))
		return false;
	if (table->nr_recorder == RECORDER_MAX || who_table_names_recorder(table, (int)pid))
		return true;
	mem_grow(&table->recorder, table->nr_recorder, &table->cap_recorder);
	table->recorder[table->nr_recorder++] = (int)pid;
	return true;
}

/* "only PID" */
static bool load_only(struct who_loader *l)
{
	int64_t pid;

	if (!take_numbers(l, &pid, 1) || !is_pid(pid))
		return false;
	who_table_put_only(l->table, (int)pid);
	return true;
}

/* "only_children 1" */
static bool load_only_children(struct who_loader *l)
{
	int64_t on;

	if (!take_numbers(l, &on, 1))
		return false;
	l->table->only_children = on == 1;
	return true;
}

/* "without CPU NAME" */
static bool load_without(struct who_loader *l)
{
	struct text *without = &l->table->without;
	const char *end = memchr(l->pos, '\n', (size_t)(l->end - l->pos));
	int64_t cpu;

	if (!end || !text_take_i64(&l->pos, end, &cpu) || l->pos == end || *l->pos++ != ' ')
		return false;
	if (without->len < WITHOUT_BYTES) {
		text_bytes(without, l->pos, (size_t)(end - l->pos));
		text_char(without, '\0');
	}
	l->pos = end + 1;
	return true;
}

/* "namespace PID" */
static bool load_namespace(struct who_loader *l)
{
	struct who_task *task;
	int64_t pid;

	if (!take_numbers(l, &pid, 1) || !is_pid(pid))
		return false;
	l->table->any_pid_ns = true;
	task = who_task_find(l->table, (int)pid);
	if (task)
		task->has_pid_ns = true;
	return true;
}

static const struct {
	const char	*word;
	bool		(*load)(struct who_loader *l);
} lines[] = {
	{ "namespace ", load_namespace },
	{ "recorder ", load_recorder },
	{ "only ", load_only },
	{ "only_children ", load_only_children },
	{ "without ", load_without },
	{ "string ", load_string },
	{ "hierarchy ", load_hierarchy },
	{ "user ", load_user },
	{ "task ", load_task },
	{ "thread ", load_thread },
	{ "cgroup ", load_cgroup },
	{ "cgroup_id ", load_cgroup_id },
	{ "sched ", load_sched },
};

/* A line of another kind is of a later version. */
static bool load_line(struct who_loader *l)
{
	const char *newline;

	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t len = strlen(lines[i].word);

		if ((size_t)(l->end - l->pos) > len && !memcmp(l->pos, lines[i].word, len)) {
			l->pos += len - 1;
			return lines[i].load(l);
		}
	}
	newline = memchr(l->pos, '\n', (size_t)(l->end - l->pos));
	if (newline)
		l->pos = newline + 1;
	return newline;
}

int who_table_load(struct who_table *table, const char *text, uint64_t size, bool more,
		   int64_t (*time)(const void *arg, uint64_t raw), const void *arg,
		   struct ft_error *err)
{
	struct who_loader l = {
		.table = table, .time = time, .arg = arg, .pos = text, .end = text + size
	};
	int ret = 0;

	pthread_mutex_lock(&table->lock);
	if (!more)
		table->nr_strings = 0;
	while (!ret && l.pos < l.end) {
		const char *line = l.pos;

		if (!load_line(&l))
			ret = ft_error_set(err, FT_E_FORMAT, line - text,
					   "a line about tasks has wrong numbers, or ends early");
	}
	atomic_fetch_add_explicit(&table->changes, 1, memory_order_release);
	pthread_mutex_unlock(&table->lock);
	return ret;
}
