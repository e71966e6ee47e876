/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks - what each task did: ran, waited, slept, was woken. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/commands/sched_command.h"

const struct command_def cmd_tasks_def = {
	.name = "tasks",
	.operands = "[FILE]",
	.summary = "what each task did: times it ran, waited and slept, switches, wake-ups",
	.details = "Tasks by the time they ran. run: from switch to switch; cut: runs whose beginning or end was not recorded;\n"
		   "wait: could have run, but did not; sleep and blocked (state D) until it was woken. Sched events of the top\n"
		   "buffer are taken, or of the first buffer that has any. With --from and --to, times are those within, both\n"
		   "ends included. With -F figures are of the events that match, in the states that all events tell: a run, its\n"
		   "switch and preemption count if the switch that ends it matches, a wait if the switch to the task does, sleep if\n"
		   "the wake-up does, wake-ups and migrations if they do themselves; the last two, waits and sleep as events of that\n"
		   "task, so that -F 'comm == bash' is all of bash. What lasts to the end of the trace, or to a loss, does not count\n"
		   "then. Tasks have a row that anything counts for, or that an event that matches is of. With wait and wakelat a\n"
		   "match is of the task that waited, with ran and state a switch is of the task that left. With --cpu figures are\n"
		   "of what happens on these CPUs: runs and switches there, waits that end with a run there, sleep that begins there,\n"
		   "wake-ups that are made there, migrations to there.",
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ .name = "from", .arg = "TIME", .id = SCHED_OPT_FROM, .help = "what was before does not count" },
		{ .name = "to", .arg = "TIME", .id = SCHED_OPT_TO, .help = "what came after does not count" },
		{ .name = "cpu", .arg = "LIST", .id = SCHED_OPT_CPU, .help = "what happens on these CPUs: 0,2-4" },
		{ .name = "task", .arg = "PID|NAME", .id = SCHED_OPT_TASK,
		  .help = "this task, of several any of them; a NAME may have * and ?" },
		FILTER_OPTIONS("what matches counts, see report; of several any may", "tasks"),
		SCHED_COMMAND_FORMAT,
		OPTION_END,
	},
};

struct row {
	uint32_t	task, pid;
	int64_t		time;		/* it ran */
};

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static bool has_any(const struct sched_task *t)
{
	return t->run || t->run_cut || t->wait || t->sleep || t->blocked || t->switches || t->wakeups || t->migrations;
}

static struct row *find_rows(const struct sched_command *c, uint32_t *nr)
{
	const struct sched_rules *rules = sched_pass_rules(c->pass);
	uint32_t all = sched_rules_nr_tasks(rules);
	struct row *rows = mem_array(all, sizeof(*rows));

	*nr = 0;
	for (uint32_t i = 0; i < all; i++) {
		const struct sched_task *t = sched_rules_task(rules, i);

		if (t->listed && (!c->keep || has_any(t) || sched_keep_task(c->keep, t->pid)) && (!c->cpus || has_any(t)) &&
		    sched_command_wants(c, t->pid, sched_pass_comm(c->pass, i)))
			rows[(*nr)++] = (struct row){ i, t->pid, (int64_t)((uint64_t)t->run + (uint64_t)t->run_cut) };
	}
	if (*nr)
		qsort(rows, *nr, sizeof(*rows), by_time);
	return rows;
}

static void add_csv(const struct sched_task *t, const char *comm, struct text *out)
{
	text_printf(out, "%" PRIu32 ",", t->pid);
	text_csv(out, comm, strlen(comm));
	text_printf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, t->run, t->run_cut, t->wait, t->sleep,
		    t->blocked);
	text_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRId64 "\n", t->switches, t->preemptions,
		    t->migrations, t->wakeups, t->max_wakeup);
}

