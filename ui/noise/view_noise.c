/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_noise - what the tracers timerlat, osnoise and hwlat measured: CPUs, worst samples,
 * histograms, and where the latency of one sample went.
 */
#include "ui/noise/view_noise.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/rows/call_scope.h"
#include "ui/rows/matching.h"

#define NEXT_FILE	'n'

static const struct view_list all_lists[] = {
	{ 'c', "CPUs" }, { 's', "samples" }, { 'h', "histogram" }, { 'a', "analysis" },
	{ 't', "timerlat" }, { 'o', "osnoise" }, { 'w', "hwlat" }, { NEXT_FILE, "next file" },
	{ 0, NULL }
};

/* --- its life ------------------------------------------------------------------------ */

static void forget_analysis(struct view *v)
{
	noise_analysis_fini(&v->analysis);
	free(v->rows.parts);
	v->rows.parts = NULL;
	v->rows.nr_parts = v->rows.cap_parts = 0;
	v->entered = false;
	if (v->list == NOISE_ANALYSIS)
		v->list = NOISE_SAMPLES;
}

static void drop(struct view *v)
{
	forget_analysis(v);
	v->rows.result = NULL;
	noise_free(v->noise);
	v->noise = NULL;
	call_scope_drop(&v->scope);
}

static void forget(struct view *v)
{
	drop(v);
	table_fini(&v->table);
	table_home(&v->table);
	text_clear(&v->key);
	v->chosen = false;
}

static struct view *noise_open(const struct view_host *host, struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->host = host;
	v->shared = shared;
	noise_tables_init(v);
	return v;
}

static void noise_close(struct view *v)
{
	forget(v);
	text_fini(&v->key);
	free(v);
}

static void noise_retrace(struct view *v)
{
	forget(v);
	v->file = v->cursor_file = 0;
}

/* Begin again if filters or range have changed; take the result when it is there. */
static void measure(struct view *v)
{
	const struct range *range = &v->shared->places.range;
	bool had;

	if (!v->shared->trace)
		return;
	if (call_scope_changed(v->shared, &v->key)) {
		drop(v);
		call_scope_take(&v->scope, v->shared, true);
	}
	if (!v->noise && matching_is_ready(&v->scope, v->shared->trace))
		v->noise = noise_new(v->shared->trace, &(struct event_sweep_options){
			.file = v->file, .range = { range->set, range->from, range->to },
			.filters = v->scope.filters, .nr_filters = v->scope.nr_filters });
	had = v->rows.result;
	if (v->noise)
		v->rows.result = noise_result(v->noise);
	if (!v->rows.result || had)
		return;
	for (unsigned int t = 0; !v->chosen && t < NOISE_TRACERS; t++)
		if (!v->rows.result->nr[v->rows.tracer] && v->rows.result->nr[t])
			v->rows.tracer = (enum noise_tracer)t;
	noise_tables_choose(v);
}

static void draw(struct view *v, const struct view_area *area)
{
	measure(v);
	noise_draw(v, area);
}

static bool progressed(struct view *v)
{
	measure(v);
	return true;
}

static bool waits(struct view *v)
{
	return !v->rows.result;
}

static void show_file(struct view *v, unsigned int file)
{
	forget(v);
	v->file = file;
	measure(v);
}

/* A row is not a moment, but where the cursor moved to another file, that is read. */
static bool noise_go(struct view *v, const struct place *place)
{
	if (shared_file_moved(v->shared, place, &v->cursor_file) && v->cursor_file != v->file)
		show_file(v, v->cursor_file);
	return false;
}

/* --- lists ----------------------------------------------------------------------------- */

/* By its place in all_lists[]. */
static bool has_list(const struct view *v, unsigned int i)
{
	if (all_lists[i].letter == NEXT_FILE)
		return v->shared->trace && trace_nr_files(v->shared->trace) > 1;
	if (i >= NOISE_LISTS)
		return v->rows.result && v->rows.result->nr[i - NOISE_LISTS];
	return i != NOISE_ANALYSIS || v->rows.nr_parts;
}

static const struct view_list *noise_lists(struct view *v)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; all_lists[i].letter; i++)
		if (has_list(v, i) && i != NOISE_LISTS + v->rows.tracer)
			v->lists[nr++] = all_lists[i];
	v->lists[nr] = (struct view_list){ 0, NULL };
	return v->lists;
}

static char noise_list(struct view *v)
{
	return all_lists[v->list].letter;
}

static void show_list(struct view *v, enum noise_list list)
{
	v->list = list;
	v->entered = false;
	table_home(&v->table);
	noise_tables_choose(v);
}

