/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/rows/shared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/file_names.h"
#include "src/match/matches.h"
#include "src/sched/task_table.h"
#include "src/trace/time_option.h"

/* All but the filters, whose owner knows when nobody reads them any more. */
static void forget_chosen(struct shared_choice *chosen)
{
	search_pattern_free(chosen->pattern);
	chosen->pattern = NULL;
	chosen->list = (struct list_choice){ .kind = LIST_ALL };
	chosen->threshold = 0;
	chosen->by_wall = false;
}

void shared_use(struct shared *shared, struct trace *trace, bool again)
{
	unsigned int nr = trace ? trace_nr_files(trace) : 0;
	const char **paths = nr ? mem_array(nr, sizeof(*paths)) : NULL;

	file_names_free(shared->file_names, shared->trace ? trace_nr_files(shared->trace) : 0);
	shared->file_names = NULL;
	places_fini(&shared->at.places);
	if (!again)
		forget_chosen(&shared->chosen);
	free(shared->chosen.streams);
	shared->chosen.streams = NULL;
	shared->at.here = (struct place){ 0 };
	shared->growth.as_of = shared->growth.tail = 0;
	shared->has_calls = shared->away = shared->away_known = false;
	task_table_free(shared->growth.parked);
	shared->growth.parked = NULL;
	leaf_calls_free(shared->leaves);
	shared->leaves = trace ? leaf_calls_new(trace) : NULL;
	shared->trace = trace;
	for (unsigned int i = 0; i < nr; i++)
		paths[i] = trace_path(trace, i);
	if (nr)
		shared->file_names = file_names_new(paths, nr);
	free(paths);
	if (again)
		shared_carry_list(shared, shared->chosen.list);
}

int64_t shared_end(const struct shared *shared)
{
	return shared->growth.as_of ? time_after(shared->growth.as_of, -1) : shared->at.last;
}

int64_t shared_slice(const struct shared *shared)
{
	const int64_t second = 1000000000, most = 100;
	int64_t slice = shared->growth.tail > most * second ? shared->growth.tail / most : second;

	return shared->growth.tail >= 2 * second && !shared->growth.tail_stays &&
			       shared->growth.tail % slice == 0 &&
			       trace_unit(shared->trace) == TRACE_UNIT_NS ?
		       slice :
		       0;
}

void shared_move_tail(struct shared *shared)
{
	int64_t to = shared->growth.tail_stays ? shared->growth.tail_to : shared_end(shared);

	if (shared->growth.tail && shared->at.has_span)
		shared->at.places.range = (struct range){ true,
							  time_after(to, 1 - shared->growth.tail),
							  to };
}

struct sched *shared_take_sched(struct shared *shared, unsigned int file)
{
	struct shared_model *unused = NULL;

	for (unsigned int i = 0; i < SHARED_MODELS; i++) {
		struct shared_model *m = &shared->models[i];

		if (!m->users) {
			unused = m;
		} else if (m->file == file && m->as_of == shared->growth.as_of &&
			   sched_trace(m->sched) == shared->trace &&
			   !sched_progress(m->sched).outlived) {
			m->users++;
			return m->sched;
		}
	}
	*unused = (struct shared_model){ .sched = sched_new(shared->trace, file, 0),
					 .as_of = shared->growth.as_of, .file = file, .users = 1 };
	return unused->sched;
}

bool shared_grow_sched(struct shared *shared, struct sched *sched, int64_t from)
{
	for (unsigned int i = 0; i < SHARED_MODELS; i++) {
		struct shared_model *m = &shared->models[i];

		if (!m->users || m->sched != sched)
			continue;
		if (m->as_of == shared->growth.as_of)
			return from != SCHED_IN_TRACE || !sched_progress(sched).outlived;
		if (!sched_grow(sched, from))
			return false;
		m->as_of = shared->growth.as_of;
	}
	return true;
}

