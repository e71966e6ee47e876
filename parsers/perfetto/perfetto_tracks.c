/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_tracks - slices, instants and counters of programs.  They become what programs write to
 * trace_marker in the form of atrace (src/trace/trace_marker.h), so that views show them alike.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/perfetto/perfetto_numbers.h"
#include "parsers/perfetto/perfetto_pass.h"

#define DEEPEST		8u		/* tracks that are around one another */
#define MOST_OPEN	1024u		/* slices of a track that have begun */
#define MOST_HELD	(1u << 20)	/* events that wait for what is told of their tracks */
#define NO_HELD		UINT32_MAX

struct perfetto_track {
	uint64_t	 uuid, parent;
	bool		 is_told;	/* by the trace, not only named by events */
	bool		 has_held;
	uint32_t	 first_held, last_held;	/* of what waits for this track to be told */
	int		 pid, tid;	/* of a thread; pid alone: of a process; 0: neither */
	const char	*name;		/* "" = none */
	bool		 is_counter, is_incremental;
	int64_t		 unit;		/* of a counter's numbers */
	int64_t		 value;		/* of a counter, so far */
	double		 real;		/* the same of one whose numbers have fractions */
	unsigned int	 open;		/* slices that have begun, if no thread's */
};

struct slice {				/* a TrackEvent */
	uint64_t	 type, track, name_iid;
	struct proto_field name;
	int64_t		 value;
	double		 real;
	bool		 has_value, is_real;
};

struct perfetto_held {			/* what becomes of a slice */
	uint64_t	 ts, type, track;
	const char	*name;
	int64_t		 value;
	double		 real;
	bool		 is_real;
	uint32_t	 next;
};

void perfetto_tracks_fini(struct perfetto_pass *pass)
{
	free(pass->tracks);
	free(pass->held);
	index_map_fini(&pass->track_ids);
}

static struct perfetto_track *find_track(const struct perfetto_pass *pass, uint64_t uuid)
{
	index_map_each (&pass->track_ids, index_map_hash(uuid), i)
		if (pass->tracks[i].uuid == uuid)
			return &pass->tracks[i];
	return NULL;
}

static struct perfetto_track *add_track(struct perfetto_pass *pass, uint64_t uuid)
{
	struct perfetto_track *track = find_track(pass, uuid);

	if (track)
		return track;
	mem_grow(&pass->tracks, pass->nr_tracks, &pass->cap_tracks);
	index_map_add(&pass->track_ids, index_map_hash(uuid), pass->nr_tracks);
	pass->tracks[pass->nr_tracks] =
		(struct perfetto_track){ .uuid = uuid, .name = "", .unit = 1 };
	return &pass->tracks[pass->nr_tracks++];
}

/* --- markers --------------------------------------------------------------------------------- */

/* The process of a track: its own, or that of one around it. */
static int process_of(const struct perfetto_pass *pass, const struct perfetto_track *track)
{
	for (unsigned int i = 0; track && i < DEEPEST; i++) {
		if (track->pid)
			return track->pid;
		track = track->parent ? find_track(pass, track->parent) : NULL;
	}
	return 0;
}

static void add_marker(struct perfetto_pass *pass, uint64_t ts, int pid)
{
	struct perfetto_type *type = perfetto_types_find(&pass->types, EVENT_IS_PRINT);
	unsigned int lane = spool_lane(pass->spool, PERFETTO_TRACKS, 0);

	if (!perfetto_types_use(&pass->types, type))
		return;
	type->lacks_flags = true;
	perfetto_type_begin(type, pid, 0, &pass->record);
	perfetto_type_set(type, 1, perfetto_pass_function(pass, "tracing_mark_write"),
			  &pass->record);
	perfetto_type_set_text(type, 2, text_str(&pass->marker), pass->marker.len, &pass->record);
	spool_add(pass->spool, lane, ts, text_str(&pass->record), (uint32_t)pass->record.len);
}

/* As the other counters if it has no fraction, and without an exponent. */
static void add_real(double d, struct text *out)
{
	if (!(d > -0x1p62 && d < 0x1p62) || (d > -5e-10 && d < 5e-10))
		d = 0;
	text_printf(out, "%.9f", d);
	while (out->data[out->len - 1] == '0')
		out->len--;
	if (out->data[out->len - 1] == '.')
		out->len--;
	out->data[out->len] = '\0';
}

static void add_counter(struct perfetto_pass *pass, struct perfetto_track *track,
			const struct perfetto_held *h)
{
	int64_t value = (int64_t)((uint64_t)h->value * (uint64_t)track->unit);
	double real = h->real * (double)track->unit;
	int pid = process_of(pass, track);

	if (track->is_incremental) {
		value = (int64_t)((uint64_t)track->value + (uint64_t)value);
		real += track->real;
	}
	track->value = value;
	track->real = real;
	text_printf(&pass->marker, "C|%d|%s|", pid, track->name);
	if (h->is_real)
		add_real(real, &pass->marker);
	else
		text_i64(&pass->marker, value);
	add_marker(pass, h->ts, pid);
}

