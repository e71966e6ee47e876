/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakeups - who woke whom, and how long it took until the woken task ran. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/commands/sched_command.h"

const struct command_def cmd_wakeups_def = {
	.name = "wakeups",
	.operands = "[FILE]",
	.summary = "who woke whom, and how long it took until the woken task ran",
	.details = "Wake-ups in their order, by sched_waking where it was recorded, else sched_wakeup; those of tasks that ran or\n"
		   "waited already are none. The waker is the task that ran there, or that an interrupt hit. Sched events of the\n"
		   "top buffer are taken, or of the first buffer that has any. -F keeps wake-ups whose own event matches.",
	.max_operands = 1,
	.options = (const struct option_def[]){
		{ .name = "from", .arg = "TIME", .id = SCHED_OPT_FROM, .help = "wake-ups at this time or later" },
		{ .name = "to", .arg = "TIME", .id = SCHED_OPT_TO, .help = "wake-ups at this time or earlier" },
		{ .name = "cpu", .arg = "LIST", .id = SCHED_OPT_CPU, .help = "of tasks that then ran on these CPUs: 0,2-4" },
		{ .name = "task", .arg = "PID|NAME", .id = SCHED_OPT_TASK,
		  .help = "of this task, of several of any of them; a NAME may have * and ?" },
		FILTER_OPTIONS("wake-ups whose event matches, see report; of several any may", "wake-ups"),
		SCHED_COMMAND_FORMAT,
		OPTION_END,
	},
};

static bool is_wanted(const struct sched_command *c, const struct sched_wake *w)
{
	if ((c->has_from && w->ts < c->from_ts) || (c->has_to && w->ts > c->to_ts))
		return false;
	if (c->cpus) {
		int cpu = w->cpu >= 0 ? sched_pass_cpu(c->pass, (unsigned int)w->cpu) : -1;

		if (cpu < 0 || (unsigned int)cpu >= SCHED_COMMAND_MAX_CPUS || !c->cpus[cpu])
			return false;
	}
	return !c->keep || sched_keep_wake(c->keep, sched_pass_stream(c->pass, (unsigned int)w->on), w->ts,
					   sched_rules_task(sched_pass_rules(c->pass), w->task)->pid);
}

struct names {
	uint32_t	pid;
	const char	*comm, *waker_comm;
};

static void add_csv(const struct sched_command *c, const struct sched_wake *w, const struct names *n, struct text *out)
{
	text_printf(out, "%" PRId64 ",", w->ts);
	if (w->cpu >= 0)
		text_printf(out, "%" PRId64 ",%" PRId64, w->run_ts, w->run_ts - w->ts);
	else
		text_char(out, ',');
	text_printf(out, ",%" PRIu32 ",", n->pid);
	text_csv(out, n->comm, strlen(n->comm));
	text_char(out, ',');
	if (w->cpu >= 0)
		text_printf(out, "%d", sched_pass_cpu(c->pass, (unsigned int)w->cpu));
	text_printf(out, ",%" PRId32 ",", w->waker_pid);
	text_csv(out, n->waker_comm, strlen(n->waker_comm));
	text_char(out, '\n');
}

static void add_json(const struct sched_command *c, const struct sched_wake *w, const struct names *n, struct text *out)
{
	text_printf(out, "{\"wake_ts_ns\":%" PRId64, w->ts);
	if (c->clock)
		text_printf(out, ",\"clock\":\"%s\"", c->clock);
	if (w->cpu >= 0)
		text_printf(out, ",\"run_ts_ns\":%" PRId64 ",\"latency_ns\":%" PRId64, w->run_ts, w->run_ts - w->ts);
	else
		text_add(out, ",\"run_ts_ns\":null,\"latency_ns\":null");
	text_printf(out, ",\"pid\":%" PRIu32 ",\"comm\":\"", n->pid);
	text_json(out, n->comm, strlen(n->comm));
	if (w->cpu >= 0)
		text_printf(out, "\",\"cpu\":%d", sched_pass_cpu(c->pass, (unsigned int)w->cpu));
	else
		text_add(out, "\",\"cpu\":null");
	text_printf(out, ",\"waker_pid\":%" PRId32 ",\"waker_comm\":\"", w->waker_pid);
	text_json(out, n->waker_comm, strlen(n->waker_comm));
	text_add(out, "\"}\n");
}

