/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/latency_panel.h"

#include <inttypes.h>
#include <string.h>

#include "src/trace/trace_latency.h"

#define MOST_ROWS	4
#define OTHER_ROWS	6		/* for what is below it; without these it has one row */

struct panel {
	struct canvas	*canvas;
	int		 row, col;
};

/* A word and its value; nothing if there is no value. */
static void item(struct panel *p, const char *word, struct text_slice value)
{
	struct canvas *canvas = p->canvas;
	struct text t = { 0 };

	if (!value.len)
		return;
	text_printable(&t, value.s, value.len);
	p->col += canvas_fit(canvas, p->row, p->col, canvas->cols - p->col, ROLE_DIM, word);
	p->col += *word != '\0';
	p->col += canvas_fit(canvas, p->row, p->col, canvas->cols - p->col, ROLE_TEXT,
			     text_str(&t)) +
		  2;
	text_fini(&t);
}

static void number(struct panel *p, const char *word, int64_t v, const char *unit)
{
	struct text t = { 0 };

	text_printf(&t, "%" PRId64 "%s", v, unit);
	item(p, word, (struct text_slice){ text_str(&t), t.len });
	text_fini(&t);
}

static void numbers(struct panel *p, const char *word, int64_t v, int64_t of)
{
	struct text t = { 0 };

	text_printf(&t, "%" PRId64 " of %" PRId64, v, of);
	item(p, word, (struct text_slice){ text_str(&t), t.len });
	text_fini(&t);
}

static void next_row(struct panel *p)
{
	p->row++;
	p->col = 1;
}

static void draw_measured(struct panel *p, const struct text_trace_header *h)
{
	item(p, "", h->tracer);
	number(p, "latency", h->latency_ns / 1000, " µs");
	numbers(p, "CPU", h->cpu, h->nr_cpus);
	numbers(p, "entries", h->shown, h->written);
	item(p, "model", h->preemption);
}

static void draw_task(struct panel *p, const struct text_trace_header *h)
{
	const char *policy = trace_latency_policy(h->policy);
	struct text t = { 0 };

	text_bytes(&t, h->comm.s, h->comm.len);
	text_printf(&t, "-%d", h->pid);
	item(p, "task", (struct text_slice){ text_str(&t), t.len });
	number(p, "uid", h->uid, "");
	number(p, "nice", h->nice, "");
	item(p, "policy", (struct text_slice){ policy, strlen(policy) });
	number(p, "priority", h->rt_prio, "");
	text_fini(&t);
}

/* "4 µs before A": an end of the latency, by the event of the section that is nearest to it. */
static void add_end(const struct shared *shared, int64_t ns, const char *side, char letter,
		    trace_ref ref, struct text *out)
{
	const struct place *mark = places_get(&shared->places, letter);
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
	bool whole = trace_latency_is_whole(latency);	/* the rest is rounding */
	struct text t = { 0 };

	item(p, "kernel", latency->header->kernel);
	if (latency->first == TRACE_REF_NONE)
		return;
	text_add(&t, "from ");
	add_end(shared, whole ? 0 : latency->before_ns, "before", 'a', latency->first, &t);
	text_add(&t, " to ");
	add_end(shared, whole ? 0 : latency->after_ns, "after", 'b', latency->last, &t);
	item(p, "latency", (struct text_slice){ text_str(&t), t.len });
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
	struct panel p = { canvas, top, 1 };
	struct trace_latency latency;

	if (rows < 1 || !trace_latency(shared->trace, &latency))
		return;
	draw_measured(&p, latency.header);
	if (rows < 2)
		return;
	next_row(&p);
	draw_task(&p, latency.header);
	next_row(&p);
	if (latency.header->started_at.len) {
		item(&p, "started at", latency.header->started_at);
		item(&p, "ended at", latency.header->ended_at);
		next_row(&p);
	}
	draw_section(&p, shared, &latency);
}
