/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_anatomy - what kept a waiting task from the CPU on which it then ran: the wait under the
 * cursor as a bar of what that CPU did, and the sums below it.
 */
#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"

#define MOST_PARTS	20000u		/* of an instance: more would take too long */

struct bar {
	struct canvas	*canvas;
	int		 row, cells, cpu;
	int64_t		 from, length;	/* length > 0 */
	struct culprits	 sums;
};

bool latency_has_anatomy(const struct view *v)
{
	return (v->kind == LATENCY_WAKEUP || v->kind == LATENCY_PREEMPTED) &&
	       v->by != LATENCY_OPENS && latency_shown(v) == LATENCY_TABLE_INSTANCES;
}

static int cell_of(const struct bar *bar, int64_t ts)
{
	return (int)((double)time_between(bar->from, ts) / (double)bar->length * bar->cells + 0.5);
}

/* A part that is too short for a cell is in the sums alone. */
static void draw_part(const struct view *v, struct bar *bar, const struct cpu_part *part)
{
	static const char *const glyphs[] = {
		[CPU_PART_UNKNOWN] = " ", [CPU_PART_LOST] = "░",      [CPU_PART_IDLE] = "·",
		[CPU_PART_TASK] = "█",	  [CPU_PART_INTERRUPT] = "▀",
	};
	static const enum role roles[] = {
		[CPU_PART_UNKNOWN] = ROLE_DIM, [CPU_PART_LOST] = ROLE_LOST,
		[CPU_PART_IDLE] = ROLE_IDLE,   [CPU_PART_INTERRUPT] = ROLE_IRQ,
	};
	int at = cell_of(bar, part->from), cells = cell_of(bar, part->to) - at;
	struct text name = { 0 };
	enum role role;

	if (cells <= 0)
		return;
	latency_culprit_name(v, part, &name);
	role = part->kind == CPU_PART_TASK ? row_hash_role(text_str(&name)) : roles[part->kind];
	canvas_fill(bar->canvas, bar->row, 1 + at, cells, role, glyphs[part->kind]);
	if (canvas_width(text_str(&name), name.len) + 2 <= cells)
		canvas_text(bar->canvas, bar->row, 1 + at, cells, role, text_str(&name));
	text_fini(&name);
}

/* "CPU 0 meanwhile: sh-78 9.540 ms  softirq TIMER 120.0 µs", the largest first. */
static void draw_sums(const struct view *v, struct bar *bar)
{
	struct text t = { 0 };

	text_printf(&t, "CPU %d meanwhile: ", bar->cpu);
	culprits_sort(&bar->sums);
	for (uint32_t i = 0; i < bar->sums.nr; i++) {
		struct cpu_part part = culprits_longest(&bar->sums.list[i]);

		latency_culprit_name(v, &part, &t);
		text_char(&t, ' ');
		shared_span(v->shared, bar->sums.list[i].total, &t);
		text_add(&t, "  ");
	}
	canvas_fit(bar->canvas, bar->row + 1, 1, bar->cells, ROLE_TEXT, text_str(&t));
	text_fini(&t);
}

static void draw_parts(const struct view *v, struct bar *bar, const struct latency_instance *i)
{
	struct cpu_parts parts;
	struct cpu_part part;
	unsigned int nr = 0;

	if (!cpu_parts_begin_at(&parts, v->sched, i->to, i->start, i->end))
		return;
	while (nr++ < MOST_PARTS && cpu_parts_next(&parts, &part)) {
		draw_part(v, bar, &part);
		culprits_add(&bar->sums, &part);
	}
	if (nr <= MOST_PARTS)
		draw_sums(v, bar);
	else
		canvas_text(bar->canvas, bar->row + 1, 1, bar->cells, ROLE_DIM,
			    "too many parts: ftop-trace latency --anatomy lists them");
	culprits_fini(&bar->sums);
}

void latency_draw_anatomy(struct view *v, struct canvas *canvas, int row)
{
	const struct latency_instance *i = latency_here(v);
	struct bar bar = { .canvas = canvas, .row = row, .cells = canvas->cols - 2 };
	struct sched_progress progress;
	struct text t = { 0 };

	if (!i || i->end <= i->start)
		return;
	progress = latency_sched(v);
	if (!progress.done && progress.known <= i->end) {
		text_printf(&t, "looking for what the CPU did meanwhile: %u %%",
			    progress.permille / 10);
		canvas_text(canvas, row, 1, bar.cells, ROLE_DIM, text_str(&t));
		text_fini(&t);
		return;
	}
	bar.from = i->start;
	bar.length = time_between(i->start, i->end);
	bar.cpu = shared_place(v->shared, i->to).cpu;
	sched_lock(v->sched);
	draw_parts(v, &bar, i);
	sched_unlock(v->sched);
}
