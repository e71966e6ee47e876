/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfetto_ftrace - the pass over events of the kernel, by CPU: FtraceEventBundle.  A page is rows
 * of a bundle that follow one another, and is made when it is read.  What is out of order, short,
 * or not in the file as it is, becomes records of the spool at once.
 */
#include "parsers/perfetto/perfetto_page.h"
#include "parsers/perfetto/perfetto_pass.h"
#include "parsers/source/sub_buffer.h"
#include "src/base/pid_bits.h"

#define LEAST_ROWS	16u		/* of a page: fewer are not worth its place in memory */
#define RECORD_HEADER	16u		/* bytes, at most */
#define PAGE_ROOM	(SPOOL_RECORD_BYTES + RECORD_HEADER)

struct bundle {
	unsigned int	 cpu, lane;
	uint64_t	 clock;
	uint64_t	 ftrace_time, boot_time;
	int64_t		 offset;	/* ns that its times are added */
	bool		 is_lost;	/* events were, before its first */
	bool		 is_begun;
	bool		 without_clock;
	bool		 is_seen[2];	/* fields of compact wake-ups, of switches */
	struct proto_field compact;	/* the first one */
	struct perfetto_compact columns;	/* of the one that is read */
	/* the page that is made */
	struct perfetto_rows start;
	uint64_t	 first, last;	/* ns */
	uint64_t	 bytes;		/* that its records have, at most */
	uint32_t	 nr;		/* rows */
	uint64_t	 pids;		/* pid_bits() */
	bool		 is_unsorted;
};

/* --- pages ---------------------------------------------------------------------------------- */

static struct perfetto_piece piece_of(const struct perfetto_pass *pass, const uint8_t *from,
				      const uint8_t *to)
{
	return (struct perfetto_piece){
		.offset = pass->packet_end_at - (uint64_t)(pass->packet_end - from),
		.bytes = to > from ? (uint32_t)(to - from) : 0,
	};
}

/* The page is in the file, and can be made of it.  @rows: that follow */
static bool find_place(struct perfetto_pass *pass, const struct bundle *b,
		       const struct perfetto_rows *rows, struct perfetto_place *place)
{
	const struct perfetto_rows *start = &b->start;
	struct perfetto_columns columns;

	if (!pass->packet_end || b->lane == SPOOL_NO_LANE || b->nr < LEAST_ROWS || b->is_unsorted ||
	    b->bytes > PAGE_ROOM || pass->nr_places == UINT32_MAX)
		return false;
	*place = (struct perfetto_place){ .nr = b->nr, .nr_types = pass->types.nr,
					  .offset = b->offset, .symbols = pass->sequence->symbols };
	if (start->has_event)
		place->events = piece_of(pass, start->event.at, rows->done);
	if (start->has_switch || start->has_waking) {
		perfetto_columns_of(&columns, start,
				    piece_of(pass, b->columns.bytes, b->columns.end));
		if (columns.piece.bytes > PERFETTO_MAX_PIECE)
			return false;
		place->columns = arena_copy(&pass->arena, &columns, sizeof(columns));
	}
	return place->events.bytes <= PERFETTO_MAX_PIECE;
}

static void add_records(struct perfetto_pass *pass, struct bundle *b)
{
	const struct perfetto_context context = { &pass->types, pass->types.nr,
						  pass->sequence->symbols };
	struct perfetto_rows rows = b->start;
	uint64_t time;

	if (b->is_lost && !b->is_begun)
		spool_lost(pass->spool, b->lane, b->first, 0);
	for (uint32_t i = 0;
	     i < b->nr && perfetto_rows_record(&rows, &context, &pass->record, &time); i++)
		spool_add(pass->spool, b->lane, time + (uint64_t)b->offset, pass->record.data,
			  (uint32_t)pass->record.len);
}

