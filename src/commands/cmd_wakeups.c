/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakeups - who woke whom, and how long it took until the woken task ran. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/table_out.h"
#include "src/commands/table_command.h"
#include "src/sched/sched_interrupts.h"
#include "src/trace/warnings.h"

const struct command_def cmd_wakeups_def = {
	.name = "wakeups",
	.operands = "[FILE...]",
	.summary = "who woke whom, and how long it took until the woken task ran",
	.details = "Lists wake-ups in the order of time (--sort=latency: the longest first), from sched_waking if it was recorded,\n"
		   "else from sched_wakeup. Wake-ups of tasks that already ran or waited are\n"
		   "left out, unless a second one shows that records are missing. The waker is\n"
		   "the task that ran on that CPU. If the wake-up was made in an interrupt, or\n"
		   "over idle, the innermost timer, irq, softirq or ipi stands before it, as far\n"
		   "as they were recorded, else interrupt (in CSV and JSON: context). Traces of\n"
		   "Perfetto and LTTng may not tell that: context not known. A\n"
		   "latency with ~ is doubtful: events were lost meanwhile, so the task may\n"
		   "have run before. Sched events are read from the top buffer, or else from\n"
		   "the first buffer that has any. -F keeps wake-ups whose own event matches.",
	.word_means = "--task=%s",
	.examples = "Wake-ups of bash that took longer than 1 ms, the longest first:\n"
		    "  ftop-trace wakeups --task=bash --sort=latency --min=1ms",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		PART_OPTIONS("the task is the one that was woken, the CPU the one on which it then ran"),
		TABLE_OPTIONS,
		FILE_OPTIONS,
		OPTION_END,
	},
};

static bool is_wanted(const struct table_command *c, const struct sched_wake *w)
{
	if ((c->has_from && w->ts < c->from_ts) || (c->has_to && w->ts > c->to_ts))
		return false;
	if (c->given.cpus) {
		int cpu = w->cpu >= 0 ? sched_pass_cpu(c->pass, (unsigned int)w->cpu) : -1;

		if (cpu < 0 || (unsigned int)cpu >= FILTER_OPTION_CPUS || !c->given.cpus[cpu])
			return false;
	}
	return !c->keep ||
	       sched_keep_wake(c->keep, sched_pass_stream(c->pass, (unsigned int)w->on), w->ts,
			       sched_rules_task(sched_pass_rules(c->pass), w->task)->pid);
}

/* --- what woke them ------------------------------------------------------------------------- */

struct wakers {
	struct sched_interrupts interrupts;
	const struct sched_pass *pass;
	uint32_t	*contexts;	/* owned, [cap] by number of the wakeup */
	uint32_t	nr, cap;
};

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct wakers *w = arg;

	w->pass = pass;
	w->nr = 0;
	sched_interrupts_begin(&w->interrupts, pass);
}

static void on_other(void *arg, unsigned int cpu, const struct sched_rec *rec)
{
	sched_interrupts_take(&((struct wakers *)arg)->interrupts, cpu, rec);
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *change)
{
	(void)change;
	sched_interrupts_cut(&((struct wakers *)arg)->interrupts, cpu);
}

static void on_wake(void *arg, uint32_t waker, uint32_t task, int64_t ts)
{
	struct wakers *w = arg;
	const struct sched_wake *wake = &sched_rules_wakes(sched_pass_rules(w->pass))[w->nr];

	(void)task;
	(void)ts;
	mem_grow(&w->contexts, w->nr, &w->cap);
	w->contexts[w->nr++] = sched_interrupts_waker(&w->interrupts, (unsigned int)wake->on,
						      wake->flags, waker == SCHED_IDLE_TASK);
}

/* --- columns ------------------------------------------------------------------------------ */

struct wakeup_row {
	int64_t		ts, run_ts, latency;
	int		cpu;		/* where it ran; -1: it did not */
	int		doubtful;	/* 1: the latency is */
	uint32_t	pid;
	int32_t		waker_pid;
	const char	*comm, *waker_comm, *clock;
	const char	*context;	/* NULL: the waker itself */
};

static bool did_run(const void *row)
{
	return ((const struct wakeup_row *)row)->cpu >= 0;
}

static void add_latency(const void *p, struct text *out)
{
	const struct wakeup_row *row = p;

	table_out_time(row->latency, row->clock, out);
}

static void add_task(const void *p, struct text *out)
{
	const struct wakeup_row *row = p;

	text_printf(out, "%s-%" PRIu32, row->comm, row->pid);
}

static void add_waker(const void *p, struct text *out)
{
	const struct wakeup_row *row = p;

	sched_interrupts_add_waker(row->context, row->waker_comm, (uint32_t)row->waker_pid, out);
}

