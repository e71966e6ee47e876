/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_draw_run - the progress of a recording: bytes written, fill of the buffers, losses. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/memory.h"
#include "src/base/output_names.h"
#include "src/recording/recording_words.h"
#include "ui/record/record_private.h"

#define CPU_CELLS	39		/* "CPU  12 ▇▇▇▁▁▁▁▁  31 % lost 1 012 044" */
#define BAR_CELLS	8

/* Does ls show a size far beyond the disk blocks of the file that is being written? */
static bool has_holes(const struct record_ui *record)
{
	struct text part = { 0 };
	struct stat st;
	bool holes;

	output_name_add(OUTPUT_PART, text_str(&record->target), 0, &part);
	holes = !stat(text_str(&part), &st) && st.st_size / 1024 > st.st_blocks;
	text_fini(&part);
	return holes;
}

static const char *phase_words(const struct record_ui *record)
{
	switch (record->progress.phase) {
	case RECORD_PREPARES:
		return "getting ready…";
	case RECORD_RUNS:
		if (record->stopping)
			return "stopping…";
		return has_holes(record) ? ".part has holes: du shows its size, ls does not" : "";
	case RECORD_STOPS:
		return "stopped: completing the file…";
	case RECORD_ENDED:
		return "ended";
	}
	return "";
}

static void add_rate(const struct record_progress *p, struct text *t)
{
	if (!p->bytes && !p->events)	/* the first report has not come */
		return;
	text_add(t, "  ");
	recording_size(p->bytes, t);
	text_add(t, "  ");
	text_count(t, p->events);
	text_add(t, " events  ");
	text_count(t, p->events_per_s);
	text_add(t, "/s");
}

static void draw_top(const struct record_ui *record, struct canvas *canvas)
{
	const struct record_progress *p = &record->progress;
	struct text t = { 0 };
	int col = 1;

	record_clock(record, &t);
	col += canvas_text(canvas, 0, col, 30, ROLE_HEADER_WARN, text_str(&t));
	text_clear(&t);
	add_rate(p, &t);
	col += canvas_text(canvas, 0, col, canvas->cols - col, ROLE_HEADER, text_str(&t));
	text_clear(&t);
	text_printable(&t, text_str(&record->target), record->target.len);
	if (col + 3 + canvas_width(text_str(&t), t.len) < canvas->cols)
		canvas_right(canvas, 0, col + 2, canvas->cols - col - 3, ROLE_DIM, text_str(&t));
	text_clear(&t);
	text_add(&t, "lost ");
	text_count(&t, p->lost);
	if (p->needs_kb)
		text_printf(&t, ": -b %" PRIu64 "M would hold them", p->needs_kb >> 10);
	col = 1 + canvas_text(canvas, 1, 1, canvas->cols - 2,
			      p->lost ? ROLE_HEADER_WARN : ROLE_TEXT, text_str(&t));
	canvas_fit(canvas, 1, col + 3, canvas->cols - col - 4, ROLE_PROMPT_HINT,
		   phase_words(record));
	if (p->phase == RECORD_STOPS && p->to_pack_bytes) {
		text_clear(&t);
		text_printf(&t, "compressing: %" PRIu64 " %%",
			    p->packed_bytes * 100 / p->to_pack_bytes);
		canvas_fill(canvas, 1, col + 3, canvas->cols - col - 3, ROLE_TEXT, " ");
		canvas_fit(canvas, 1, col + 3, canvas->cols - col - 4, ROLE_PROMPT_HINT,
			   text_str(&t));
	}
	text_fini(&t);
}

static void draw_cpu(struct canvas *canvas, int row, int col, const struct record_cpu *cpu)
{
	uint64_t full = cpu->fill_percent > 100 ? 100 : cpu->fill_percent;
	struct text t = { 0 };

	text_printf(&t, "CPU %3" PRIu64 " ", cpu->cpu);
	for (uint64_t i = 0; i < BAR_CELLS; i++)
		text_add(&t, i < (full * BAR_CELLS + 99) / 100 ? "▇" : "▁");
	text_printf(&t, " %3" PRIu64 " %% lost ", cpu->fill_percent);
	text_count(&t, cpu->lost);
	canvas_fit(canvas, row, col, CPU_CELLS - 1, cpu->lost ? ROLE_HEADER_WARN : ROLE_TEXT,
		   text_str(&t));
	text_fini(&t);
}