static void add_page(struct perfetto_pass *pass, const struct bundle *b,
		     const struct perfetto_place *place)
{
	const struct page_sum sum = {
		.first = b->first, .last = b->last, .pids = b->pids, .events = b->nr,
		.nr_counts = pass->nr_counts, .is_lost = b->is_lost && !b->is_begun,
	};

	mem_grow(&pass->places, pass->nr_places, &pass->cap_places);
	pass->places[pass->nr_places] = *place;
	pass->sequence->symbols->is_kept = true;
	for (unsigned int i = 0; i < pass->nr_counts; i++)
		pass->counts[i].nr = pass->types.used[pass->counts[i].type - 1]->in_page;
	spool_add_page(pass->spool, b->lane, &sum, pass->counts, pass->nr_places++);
}

static void end_page(struct perfetto_pass *pass, struct bundle *b, const struct perfetto_rows *rows)
{
	struct perfetto_place place;

	if (!b->nr)
		return;
	if (find_place(pass, b, rows, &place))
		add_page(pass, b, &place);
	else
		add_records(pass, b);
	while (pass->nr_counts)
		pass->types.used[pass->counts[--pass->nr_counts].type - 1]->in_page = 0;
	if (b->without_clock)
		pass->without_clock += b->nr;
	pass->has_rows[b->cpu] = true;
	b->is_begun = true;
	b->nr = 0;
}

static void begin_page(struct bundle *b, const struct perfetto_rows *rows, uint64_t ts)
{
	b->start = *rows;
	b->first = b->last = ts;
	b->bytes = b->pids = 0;
	b->is_unsorted = false;
}

static void begin_type(struct perfetto_pass *pass, const struct perfetto_type *type)
{
	mem_reach(&pass->counts, &pass->cap_counts, pass->nr_counts);
	pass->counts[pass->nr_counts++].type = (uint16_t)type->id;
}

/* The next of @rows is a row of the page, or begins another one.  @bytes: of its record, at most */
static inline __attribute__((always_inline)) void
add_row(struct perfetto_pass *pass, struct bundle *b, const struct perfetto_rows *rows,
	uint64_t time, struct perfetto_type *type, int pid, uint64_t bytes)
{
	uint64_t ts = time + (uint64_t)b->offset;

	bytes += RECORD_HEADER + 3;
	if (b->bytes + bytes > PAGE_ROOM || (ts ^ b->first) & SUB_BUFFER_TS_MSB)
		end_page(pass, b, rows);
	if (!b->nr++)
		begin_page(b, rows, ts);
	b->is_unsorted |= ts < b->last;
	b->last = ts;
	b->bytes += bytes;
	b->pids |= pid_bits(pid);
	if (!type->in_page++)
		begin_type(pass, type);
}

/* --- rows ----------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool
see_event(struct perfetto_pass *pass, struct bundle *b, const struct perfetto_rows *rows)
{
	const struct perfetto_event *event = &rows->event;
	struct proto_reader message = proto_inside(&event->what);
	bool is_generic = event->what.number == EVENT_IS_GENERIC;
	struct perfetto_type *type = is_generic ?
					     perfetto_types_generic(&pass->types, message) :
					     perfetto_types_find(&pass->types, event->what.number);

	if (!type || (!type->id && !perfetto_types_use(&pass->types, type))) {
		if (is_generic || event->what.number >= FIRST_DESCRIBED_EVENT)
			pass->undescribed_events++;
		else
			pass->newer_events++;
		return true;
	}
	type->lacks_flags |= !event->has_flags;
	add_row(pass, b, rows, event->time, type, event->pid,
		perfetto_type_most(type, event->what.value));
	return is_generic || perfetto_type_see(type, message);
}

static void see_compact(struct perfetto_pass *pass, struct bundle *b,
			const struct perfetto_rows *rows, bool is_switch)
{
	static const uint8_t fields[2][8] = { { 1, 2, 3, 5 }, { 1, 2, 3, 4, 5, 6, 7 } };
	struct perfetto_type *type = perfetto_types_find(&pass->types, is_switch ? EVENT_IS_SWITCH :
										   EVENT_IS_WAKING);

	pass->switches += is_switch && !rows->running.is_known;
	if (perfetto_types_use(&pass->types, type)) {
		for (const uint8_t *f = fields[is_switch]; *f && !b->is_seen[is_switch]; f++)
			perfetto_type_see_field(type, *f);
		b->is_seen[is_switch] = true;
		type->lacks_flags |= is_switch || rows->columns[WAKING_FLAGS].at ==
							  rows->columns[WAKING_FLAGS].end;
		add_row(pass, b, rows, is_switch ? rows->switch_time : rows->waking_time, type,
			rows->running.pid, type->size);
	}
}

static bool take_rows(struct perfetto_pass *pass, struct bundle *b, struct proto_reader events,
		      const struct proto_field *compact)
{
	struct perfetto_running *running = &pass->running[b->cpu];
	bool good = perfetto_compact_read(&b->columns, proto_inside(compact));
	struct perfetto_rows rows;
	enum perfetto_row kind;

	perfetto_rows_begin(&rows, events, &b->columns, running);
	while ((kind = perfetto_rows_next(&rows)) != PERFETTO_NO_ROW)
		if (kind == PERFETTO_EVENT) {
			good &= see_event(pass, b, &rows);
			perfetto_rows_next_event(&rows);
		} else {
			see_compact(pass, b, &rows, kind == PERFETTO_SWITCH);
			perfetto_rows_skip(&rows);
		}
	end_page(pass, b, &rows);
	*running = rows.running;
	return good && !rows.failed;
}

/* --- bundles -------------------------------------------------------------------------------- */