static bool choose_list(struct view *v, char letter)
{
	unsigned int i = 0;

	measure(v);
	while (all_lists[i].letter && all_lists[i].letter != letter)
		i++;
	if (!all_lists[i].letter || !has_list(v, i))
		return false;
	if (letter == NEXT_FILE) {
		show_file(v, (v->file + 1) % trace_nr_files(v->shared->trace));
	} else if (i >= NOISE_LISTS) {
		forget_analysis(v);
		v->rows.tracer = (enum noise_tracer)(i - NOISE_LISTS);
		v->chosen = true;
		show_list(v, NOISE_CPUS);
	} else if (i != v->list) {
		show_list(v, (enum noise_list)i);
	}
	return true;
}

static uint32_t row_here(const struct view *v)
{
	return table_row(&v->table, v->table.window.at);
}

/* --- Enter ------------------------------------------------------------------------------ */

/* The latency of a sample ends with its last record. */
static struct place edge(const struct view *v, const struct noise_sample *s, bool end)
{
	struct place place = shared_place(v->shared, s->ref);
	uint64_t ns = s->worst;

	if (v->rows.tracer == NOISE_OSNOISE && s->known[NOISE_RUNTIME])
		ns = s->ns[NOISE_RUNTIME];
	if (end && place.set)
		return place;
	return (struct place){ .set = true, .ref = TRACE_REF_NONE, .file = v->file, .pid = -1,
			       .cpu = s->cpu, .ts = end ? s->ts : time_after(s->ts, -(int64_t)ns) };
}

static bool span(struct view *v, bool end, struct place *place)
{
	const struct noise_sample *s = noise_here(v);

	if (s)
		*place = edge(v, s, end);
	return s;
}

static void enter_sample(struct view *v)
{
	const struct noise_sample *s = noise_here(v);

	v->shared->places.marks[0] = edge(v, s, false);
	v->shared->places.marks[1] = edge(v, s, true);
	if (v->rows.tracer == NOISE_HWLAT) {
		host_enter(v->host, VIEW_EVENTS, edge(v, s, true));
		return;
	}
	forget_analysis(v);
	v->sample = *s;
	noise_analyse(v->shared->trace, v->rows.tracer, s, &v->analysis);
	noise_rows_add(&v->rows, &v->sample, &v->analysis);
	if (!v->analysis.any) {
		forget_analysis(v);
		host_message(v->host, "no events of system osnoise belong to this sample; A and B "
				      "are set, 3 shows the Timeline");
		return;
	}
	show_list(v, NOISE_ANALYSIS);
	v->entered = true;
}

/* An event of a part in Events, a part in the Timeline. */
static void enter_part(struct view *v)
{
	const struct noise_item *item = v->rows.parts[row_here(v)].item;
	struct place place = edge(v, &v->sample, false);

	if (item) {
		host_enter(v->host, VIEW_EVENTS, shared_place(v->shared, item->ref));
		return;
	}
	place.to = v->sample.ts;
	host_enter(v->host, VIEW_TIMELINE, place);
}

static bool is_in_bin(const struct view *v, const struct noise_sample *s,
		      const struct noise_bin *bin)
{
	for (unsigned int i = 0; i < (v->rows.tracer == NOISE_HWLAT ? 2 : 3); i++)
		if (s->known[i] && s->ns[i] >= bin->from && s->ns[i] < bin->to)
			return true;
	return false;
}

/* The worst sample of the CPU, or the first one of the bin. */
static void enter_list(struct view *v, uint32_t row)
{
	const struct noise_result *r = v->rows.result;
	enum noise_tracer t = v->rows.tracer;
	bool is_cpu = v->list == NOISE_CPUS;

	show_list(v, NOISE_SAMPLES);
	for (uint32_t i = 0; i < r->nr_samples[t]; i++) {
		const struct noise_sample *s = &r->samples[t][i];

		if (is_cpu ? s->cpu == r->cpus[t][row].cpu : is_in_bin(v, s, &r->bins[t][row])) {
			table_select_key(&v->table, s->ref);
			break;
		}
	}
	v->entered = true;
}

void noise_enter(void *view)
{
	struct view *v = view;
	if (v->list == NOISE_SAMPLES)
		enter_sample(v);
	else if (v->list == NOISE_ANALYSIS)
		enter_part(v);
	else
		enter_list(v, row_here(v));
}

/* Out of the analysis, or of the samples that Enter led to. */
static bool back(struct view *v)
{
	trace_ref ref = v->sample.ref;

	if (!v->entered)
		return false;
	if (v->list != NOISE_ANALYSIS)
		return show_list(v, NOISE_CPUS), true;
	show_list(v, NOISE_SAMPLES);
	table_select_key(&v->table, ref);
	return true;
}