bool shared_follow_sched(struct shared *shared, unsigned int file, int64_t from,
			 struct sched *sched, struct sched **next)
{
	if (sched && !*next && !shared_grow_sched(shared, sched, from))
		*next = shared_take_sched(shared, file);
	return *next && sched_progress(*next).done;
}

void shared_give_sched(struct shared *shared, struct sched *sched)
{
	for (unsigned int i = 0; i < SHARED_MODELS; i++) {
		struct shared_model *m = &shared->models[i];

		if (m->users && m->sched == sched && !--m->users)
			sched_free(sched);
	}
}

struct place shared_place(const struct shared *shared, trace_ref ref)
{
	struct trace_event event;

	if (ref == TRACE_REF_NONE || !trace_event_at(shared->trace, ref, &event))
		return (struct place){ 0 };
	return place_of_event(&event);
}

bool shared_file_moved(const struct shared *shared, const struct place *place, unsigned int *file)
{
	unsigned int former = *file;

	if (!place->set || (place->ref == TRACE_REF_NONE && place->pid < 0))
		return false;
	*file = place->ref == TRACE_REF_NONE ?
			place->file :
			trace_stream_info(shared->trace, trace_ref_stream(place->ref)).file;
	return *file != former;
}

trace_ref shared_row_of(const struct shared *shared, const struct place *place)
{
	trace_ref ref = place->ref;

	if (!place->set || ref != TRACE_REF_NONE)
		return place->set ? ref : TRACE_REF_NONE;
	if (place->cpu >= 0)
		ref = trace_seek_time(shared->trace, place->ts, place->cpu);
	if (ref == TRACE_REF_NONE)
		ref = trace_seek_time(shared->trace, place->ts, -1);
	return ref == TRACE_REF_NONE ? trace_last(shared->trace) : ref;
}

bool shared_range(const struct shared *shared, int64_t *from, int64_t *to)
{
	const struct range *range = &shared->at.places.range;

	*from = range->set ? range->from : shared->at.first;
	*to = range->set ? range->to : shared->at.last;
	return range->set;
}

int shared_decimals(const struct shared *shared, int cols)
{
	if (shared->look.decimals)
		return shared->look.decimals;
	return cols >= 100 && trace_resolution(shared->trace) == 1 ? 9 : 6;
}

bool shared_has_no_events(const struct shared *shared)
{
	for (unsigned int i = 0; i < trace_nr_files(shared->trace); i++)
		if (!trace_is_hist(shared->trace, i))
			return false;
	return true;
}

int shared_text_cells(const struct shared *shared, int room)
{
	if (shared->look.text_choice == TEXT_BY_WIDTH)
		return room;
	return shared->look.text_choice == TEXT_KERNEL_STYLE ? TRACE_TEXT_LONG : 0;
}

void shared_time(const struct shared *shared, int64_t ts, int decimals, struct text *out)
{
	trace_time_text(shared->trace, ts, decimals, out);
}

void shared_duration(const struct shared *shared, int64_t duration, struct text *out)
{
	uint64_t size = duration < 0 ? -(uint64_t)duration : (uint64_t)duration;

	if (duration < 0)
		text_add(out, "−");
	if (trace_unit(shared->trace) == TRACE_UNIT_COUNT)
		text_printf(out, "%" PRIu64, size);
	else
		trace_duration_text(shared->trace, size, out);
}

void shared_measured(const struct shared *shared, uint64_t ns, struct text *out)
{
	struct text t = { 0 };

	if (shared->trace && trace_is_untimed(shared->trace, -1))
		text_duration(&t, ns);
	else
		shared_duration(shared, (int64_t)ns, &t);
	text_trimmed(out, &t);
	text_fini(&t);
}

void shared_span(const struct shared *shared, int64_t duration, struct text *out)
{
	struct text t = { 0 };

	shared_duration(shared, duration, &t);
	text_trimmed(out, &t);
	text_fini(&t);
}