/* A slice of a thread, which its others enclose. */
static void add_thread_slice(struct perfetto_pass *pass, uint64_t ts,
			     const struct perfetto_track *track, uint64_t type, const char *name)
{
	if (type == SLICE_END)
		text_printf(&pass->marker, "E|%d", track->pid);
	else
		text_printf(&pass->marker, "%c|%d|%s", type == INSTANT ? 'I' : 'B', track->pid,
			    name);
	add_marker(pass, ts, track->tid);
}

/* A slice of a track: its number joins its beginning and its end. */
static void add_track_slice(struct perfetto_pass *pass, uint64_t ts, struct perfetto_track *track,
			    uint64_t type, const char *name)
{
	uint64_t number = (uint64_t)(track - pass->tracks) * MOST_OPEN;
	const char *of = *track->name ? track->name : "track";
	int pid = process_of(pass, track);

	if (type == INSTANT) {
		text_printf(&pass->marker, "N|%d|%s|%s", pid, of, name);
	} else if (type == SLICE_BEGIN) {
		number += ++track->open % MOST_OPEN;
		text_printf(&pass->marker, "G|%d|%s|%s|%" PRIu64, pid, of, name, number);
	} else {
		if (!track->open)
			return;
		number += track->open-- % MOST_OPEN;
		text_printf(&pass->marker, "H|%d|%s|%" PRIu64, pid, of, number);
	}
	add_marker(pass, ts, pid);
}

/* --- events before their tracks ------------------------------------------------------------- */

static void add_slice(struct perfetto_pass *pass, const struct perfetto_held *h)
{
	struct perfetto_track *track = add_track(pass, h->track);

	text_clear(&pass->marker);
	if (h->type == COUNTER)
		add_counter(pass, track, h);
	else if (track->tid)
		add_thread_slice(pass, h->ts, track, h->type, h->name);
	else
		add_track_slice(pass, h->ts, track, h->type, h->name);
}

/* The track, of this one and those around it, that has to be told first.  NULL: none. */
static struct perfetto_track *missing_of(struct perfetto_pass *pass, uint64_t uuid)
{
	struct perfetto_track *track = NULL;

	/* 0 is the one of the whole trace */
	for (unsigned int i = 0; uuid && i < DEEPEST; i++) {
		track = add_track(pass, uuid);
		if (!track->is_told)
			return track;
		uuid = track->pid ? 0 : track->parent;
	}
	return NULL;
}

/* Keep the event until its track is described.  @i: its place, if it is kept already */
static void hold(struct perfetto_pass *pass, struct perfetto_track *missing, uint32_t i)
{
	pass->held[i].next = NO_HELD;
	if (missing->has_held)
		pass->held[missing->last_held].next = i;
	else
		missing->first_held = i;
	missing->last_held = i;
	missing->has_held = true;
}

static void take_slice(struct perfetto_pass *pass, struct perfetto_held *h)
{
	struct perfetto_track *missing = missing_of(pass, h->track);

	if (!missing || pass->nr_held == MOST_HELD) {
		add_slice(pass, h);
		return;
	}
	h->name = arena_strndup(&pass->arena, h->name, strlen(h->name));
	mem_grow(&pass->held, pass->nr_held, &pass->cap_held);
	pass->held[pass->nr_held] = *h;
	hold(pass, missing, pass->nr_held++);
}

/* Events that waited for the track go on, in their order. */
static void see_told(struct perfetto_pass *pass, struct perfetto_track *track)
{
	uint32_t next = track->has_held ? track->first_held : NO_HELD;

	track->is_told = true;
	track->has_held = false;
	while (next != NO_HELD) {
		struct perfetto_held *h = &pass->held[next];
		struct perfetto_track *missing = missing_of(pass, h->track);
		uint32_t i = next;

		next = h->next;
		if (missing)
			hold(pass, missing, i);
		else
			add_slice(pass, h);
	}
}

void perfetto_tracks_end(struct perfetto_pass *pass)
{
	for (uint32_t i = 0; i < pass->nr_tracks; i++) {
		uint32_t next = pass->tracks[i].has_held ? pass->tracks[i].first_held : NO_HELD;

		pass->without_track += next != NO_HELD;
		for (; next != NO_HELD; next = pass->held[next].next)
			add_slice(pass, &pass->held[next]);
	}
}

/* --- tracks ---------------------------------------------------------------------------------- */

/* Parts of a marker are separated by |, and it is a line.  Valid until the next name. */
static const char *clean_name(struct perfetto_pass *pass, const uint8_t *s, uint64_t len)
{
	text_clear(&pass->name);
	for (uint64_t i = 0; i < len && s[i]; i++)
		text_char(&pass->name, s[i] < ' ' ? ' ' : s[i] == '|' ? '/' : (char)s[i]);
	return text_str(&pass->name);
}

static bool read_thread(struct perfetto_pass *pass, struct proto_reader r,
			struct perfetto_track *track)
{
	struct proto_field f, name = { 0 };

