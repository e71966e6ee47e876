/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/export/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/export/perfetto_private.h"
#include "src/export/proto.h"
#include "src/trace/trace_marker.h"

#define BUNDLE_BYTES	(64u << 10)	/* bytes from which on a bundle is full */
#define FIRST_DESCRIBED	65536u		/* numbers from here on are for described events */

/* --- events ----------------------------------------------------------------------------------- */

static void add_event(struct perfetto *p, struct ftrace_plan *plan, const struct trace_event *event)
{
	if (p->chrome)
		return;
	p->cpu = event->cpu;
	ftrace_plan_event(p, plan, event);
	if (p->bundle.len >= BUNDLE_BYTES)
		packet_bundle(p);
}

static uint64_t number_field(const struct trace_event *event, const char *name)
{
	const struct event_field *f = event_type_field(event->type, name);

	return f ? field_u64(f, event->data, event->size, event->swap) : 0;
}

static void add_instant(struct perfetto *p, const struct trace_event *event, const void *s,
			size_t len)
{
	uint64_t track = packet_thread(p, event->pid, event->cpu, 0);

	while (len && ((const char *)s)[len - 1] == '\n')
		len--;
	packet_named(p, INSTANT, event->ts, track, s, len);
}

static void add_text(struct perfetto *p, struct ftrace_plan *plan, const struct trace_event *event)
{
	struct text line = { 0 };

	(void)plan;
	trace_event_text(p->trace, event, NULL, TRACE_TEXT_KERNEL, &line);
	add_instant(p, event, text_str(&line), line.len);
	text_fini(&line);
}

static void add_function(struct perfetto *p, struct ftrace_plan *plan,
			 const struct trace_event *event)
{
	(void)plan;
	packet_slice(p, INSTANT, event->ts, packet_thread(p, event->pid, event->cpu, 0),
		     number_field(event, "ip"), number_field(event, "parent_ip"));
}

/* trace_processor makes slices and counters of what is in atrace's form. */
static void add_print(struct perfetto *p, struct ftrace_plan *plan, const struct trace_event *event)
{
	const struct event_field *f = event_type_field(event->type, "buf");
	struct field_span s = { 0 };
	struct trace_marker marker;

	if (f)
		s = field_bytes(f, event->data, event->size, event->swap);
	if (trace_marker_read(f, event->data, event->size, &marker))
		add_event(p, plan, event);
	else
		add_instant(p, event, s.data, s.len);
}

static struct ftrace_plan *plan_of(struct perfetto *p, const struct event_type *type)
{
	static const struct {
		const char	*name;
		void		(*add)(struct perfetto *p, struct ftrace_plan *plan,
				       const struct trace_event *event);
	} others[] = { { "funcgraph_entry", NULL },	/* parts of calls */
		       { "funcgraph_exit", NULL },
		       { "fgraph_retaddr_entry", NULL },
		       { "function", add_function },
		       { "print", add_print },
		       { "bprint", add_text },
		       { "bputs", add_text } };
	struct ftrace_plan *plan = &p->plans[(uint16_t)type->id];

	if (plan->type)
		return plan;
	ftrace_plan_init(p, plan, type, FIRST_DESCRIBED + p->nr_described);
	p->nr_described += !plan->is_described;
	plan->add = add_event;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(type->system, "ftrace") && !strcmp(type->name, others[i].name))
			plan->add = others[i].add;
	return plan;
}

/* A gap: a slice of its CPU, and the next bundle says so, too. */
static void add_gap(struct perfetto *p, const struct trace_event *event)
{
	uint64_t track;
	char name[48];

	packet_bundle(p);
	p->lost = true;
	p->totals.damaged += event->kind == TRACE_ROW_DAMAGE;
	if (event->kind != TRACE_ROW_LOST)
		return;
	mem_grow(&p->gaps, p->nr_gaps, &p->cap_gaps);
	p->gaps[p->nr_gaps++] = (struct perfetto_gap){ event->stream,
					      event->gap_is_start ? INT64_MIN : event->gap_from,
					      event->lost_known ? event->lost_count : 0 };
	if (event->gap_is_start || !time_range_has(&p->what.range, event->gap_to))
		return;
	if (event->lost_known)
		snprintf(name, sizeof(name), "%" PRIu64 " event%s lost", event->lost_count,
			 PLURAL(event->lost_count));
	else
		snprintf(name, sizeof(name), "events %s",
			 trace_lost_words(p->trace, (int)event->file));
	track = packet_stream(p, event->stream);
	packet_named(p, SLICE_BEGIN, event->gap_from, track, name, strlen(name));
	packet_named(p, SLICE_END, event->gap_to, track, name, strlen(name));
}