static void add_json(const struct sched_command *c, const struct sched_task *t, const char *comm, struct text *out)
{
	text_printf(out, "{\"pid\":%" PRIu32 ",\"comm\":\"", t->pid);
	text_json(out, comm, strlen(comm));
	text_add(out, "\"");
	if (c->clock)
		text_printf(out, ",\"clock\":\"%s\"", c->clock);
	text_printf(out, ",\"run_ns\":%" PRId64 ",\"run_cut_ns\":%" PRId64 ",\"wait_ns\":%" PRId64, t->run, t->run_cut, t->wait);
	text_printf(out, ",\"sleep_ns\":%" PRId64 ",\"blocked_ns\":%" PRId64, t->sleep, t->blocked);
	text_printf(out, ",\"switches\":%" PRIu64 ",\"preemptions\":%" PRIu64 ",\"migrations\":%" PRIu64, t->switches,
		    t->preemptions, t->migrations);
	text_printf(out, ",\"wakeups\":%" PRIu64 ",\"max_wakeup_ns\":%" PRId64 "}\n", t->wakeups, t->max_wakeup);
}

static void add_text(const struct sched_command *c, const struct sched_task *t, const char *comm, struct text *out)
{
	const int64_t times[] = { t->run, t->run_cut, t->wait, t->sleep, t->blocked };
	size_t start;

	text_printf(out, "%8" PRIu32 "  ", t->pid);
	start = out->len;
	text_printable(out, comm, strlen(comm));
	text_pad(out, out->len - start < 16 ? 16 - (out->len - start) : 0);
	for (unsigned int i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		text_add(out, "  ");
		if (times[i])
			sched_command_duration(c, times[i], out);
		else
			text_add(out, "       –");
	}
	text_printf(out, "  %8" PRIu64 "  %8" PRIu64 "  %6" PRIu64 "  %8" PRIu64 "  ", t->switches, t->preemptions, t->migrations,
		    t->wakeups);
	if (t->answered)
		sched_command_duration(c, t->max_wakeup, out);
	else
		text_add(out, "       –");
	text_char(out, '\n');
}

static void add_heading(const struct sched_command *c, struct text *out)
{
	if (c->format == FORMAT_CSV)
		text_add(out, "pid,comm,run_ns,run_cut_ns,wait_ns,sleep_ns,blocked_ns,switches,preemptions,migrations,wakeups,"
			      "max_wakeup_ns\n");
	if (c->format == FORMAT_TEXT)
		text_printf(out, "     pid  %-16s  %8s  %8s  %8s  %8s  %8s  %8s  %8s  %6s  %8s  %8s\n", "task", "run", "cut", "wait",
			    "sleep", "blocked", "switches", "preempt", "migr", "wakeups", "max wake");
}

static int print(struct sched_command *c, struct ft_error *err)
{
	const struct sched_rules *rules = sched_pass_rules(c->pass);
	struct output out;
	struct row *rows;
	uint32_t nr;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	rows = find_rows(c, &nr);
	if (!c->picker.count)
		add_heading(c, &out.block);
	for (uint32_t i = 0; i < nr && !ret && !out.closed; i++) {
		const struct sched_task *t = sched_rules_task(rules, rows[i].task);
		const char *comm = sched_pass_comm(c->pass, rows[i].task);
		size_t start = out.block.len;

		if (c->format == FORMAT_JSON)
			add_json(c, t, comm, &out.block);
		else if (c->format == FORMAT_CSV)
			add_csv(t, comm, &out.block);
		else
			add_text(c, t, comm, &out.block);
		if (sched_command_row(c, &out.block, start))
			ret = output_more(&out, err);
	}
	free(rows);
	return row_picker_end(&c->picker, &out, ret, err);
}

int cmd_tasks(const struct option_list *list, struct ft_error *err)
{
	struct sched_command command;
	int ret = sched_command_init(&command, list, err);

	if (!ret)
		ret = sched_command_bind(&command, err);
	if (!ret)
		ret = sched_command_run(&command, (struct sched_pass_options){ .only = command.cpus, .nr_only = SCHED_COMMAND_MAX_CPUS },
					err);
	if (!ret)
		ret = print(&command, err);
	if (!ret)
		sched_command_tell(&command);
	sched_command_fini(&command);
	return ret;
}