void shared_file_name(const struct shared *shared, unsigned int file, struct text *out)
{
	const char *path = trace_path(shared->trace, file);

	if (shared->file_names)
		text_add(out, shared->file_names[file]);
	else
		text_printable(out, path, strlen(path));
}

void shared_of_file(const struct shared *shared, unsigned int file, bool compared, struct text *out)
{
	unsigned int other = compared ? (unsigned int)shared_other(shared, file) : file,
		     files[2] = { file < other ? file : other, file < other ? other : file };

	if (trace_nr_files(shared->trace) < 2)
		return;
	for (unsigned int i = 0; i < (compared ? 2 : 1); i++) {
		text_add(out, i ? " and " : "of ");
		shared_file_name(shared, files[i], out);
		if (files[i] != file && shared->at.places.range.set &&
		    !shared_other_has_range(shared, other))
			text_add(out, " (all)");
	}
	text_add(out, "   ");
}

void shared_offsets(const struct shared *shared, struct text *out)
{
	for (unsigned int i = 0; i < trace_nr_files(shared->trace); i++) {
		struct trace_offset offset = trace_offset(shared->trace, i);

		if (!offset.by)
			continue;
		text_add(out, out->len ? ", " : "offset ");
		if (trace_nr_files(shared->trace) > 1) {
			shared_file_name(shared, i, out);
			text_char(out, ' ');
		}
		time_option_offset_text(&offset, out);
	}
}

unsigned int shared_nr_warnings(const struct shared *shared)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < trace_nr_files(shared->trace); i++)
		nr += trace_nr_warnings(shared->trace, i);
	return nr;
}

bool shared_is_damaged(const struct shared *shared)
{
	for (unsigned int i = 0; i < trace_nr_files(shared->trace); i++)
		if (source_is_damaged(trace_file_of(shared->trace, i)))
			return true;
	return false;
}

void shared_warning(const struct shared *shared, unsigned int i, struct text *out)
{
	struct ft_error note;
	char line[512];

	for (unsigned int file = 0; file < trace_nr_files(shared->trace); file++) {
		unsigned int nr = trace_nr_warnings(shared->trace, file);

		if (i >= nr) {
			i -= nr;
			continue;
		}
		if (trace_nr_files(shared->trace) > 1) {
			shared_file_name(shared, file, out);
			text_add(out, ": ");
		}
		note = trace_warning(shared->trace, file, i);
		ft_error_text(&note, NULL, line, sizeof(line));
		text_printable(out, line, strlen(line));
		return;
	}
}

void shared_list_name(const struct shared *shared, struct text *out)
{
	switch (shared->chosen.list.kind) {
	case LIST_ALL:
		return;
	case LIST_CPU:
		text_printf(out, "CPU %d", shared->chosen.list.cpu);
		return;
	case LIST_INSTANCE:
		for (unsigned int i = 0; i < trace_nr_streams(shared->trace); i++) {
			struct trace_stream_info info = trace_stream_info(shared->trace, i);

			if (info.file != shared->chosen.list.file ||
			    info.buffer != shared->chosen.list.buffer)
				continue;
			if (*info.buffer_name) {
				text_add(out, "instance ");
				text_printable(out, info.buffer_name, strlen(info.buffer_name));
			} else {
				text_add(out, "top instance");
			}
			return;
		}
		return;
	case LIST_FILE:
		text_add(out, "file ");
		shared_file_name(shared, shared->chosen.list.file, out);
		return;
	}
}

static bool listed(const struct list_choice *choice, const struct trace_stream_info *info)
{
	switch (choice->kind) {
	case LIST_ALL:
		return true;
	case LIST_CPU:
		return info->cpu == choice->cpu;
	case LIST_INSTANCE:
		return info->file == choice->file && info->buffer == choice->buffer;
	case LIST_FILE:
		return info->file == choice->file;
	}
	return true;
}