/* --- requests ---------------------------------------------------------------------------- */

static bool noise_request(struct view *v, enum request request, char letter)
{
	const struct noise_sample *s = noise_here(v);
	struct place place = { .set = true, .file = v->file, .pid = -1, .ref = TRACE_REF_NONE };

	if (request == REQ_BACK || request == REQ_PLACE_BACK)
		return back(v);
	if (!noise_has_rows(v))
		return false;
	if (request == REQ_ONLY || request == REQ_WITHOUT) {
		place.cpu = s                     ? s->cpu :
			    v->list == NOISE_CPUS ? noise_cpu_at(v, row_here(v))->cpu :
						    -1;
		if (place.cpu < 0 || !strchr("ixc", letter) ||
		    !host_filter_from(v->host, &place, 'c', request == REQ_WITHOUT))
			host_message(v->host, "here: c the CPU of a row");
		return true;
	}
	return table_request(&v->table, request, letter);
}

/* --- words -------------------------------------------------------------------------------- */

static void command(struct view *v, struct text *out)
{
	static const char *const options[NOISE_LISTS] = { "", " --samples", " --histogram",
							  " --analysis=1" };

	text_printf(out, "noise --tracer=%s%s", noise_tracer_names[v->rows.tracer],
		    options[v->list]);
}

static bool can(struct view *v, enum request request)
{
	return noise_has_rows(v) || request == REQ_HELP || request == REQ_OPTIONS;
}

static const char *record(struct view *v)
{
	return v->rows.result && !noise_has_rows(v) && !v->scope.nr_filters &&
			       !v->shared->places.range.set && v->list == NOISE_CPUS ?
		       "--setup timerlat" :
		       NULL;
}

static const enum request row_requests[] = { REQ_ENTER,     REQ_SORT,        REQ_SIDE_RIGHT,
					     REQ_SIDE_LEFT, REQ_SORT_INVERT, REQ_MARK_A,
					     REQ_MARK_B,    REQ_ONLY,        REQ_COPY,
					     REQ_NONE };

static const enum request bar[] = { REQ_ENTER,  REQ_NEXT_LIST, REQ_SORT, REQ_SEARCH,
				    REQ_FILTER, REQ_RANGE,     REQ_HELP, REQ_DETAIL,
				    REQ_OPTIONS, REQ_NONE };

static const struct view_word words[] = {
	{ REQ_ENTER, "List", "of a CPU or a bin, list the samples, the worst first; of a sample, set "
		"A and B at its beginning and end, and show where its latency went; of a part, show "
		"its event, or the Timeline. q returns" },
	{ REQ_SEARCH, NULL, "find text or /regex/ in the rows" },
	{ REQ_RANGE, "Range", NULL },
	{ REQ_MARK_A, NULL, "set mark A at the beginning of the sample" },
	{ REQ_MARK_B, NULL, "set mark B at its end" },
	{ REQ_NEXT_LIST, "List", "show the CPUs, the samples, the histogram, the analysis of the "
		"sample that was entered; with several tracers or files, then the next one" },
	{ REQ_CHOOSE_LIST, NULL, "choose a list: c CPUs, s samples, h histogram, a analysis; "
		"t timerlat, o osnoise, w hwlat; n the next file" },
	{ REQ_NONE, NULL, NULL },
};

static const char *word(struct view *v, enum request request)
{
	return request == REQ_ENTER && v->list >= NOISE_SAMPLES && v->list != NOISE_HISTOGRAM ?
		       "Show" :
		       NULL;
}

static const struct view_keys view_keys = {
	.hint = "New here: Enter on a CPU, Enter on a sample: where the time went",
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = can,
	.word = word,
};

static struct table *table(struct view *v)
{
	return noise_has_rows(v) ? &v->table : NULL;
}

static bool applies(const struct shared *shared)
{
	return shared->trace && noise_is_in(shared->trace);
}

const struct view_ops view_noise_ops = {
	.open = noise_open,
	.close = noise_close,
	.applies = applies,
	.draw = draw,
	.request = noise_request,
	.go = noise_go,
	.retrace = noise_retrace,
	.keys = &view_keys,
	.detail = &(const struct view_detail){ .say = noise_say },
	.table = table,
	.lists = &(const struct view_lists){
		.all = all_lists, .now = noise_lists, .tabs = true,
		.shown = noise_list, .choose = choose_list,
	},
	.moments = &(const struct view_moments){ .span = span },
	.commands = &(const struct view_commands){
		.whole_trace = true, .command = command, .record = record,
	},
	.work = &(const struct view_work){ .progressed = progressed, .waits = waits },
};
