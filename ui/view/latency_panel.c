/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/latency_panel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/trace/trace_latency.h"

#define MOST_ROWS	4
#define OTHER_ROWS	6		/* for what is below it; without these it has one row */

struct panel {
	struct canvas	*canvas;
	int		 row, col;
};

/* A word and its value; nothing if there is no value. */
static __attribute__((format(printf, 3, 4))) void item(struct panel *p, const char *word,
						       const char *fmt, ...)
{
	struct canvas *canvas = p->canvas;
	struct text t = { 0 };
	char value[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (!*value)
		return;
	text_printable(&t, value, strlen(value));
	p->col += canvas_fit(canvas, p->row, p->col, canvas->cols - p->col, ROLE_DIM, word);
	p->col += *word != '\0';
	p->col += canvas_fit(canvas, p->row, p->col, canvas->cols - p->col, ROLE_TEXT,
			     text_str(&t)) +
		  2;
	text_fini(&t);
}

static void next_row(struct panel *p)
{
	p->row++;
	p->col = 1;
}

static void draw_measured(struct panel *p, const struct text_trace_header *h)
{
	item(p, "", "%.*s", (int)h->tracer.len, h->tracer.s);
	item(p, "latency", "%" PRId64 " µs", h->latency_ns / 1000);
	item(p, "CPU", "%" PRId64 " of %" PRId64, h->cpu, h->nr_cpus);
	item(p, "entries", "%" PRId64 " of %" PRId64, h->shown, h->written);
	item(p, "model", "%.*s", (int)h->preemption.len, h->preemption.s);
}

static void draw_task(struct panel *p, const struct text_trace_header *h)
{
	item(p, "task", "%.*s-%d", (int)h->comm.len, h->comm.s, h->pid);
	item(p, "uid", "%" PRId64, h->uid);
	item(p, "nice", "%" PRId64, h->nice);
	item(p, "policy", "%s", trace_latency_policy(h->policy));
	item(p, "priority", "%" PRId64, h->rt_prio);
}

/* "4 µs before A": an end of the latency, by the event of the section that is nearest to it. */
static void add_end(const struct shared *shared, int64_t ns, const char *side, char letter,
		    trace_ref ref, struct text *out)
{
	const struct place *mark = places_get(&shared->at.places, letter);
	struct trace_event event;

	if (ns)
		text_printf(out, "%" PRId64 " µs %s ", ns / 1000, side);
	if (mark && mark->ref == ref)
		text_char(out, letter - 'a' + 'A');
	else if (trace_event_at(shared->trace, ref, &event))
		shared_time(shared, event.ts, 6, out);
}

static void draw_section(struct panel *p, const struct shared *shared,
			 const struct trace_latency *latency)
{
	struct text_slice kernel = latency->header->kernel;
	bool whole = trace_latency_is_whole(latency);	/* the rest is rounding */
	struct text t = { 0 };

	item(p, "kernel", "%.*s", (int)kernel.len, kernel.s);
	if (latency->first == TRACE_REF_NONE)
		return;
	text_add(&t, "from ");
	add_end(shared, whole ? 0 : latency->before_ns, "before", 'a', latency->first, &t);
	text_add(&t, " to ");
	add_end(shared, whole ? 0 : latency->after_ns, "after", 'b', latency->last, &t);
	item(p, "latency", "%s", text_str(&t));
	text_fini(&t);
}

int latency_panel_rows(const struct shared *shared, int rows)
{
	const struct text_trace_header *h = trace_text_header(shared->trace);
	int most = h && h->started_at.len ? MOST_ROWS : MOST_ROWS - 1;

	if (!h || !h->has_latency || rows < OTHER_ROWS)
		return 0;
	return rows - OTHER_ROWS < most ? 1 : most;
}

void latency_panel_draw(const struct shared *shared, struct canvas *canvas, int top, int rows)
{
	const struct text_trace_header *h = trace_text_header(shared->trace);
	struct panel p = { canvas, top, 1 };
	struct trace_latency latency;

	if (rows < 1 || !trace_latency(shared->trace, &latency))
		return;
	draw_measured(&p, h);
	if (rows < 2)
		return;
	next_row(&p);
	draw_task(&p, h);
	next_row(&p);
	if (h->started_at.len) {
		item(&p, "started at", "%.*s", (int)h->started_at.len, h->started_at.s);
		item(&p, "ended at", "%.*s", (int)h->ended_at.len, h->ended_at.s);
		next_row(&p);
	}
	draw_section(&p, shared, &latency);
}