static void see_row(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct perfetto *p = arg;
	struct ftrace_plan *plan;

	if (!event) {
		packet_bundle(p);
		p->lost = false;
		return;
	}
	if (p->failed || p->out.closed)
		return;
	if (event->kind != TRACE_ROW_EVENT) {
		add_gap(p, event);
		return;
	}
	plan = event->type ? plan_of(p, event->type) : NULL;
	if ((plan && !plan->add) || !event_sweep_wants(sweep, event))
		return;
	p->totals.events += plan != NULL;
	p->totals.unknown += !plan;
	if (plan)
		plan->add(p, plan, event);
}

/* --- the main thread -------------------------------------------------------------------------- */

/* Where there are any, one is soon found; without their formats there are none. */
static bool has_raw_syscalls(struct trace *trace, const struct event_sweep_options *what)
{
	struct event_types *types = trace_event_types(trace, what->file);
	const struct event_type *enter = event_types_by_name(types, "raw_syscalls", "sys_enter"),
				*exit = event_types_by_name(types, "raw_syscalls", "sys_exit");
	struct trace_cursor *cursor = enter || exit ? trace_cursor_new(trace) : NULL;
	struct trace_event event;
	bool has = false;

	if (!cursor)
		return false;
	trace_cursor_seek_time(cursor, what->range.set ? what->range.from : INT64_MIN);
	while (!has && trace_cursor_next(cursor, &event) &&
	       !(what->range.set && trace_row_time(trace, &event) > what->range.to))
		has = trace_is_event(&event) && event.file == what->file && event.type &&
		      (event.type == enter || event.type == exit);
	trace_cursor_free(cursor);
	return has;
}

struct perfetto *perfetto_new(struct trace *trace, const struct event_sweep_options *what,
			      bool chrome, int fd)
{
	struct perfetto *p = mem_alloc(sizeof(*p));

	*p = (struct perfetto){ .trace = trace, .what = *what, .chrome = chrome };
	output_init(&p->out, fd);
	perfetto_types_init(&p->known);
	p->plans = mem_array(UINT16_MAX + 1ul, sizeof(*p->plans));
	p->what.only_range = true;
	p->raw_syscalls = has_raw_syscalls(trace, what);
	trace_printer(trace, what->file);	/* the workers need it for names and texts */
	trace_record_text(trace, what->file);
	packets_first(p);
	p->sweep = event_sweep_new(trace, &p->what, see_row, p);
	return p;
}

bool perfetto_step(struct perfetto *p)
{
	if (!event_sweep_is_done(p->sweep))
		return true;
	if (!p->calls_begun) {
		p->calls_begun = true;
		packet_bundle(p);
		perfetto_calls_start(p);
	}
	return (p->job && call_job_permille(p->job) < 1000) || perfetto_gaps_step(p);
}

void perfetto_wait(struct perfetto *p)
{
	event_sweep_wait(p->sweep);
	perfetto_step(p);
	call_job_wait(p->job);
	perfetto_step(p);
	sched_job_wait(&p->absent.job);
}

int perfetto_end(struct perfetto *p, struct perfetto_totals *totals, struct ft_error *err)
{
	int ret;

	if (!p)
		return 0;
	event_sweep_free(p->sweep);
	call_job_free(p->job);
	perfetto_gaps_end(p);
	packets_last(p);
	p->totals.bytes = p->out.written + p->out.block.len;
	if (output_end(&p->out, p->failed ? NULL : &p->err))
		p->failed = true;
	for (unsigned int i = 0; i <= UINT16_MAX; i++)
		free(p->plans[i].steps);
	free(p->plans);
	perfetto_types_fini(&p->known);
	graph_types_free(p->types);
	call_text_free(p->text);
	free(p->slices);
	for (unsigned int i = 0; i < NR_PACKET_NAMES; i++)
		number_set_fini(&p->names[i]);
	number_set_fini(&p->tracks);
	text_fini(&p->bundle);
	free(p->gaps);
	text_fini(&p->descriptions);
	text_fini(&p->name);
	if (totals)
		*totals = p->totals;
	if (p->failed)
		*err = p->err;
	ret = p->failed ? -1 : 0;
	free(p);
	return ret;
}