void shared_choose_list(struct shared *shared, struct list_choice choice)
{
	unsigned int nr = trace_nr_streams(shared->trace);

	free(shared->chosen.streams);
	shared->chosen.streams = NULL;
	shared->chosen.list = choice;
	if (choice.kind == LIST_ALL)
		return;
	shared->chosen.streams = mem_array(nr, sizeof(bool));
	for (unsigned int i = 0; i < nr; i++) {
		struct trace_stream_info info = trace_stream_info(shared->trace, i);

		shared->chosen.streams[i] = listed(&choice, &info);
	}
}

int shared_other(const struct shared *shared, unsigned int file)
{
	unsigned int nr = shared->trace ? trace_nr_files(shared->trace) : 1;

	return nr > 1 ? (int)((file + 1) % nr) : -1;
}

bool shared_other_has_range(const struct shared *shared, unsigned int other)
{
	const struct range *range = &shared->at.places.range;
	int64_t first, last;

	return range->set && trace_file_span(shared->trace, other, &first, &last) &&
	       range->from <= last && range->to >= first;
}

bool shared_can_compare(const struct shared *shared)
{
	return shared->at.places.range.set || shared_other(shared, 0) >= 0;
}

void shared_and_rest(const struct shared *shared, unsigned int file, struct text *out)
{
	text_add(out, shared_other(shared, file) < 0 ? " and the rest" : "");
}

/* The time of a file, or of the range in it. */
static int64_t span_of(const struct shared *shared, unsigned int file, bool in_range)
{
	const struct range *range = &shared->at.places.range;
	int64_t first, last;

	if (!trace_file_span(shared->trace, file, &first, &last))
		return 0;
	if (in_range) {
		first = range->from > first ? range->from : first;
		last = range->to < last ? range->to : last;
	}
	return last > first ? time_between(first, last) : 0;
}

void shared_spans(const struct shared *shared, unsigned int file, int64_t span[2])
{
	int64_t from, to, first = shared->at.first, last = shared->at.last;
	int other = shared_other(shared, file);

	span[0] = span[1] = 0;
	if (other >= 0) {
		span[0] = span_of(shared, file, shared->at.places.range.set);
		span[1] = span_of(shared, (unsigned int)other,
				  shared_other_has_range(shared, (unsigned int)other));
		return;
	}
	if (!shared_range(shared, &from, &to))
		return;
	trace_file_span(shared->trace, file, &first, &last);
	from = from > first ? from : first;
	to = to < last ? to : last;
	span[0] = to > from ? time_between(from, to) : 0;
	span[1] = time_between(first, last) - span[0];
}

void shared_hit_count(const struct shared *shared, struct text *out)
{
	struct matches_status status;
	struct trace_event event;
	uint64_t rank;
	bool exact;

	if (!shared->chosen.hits)
		return;
	status = matches_status(shared->chosen.hits);
	exact = status.exact;
	/* rows of lost events are searched one by one */
	if (status.events != status.rows)
		return;
	if (status.events && shared->at.here.set && shared->at.here.ref != TRACE_REF_NONE &&
	    trace_event_at(shared->trace, shared->at.here.ref, &event) &&
	    matches_test(shared->chosen.hits, &event)) {
		rank = matches_rank(shared->chosen.hits, shared->at.here.ref, &exact) + 1;
		text_add(out, exact ? "" : "~");
		text_count(out, rank);
		text_add(out, " of ");
	}
	text_add(out, status.exact ? "" : "~");
	text_count(out, status.events);
}

void shared_carry_list(struct shared *shared, struct list_choice list)
{
	shared_choose_list(shared, list);
	for (unsigned int i = 0; shared->chosen.streams && i < trace_nr_streams(shared->trace); i++)
		if (shared->chosen.streams[i])
			return;
	shared_choose_list(shared, (struct list_choice){ .kind = LIST_ALL });
}