static const struct table_column columns[] = {
	{ "wake_ts_ns", "woken", TABLE_MEMBER(struct wakeup_row, ts), .kind = TABLE_MOMENT,
	  .width = 15, .align = TABLE_LEFT },
	TABLE_CLOCK_AT(0),
	{ "run_ts_ns", TABLE_MEMBER(struct wakeup_row, run_ts), .kind = TABLE_NUMBER,
	  .known = did_run },
	{ "latency_ns", "latency", TABLE_MEMBER(struct wakeup_row, latency), .kind = TABLE_TIME,
	  .known = did_run, .width = 11, .text = add_latency,
	  TABLE_DOUBT(struct wakeup_row, doubtful) },
	{ "pid", TABLE_MEMBER(struct wakeup_row, pid), .kind = TABLE_COUNT },
	{ "comm", TABLE_MEMBER(struct wakeup_row, comm) },
	{ .title = "task", .width = 20, .align = TABLE_LEFT, .text = add_task },
	{ "cpu", "CPU", TABLE_MEMBER(struct wakeup_row, cpu), .kind = TABLE_NUMBER,
	  .known = did_run, .width = 3 },
	{ "waker_pid", TABLE_MEMBER(struct wakeup_row, waker_pid), .kind = TABLE_NUMBER },
	{ "waker_comm", TABLE_MEMBER(struct wakeup_row, waker_comm) },
	{ .title = "woken by", .width = 1, .align = TABLE_LEFT, .text = add_waker },
	{ "doubtful", TABLE_MEMBER(struct wakeup_row, doubtful), .kind = TABLE_NUMBER,
	  .known = did_run },
	{ "context", TABLE_MEMBER(struct wakeup_row, context) },
};

static const struct table_columns wakeup_columns = { TABLE_COLUMNS(columns), .gap = 2 };

/* --- rows ----------------------------------------------------------------------------------- */

struct printed_wakeups {
	const struct table_command *c;
	struct wakers	*wakers;
	struct wakeup_row row;
	struct text	 context;
};

static const void *row_at(void *arg, uint64_t i)
{
	struct printed_wakeups *p = arg;
	const struct table_command *c = p->c;
	const struct sched_rules *rules = sched_pass_rules(c->pass);
	const struct sched_wake *w = &sched_rules_wakes(rules)[i];

	if (!is_wanted(c, w))
		return NULL;
	p->row = (struct wakeup_row){ .ts = w->ts,
			       .run_ts = w->run_ts,
			       .latency = w->run_ts - w->ts,
			       .cpu = w->cpu >= 0 ? sched_pass_cpu(c->pass, (unsigned int)w->cpu) :
						    -1,
			       .pid = sched_rules_task(rules, w->task)->pid,
			       .comm = sched_pass_comm_at(c->pass, w->task, w->comm),
			       .doubtful = w->doubtful,
			       .waker_pid = w->waker_pid,
			       .clock = c->clock };
	if (!table_command_wants(c, p->row.pid, p->row.comm))
		return NULL;
	p->row.waker_comm = sched_pass_comm_at(c->pass, w->waker, w->waker_comm);
	if (p->wakers->contexts[i]) {
		text_clear(&p->context);
		sched_interrupts_text(c->trace, 0, c->pass, p->wakers->interrupts.names,
				      p->wakers->contexts[i], &p->context);
		p->row.context = text_str(&p->context);
	}
	return &p->row;
}

static int print(struct table_command *c, struct wakers *wakers, struct ft_error *err)
{
	struct printed_wakeups p = { .c = c, .wakers = wakers };
	int ret = table_command_print(c, &wakeup_columns,
				      sched_rules_nr_wakes(sched_pass_rules(c->pass)), row_at, &p,
				      err);

	text_fini(&p.context);
	return ret;
}

/* Something matches, but no wake-up does. */
static void tell_none(const struct table_command *c)
{
	if (!c->has_rows && c->keep && sched_keep_any(c->keep) && !c->given.nr_tasks &&
	    !c->given.cpus && !c->has_from && !c->has_to)
		warnings_tell("no wake-up matches");
}

int cmd_wakeups(const struct command_file *file, struct ft_error *err)
{
	struct name_table *names = name_table_new();
	struct wakers wakers = { .interrupts.names = names };
	const struct sched_listener listener = {
		.other = on_other, .cpu = on_cpu, .wake = on_wake, .arg = &wakers
	};
	struct sched_pass_options options = { .keep_wakes = true, .interrupts = true,
					      .names = names, .listener = &listener,
					      .begun = on_begun };
	struct table_command command;
	int ret = table_command_init(&command, file, err);

	if (!ret)
		ret = table_command_run(&command, options, err);
	if (!ret)
		ret = print(&command, &wakers, err);
	if (!ret) {
		table_command_tell(&command);
		tell_none(&command);
	}
	table_command_fini(&command);
	free(wakers.contexts);
	sched_interrupts_fini(&wakers.interrupts);
	name_table_free(names);
	return ret;
}