static void set_clock(const struct perfetto_pass *pass, struct bundle *b)
{
	/* times of a clock that is not known otherwise, and when that was in those since boot */
	if (!b->clock && b->ftrace_time && b->boot_time) {
		b->offset = (int64_t)(b->boot_time - b->ftrace_time);
		return;
	}
	if (!b->clock)
		b->clock = CLOCK_IS_BOOTTIME;
	if (b->clock == pass->primary)
		return;
	b->offset = pass->offsets[b->clock];
	b->without_clock = !pass->has_offset[b->clock];
}

/* What holds for all events of a bundle, wherever it stands. */
static bool read_bundle(struct perfetto_pass *pass, struct proto_reader r, struct bundle *b)
{
	struct proto_field f;
	const uint8_t *next;
	bool good = true;

	while (good) {
		while ((next = proto_skip_bytes(r.at, r.end, BUNDLE_EVENT)))
			r.at = next;
		if (!proto_next(&r, &f))
			break;
		switch (f.number) {
		case BUNDLE_CPU: b->cpu = (unsigned int)f.value; break;
		case BUNDLE_LOST: b->is_lost = f.value; break;
		case BUNDLE_CLOCK:
			b->clock = f.value == BUNDLE_CLOCK_IS_RAW ? CLOCK_IS_RAW : 0;
			break;
		case BUNDLE_FTRACE_TIME: b->ftrace_time = f.value; break;
		case BUNDLE_BOOT_TIME: b->boot_time = f.value; break;
		case BUNDLE_DESCRIPTORS:
			good = perfetto_types_describe(&pass->types, proto_inside(&f));
			break;
		case BUNDLE_COMPACT:
			if (!b->compact.bytes)
				b->compact = f;
			break;
		default: break;
		}
	}
	set_clock(pass, b);
	return good;
}

bool perfetto_pass_bundle(struct perfetto_pass *pass, struct proto_reader r)
{
	struct bundle b = { 0 };
	struct proto_field f;
	bool good = read_bundle(pass, r, &b);

	b.lane = spool_lane(pass->spool, PERFETTO_FTRACE, b.cpu);
	if (b.lane == SPOOL_NO_LANE)
		b.cpu = SPOOL_MAX_CPUS;		/* no CPU's */
	mem_reach(&pass->has_rows, &pass->nr_has_rows, b.cpu);
	mem_reach(&pass->running, &pass->nr_running, b.cpu);
	if (b.is_lost || !pass->running[b.cpu].is_known)
		pass->running[b.cpu] = perfetto_running_unknown;
	good &= take_rows(pass, &b, r, &b.compact);
	/* there should be one of them */
	while (b.compact.bytes && proto_next(&r, &f))
		if (f.number == BUNDLE_COMPACT && f.bytes != b.compact.bytes)
			good &= take_rows(pass, &b, proto_reader(NULL, 0), &f);
	perfetto_compact_fini(&b.columns);
	return good;
}