static int by_trouble(const void *a, const void *b)
{
	const struct record_cpu *x = a, *y = b;

	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x->fill_percent != y->fill_percent)
		return x->fill_percent > y->fill_percent ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/*
 * Draws all CPUs if they fit; else those with most losses and the fullest buffers. Returns the
 * number of rows drawn.
 */
static int draw_cpus(const struct record_progress *p, struct canvas *canvas, int top, int height)
{
	int columns = (canvas->cols - 1) / CPU_CELLS, rows;
	unsigned int nr = p->nr_cpus, room;
	struct record_cpu *cpus;
	struct text t = { 0 };

	columns = columns > 0 ? columns : 1;
	rows = (int)((nr + (unsigned int)columns - 1) / (unsigned int)columns);
	if (!nr || height <= 1)
		return 0;
	cpus = mem_array(nr, sizeof(*cpus));
	memcpy(cpus, p->cpus, nr * sizeof(*cpus));
	if (rows > height) {
		rows = height;
		room = (unsigned int)((rows - 1) * columns);
		qsort(cpus, nr, sizeof(*cpus), by_trouble);
		text_printf(&t, "and %u more CPUs, less full than these", nr - room);
		canvas_fit(canvas, top + rows - 1, 1, canvas->cols - 2, ROLE_DIM, text_str(&t));
		nr = room;
		for (unsigned int i = 0; i < nr; i++)
			draw_cpu(canvas, top + (int)i % (rows - 1),
				 1 + (int)i / (rows - 1) * CPU_CELLS, &cpus[i]);
	} else {
		for (unsigned int i = 0; i < nr; i++)
			draw_cpu(canvas, top + (int)i % rows, 1 + (int)i / rows * CPU_CELLS,
				 &cpus[i]);
	}
	free(cpus);
	text_fini(&t);
	return rows;
}

/* The last lines that the command and the recorder printed. */
static void draw_output(const struct record_ui *record, struct canvas *canvas, int top, int height)
{
	const char *all = text_str(&record->output), *from = all + record->output.len;
	int nr = 0;

	if (from > all && from[-1] == '\n')
		from--;
	while (from > all && !(from[-1] == '\n' && ++nr >= height))
		from--;
	for (int i = 0; i < height && *from; i++) {
		struct text line = { 0 };
		size_t len = strcspn(from, "\n");

		text_bytes(&line, from, len);
		canvas_fit(canvas, top + i, 1, canvas->cols - 2, ROLE_TEXT, text_str(&line));
		text_fini(&line);
		from += len + (from[len] == '\n');
	}
}

void record_draw_run(struct record_ui *record)
{
	struct canvas *canvas = record->host->canvas;
	int bottom = canvas->rows - 2, top = 3, rows;
	struct text same = { 0 };

	draw_top(record, canvas);
	canvas_fill(canvas, 2, 0, canvas->cols, ROLE_DIVIDER, "─");
	canvas_text(canvas, 2, 2, canvas->cols - 4, ROLE_DIVIDER, "ring buffers: % full");
	rows = draw_cpus(&record->progress, canvas, top, (bottom - top) * 3 / 4);
	top += rows;
	canvas_fill(canvas, top, 0, canvas->cols, ROLE_DIVIDER, "─");
	canvas_text(canvas, top, 2, canvas->cols - 4, ROLE_DIVIDER, "output");
	if (record->output.len)
		draw_output(record, canvas, top + 1, bottom - top - 1);
	text_printf(&same, "same as:  %s", text_str(&record->command));
	canvas_fit(canvas, bottom, 1, canvas->cols - 2, ROLE_STRING, text_str(&same));
	text_fini(&same);
}