static void add_task(const char *comm, uint32_t pid, size_t width, struct text *out)
{
	size_t start = out->len;

	text_printable(out, comm, strlen(comm));
	text_printf(out, "-%" PRIu32, pid);
	text_pad(out, out->len - start < width ? width - (out->len - start) : 0);
}

static void add_text(const struct sched_command *c, const struct sched_wake *w, const struct names *n, struct text *out)
{
	size_t start = out->len;

	if (c->clock)
		text_printf(out, "%" PRId64, w->ts);
	else
		text_seconds(out, w->ts, 9);
	text_pad(out, out->len - start < 16 ? 16 - (out->len - start) : 1);
	if (w->cpu >= 0)
		sched_command_duration(c, w->run_ts - w->ts, out);
	else
		text_add(out, "       –");
	text_add(out, "  ");
	add_task(n->comm, n->pid, 20, out);
	if (w->cpu >= 0)
		text_printf(out, "  %3d", sched_pass_cpu(c->pass, (unsigned int)w->cpu));
	else
		text_add(out, "    –");
	text_add(out, "  ");
	add_task(n->waker_comm, (uint32_t)w->waker_pid, 0, out);
	text_char(out, '\n');
}

static void add_heading(const struct sched_command *c, struct text *out)
{
	if (c->format == FORMAT_CSV)
		text_add(out, "wake_ts_ns,run_ts_ns,latency_ns,pid,comm,cpu,waker_pid,waker_comm\n");
	if (c->format == FORMAT_TEXT)
		text_printf(out, "%-16s%8s  %-20s  CPU  woken by\n", "woken", "latency", "task");
}

static int print(struct sched_command *c, struct ft_error *err)
{
	const struct sched_rules *rules = sched_pass_rules(c->pass);
	const struct sched_wake *wakes = sched_rules_wakes(rules);
	uint64_t nr = sched_rules_nr_wakes(rules);
	struct output out;
	int ret = 0;

	output_init(&out, STDOUT_FILENO);
	if (!c->picker.count)
		add_heading(c, &out.block);
	for (uint64_t i = 0; i < nr && !ret && !out.closed; i++) {
		const struct sched_wake *w = &wakes[i];
		size_t start = out.block.len;
		struct names names;

		if (!is_wanted(c, w))
			continue;
		names.pid = sched_rules_task(rules, w->task)->pid;
		names.comm = sched_pass_comm_at(c->pass, w->task, w->comm);
		if (!sched_command_wants(c, names.pid, names.comm))
			continue;
		names.waker_comm = sched_pass_comm_at(c->pass, w->waker, w->waker_comm);
		if (c->format == FORMAT_JSON)
			add_json(c, w, &names, &out.block);
		else if (c->format == FORMAT_CSV)
			add_csv(c, w, &names, &out.block);
		else
			add_text(c, w, &names, &out.block);
		if (sched_command_row(c, &out.block, start))
			ret = output_more(&out, err);
	}
	return row_picker_end(&c->picker, &out, ret, err);
}

/* Something matches, but no wake-up does. */
static void tell_none(const struct sched_command *c)
{
	if (!c->has_rows && c->keep && sched_keep_any(c->keep) && !c->nr_tasks && !c->cpus && !c->has_from && !c->has_to)
		fprintf(stderr, "ftop-trace: nothing that matches is a wake-up\n");
}

int cmd_wakeups(const struct option_list *list, struct ft_error *err)
{
	struct sched_command command;
	int ret = sched_command_init(&command, list, err);

	if (!ret)
		ret = sched_command_run(&command, (struct sched_pass_options){ .keep_wakes = true }, err);
	if (!ret)
		ret = print(&command, err);
	if (!ret) {
		sched_command_tell(&command);
		tell_none(&command);
	}
	sched_command_fini(&command);
	return ret;
}
