/* SPDX-License-Identifier: GPL-2.0-or-later */
/* now_held - the line of Now that says what held tasks up most in the window. */
#include <inttypes.h>
#include <string.h>

#include "ui/tasks/view_tasks.h"

#define LEAST_PART	0.001		/* of the window, to be worth a word */
#define LEAST_BUSY	0.05		/* of a CPU, in interrupts */

enum { HELD_WAITED, HELD_BLOCKED, HELD_SOFTIRQS, HELD_IRQS, NR_HELD };

struct held_up {				/* who was held up most in one way */
	double		part;		/* of the window; 0: nobody */
	uint32_t	row;		/* in tasks, or in cpus */
	bool		guessed;	/* a part of it is doubtful */
};

static int64_t time_of(const struct sched_task *t, unsigned int how)
{
	return how == HELD_WAITED ? t->wait : t->blocked;
}

/* A thread of the kernel may block as long as it has nothing to do; the recorder is no answer. */
static bool is_asked(const struct view *v, uint32_t row, unsigned int how)
{
	const struct sched_task *t = &v->now.figures.tasks[row];
	int64_t from, to;
	struct who who;

	return !trace_is_recorder(v->shared->trace, v->file, (int)t->pid, t->to,
				  tasks_comm(v, row)) &&
	       !(how == HELD_BLOCKED &&
		 trace_who(v->shared->trace, v->file, (int)t->pid, t->to - 1, &who, &from, &to) &&
		 who.is_kernel);
}

static void find_task(const struct view *v, unsigned int how, struct held_up *most)
{
	const struct task_figures *f = &v->now.figures;
	int64_t longest = 0;

	for (uint32_t i = f->nr_groups; i < f->nr_tasks; i++) {
		const struct sched_task *t = &f->tasks[i];
		int64_t time = time_of(t, how);

		if (time <= longest || !is_asked(v, i, how))
			continue;
		longest = time;
		*most = (struct held_up){ .part = (double)time / (double)v->now.span, .row = i,
				       .guessed = how == HELD_WAITED ? t->doubtful_wait :
								       t->doubtful_blocked };
	}
}

static void find_cpu(const struct view *v, unsigned int how, struct held_up *most)
{
	const struct task_figures *f = &v->now.figures;

	for (unsigned int i = f->nr_cpu_groups; i < f->nr_cpus; i++) {
		const struct cpu_sums *c = &f->cpus[i];
		double part = (double)(how == HELD_IRQS ? c->irq : c->softirq) /
			      (double)v->now.span;

		if (part >= LEAST_BUSY && part > most->part)
			*most = (struct held_up){ .part = part, .row = i };
	}
}

static void add_held(const struct view *v, unsigned int how, const struct held_up *held,
		     struct text *out)
{
	static const char *const words[] = { "waiting", "blocked (D)", "in softirqs",
					     "in interrupts" };
	const char *comm;

	if (how < HELD_SOFTIRQS) {
		comm = tasks_comm(v, held->row);
		text_printable(out, comm, strlen(comm));
		text_printf(out, "-%" PRIu32, v->now.figures.tasks[held->row].pid);
	} else {
		text_printf(out, "CPU %d", v->now.figures.cpus[held->row].cpu);
	}
	text_printf(out, " %s %s", words[how], held->guessed ? "~" : "");
	table_share(held->part, 1, out);
	text_add(out, " %");
}

/* "Most held up: app-7 blocked (D) 91.1 %; CPU 0 in softirqs 10.0 %; web-8 waiting 1.7 %" */
void now_add_held(const struct view *v, struct text *out)
{
	struct held_up most[NR_HELD] = { 0 };
	const char *before = "Most held up: ";

	if (!v->now.figures.done || v->now.span <= 0 || v->scope.of.nr_filters)
		return;
	for (unsigned int how = 0; how < NR_HELD; how++)
		(how < HELD_SOFTIRQS ? find_task : find_cpu)(v, how, &most[how]);
	for (unsigned int nr = 0; nr < NR_HELD; nr++) {
		unsigned int next = 0;

		for (unsigned int how = 1; how < NR_HELD; how++)
			next = most[how].part > most[next].part ? how : next;
		if (most[next].part < LEAST_PART)
			break;
		text_add(out, before);
		add_held(v, next, &most[next], out);
		before = "; ";
		most[next].part = 0;
	}
}