	while (proto_next(&r, &f))
		if (f.number == TRACK_THREAD_PID)
			track->pid = (int)f.value;
		else if (f.number == TRACK_THREAD_TID)
			track->tid = (int)f.value;
		else if (f.number == TRACK_THREAD_NAME)
			name = f;
	perfetto_tasks_tell(&pass->tasks, track->tid, track->pid, name.bytes,
			    name.bytes ? name.value : 0);
	return !r.failed;
}

static bool read_process(struct perfetto_pass *pass, struct proto_reader r,
			 struct perfetto_track *track)
{
	struct proto_field f, name = { 0 };

	while (proto_next(&r, &f))
		if (f.number == TRACK_PROCESS_PID)
			track->pid = (int)f.value;
		else if (f.number == TRACK_PROCESS_NAME)
			name = f;
	perfetto_tasks_tell(&pass->tasks, track->pid, track->pid, name.bytes,
			    name.bytes && name.value < 16 ? name.value : 0);
	return !r.failed;
}

static bool read_counter(struct proto_reader r, struct perfetto_track *track)
{
	struct proto_field f;

	track->is_counter = true;
	while (proto_next(&r, &f))
		if (f.number == COUNTER_UNIT && f.value)
			track->unit = (int64_t)f.value;
		else if (f.number == COUNTER_IS_INCREMENTAL)
			track->is_incremental = f.value;
	return !r.failed;
}

bool perfetto_pass_track(struct perfetto_pass *pass, struct proto_reader r)
{
	struct perfetto_track told = { 0 }, *track;
	struct proto_field f;
	bool good = true;

	told.name = "";
	told.unit = 1;
	while (good && proto_next(&r, &f))
		switch (f.number) {
		case TRACK_UUID: told.uuid = f.value; break;
		case TRACK_PARENT: told.parent = f.value; break;
		case TRACK_NAME:
		case TRACK_STATIC_NAME:
		case TRACK_ATRACE_NAME:
			if (f.kind == PROTO_BYTES)
				told.name = clean_name(pass, f.bytes, f.value);
			break;
		case TRACK_THREAD: good = read_thread(pass, proto_inside(&f), &told); break;
		case TRACK_PROCESS: good = read_process(pass, proto_inside(&f), &told); break;
		case TRACK_COUNTER: good = read_counter(proto_inside(&f), &told); break;
		default: break;
		}
	track = add_track(pass, told.uuid);
	if (strcmp(told.name, track->name) != 0)
		told.name = arena_strndup(&pass->arena, told.name, strlen(told.name));
	else
		told.name = track->name;
	told.value = track->value;
	told.real = track->real;
	told.open = track->open;
	told.has_held = track->has_held;
	told.first_held = track->first_held;
	told.last_held = track->last_held;
	*track = told;
	see_told(pass, track);
	return good && !r.failed;
}

bool perfetto_pass_thread(struct perfetto_pass *pass, struct proto_reader r)
{
	/* older traces have a descriptor in each sequence, and tracks without a number */
	uint64_t uuid = 1ull << 63 | (uint64_t)pass->sequence->id;
	struct perfetto_track *track = add_track(pass, uuid);
	bool good = read_thread(pass, r, track);

	if (!pass->sequence->track)
		pass->sequence->track = uuid;
	see_told(pass, track);
	return good;
}

/* --- events ---------------------------------------------------------------------------------- */

static bool read_slice(struct proto_reader r, struct slice *s)
{
	struct proto_field f;

	*s = (struct slice){ 0 };
	while (proto_next(&r, &f))
		switch (f.number) {
		case SLICE_TYPE: s->type = f.value; break;
		case SLICE_TRACK: s->track = f.value; break;
		case SLICE_NAME_IID: s->name_iid = f.value; break;
		case SLICE_NAME: s->name = f; break;
		case SLICE_COUNT:
			s->value = (int64_t)f.value;
			s->has_value = true;
			break;
		case SLICE_DOUBLE:
			memcpy(&s->real, &f.value, sizeof(s->real));
			s->has_value = s->is_real = true;
			break;
		default: break;
		}
	return !r.failed;
}

static const char *name_of(struct perfetto_pass *pass, const struct slice *s)
{
	const struct perfetto_name *name;

	if (s->name.bytes)
		return clean_name(pass, s->name.bytes, s->name.value);
	name = s->name_iid ? perfetto_names_find(&pass->sequence->events, s->name_iid) : NULL;
	pass->without_name += !name && s->type != SLICE_END;
	return name ? clean_name(pass, (const uint8_t *)name->s, strlen(name->s)) : "?";
}

bool perfetto_pass_slice(struct perfetto_pass *pass, uint64_t ts, struct proto_reader r)
{
	struct slice s;
	bool good = read_slice(r, &s);
	struct perfetto_held h = { .ts = ts, .type = s.type, .name = "", .value = s.value,
				   .real = s.real, .is_real = s.is_real };

	h.track = s.track ? s.track : pass->sequence->track;
	if (s.type == COUNTER ? !s.has_value : s.type < SLICE_BEGIN || s.type > INSTANT) {
		pass->unsupported++;
		return good;
	}
	if (s.type != COUNTER)
		h.name = name_of(pass, &s);
	take_slice(pass, &h);
	return good;
}
