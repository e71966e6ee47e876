/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cut_stream - the records of one CPU that stay. */
#include <stdlib.h>
#include <string.h>

#include "parsers/writer/record_packer.h"
#include "src/base/memory.h"
#include "src/cut/cut_private.h"
#include "src/trace/leaf_calls.h"
#include "src/trace/stream_walk.h"

#define BATCH_BYTES	(1u << 20)	/* given to the writer at once: many chunks to pack */
#define NR_TYPES	65536u		/* common_type */

struct kept {				/* a record of the page that stays */
	struct record	rec;
	bool		gap;		/* one that readers need was taken out before it */
};

enum { IS_NEEDED = 1, IS_STACK = 2, IS_ENTRY = 4, IS_EXIT = 8 };

struct cutter {
	struct cut		*cut;
	const struct cut_lane	*lane;
	struct trace_writer	*w;
	int			buffer, cpu;	/* the writer's */
	struct stream_walk	walk;
	uint32_t		page_size;
	/* which records stay */
	struct filter_run	**runs;		/* owned, [nr_filters] */
	uint8_t			*types;		/* owned, [NR_TYPES]: IS_… */
	struct leaf_calls	*leaves;	/* owned */
	bool			shown;		/* the record before stays */
	bool			entered;	/* and is an entry that matched */
	bool			gap;		/* see struct kept, for the next one */
	bool			inside;		/* the window contains the record before */
	uint64_t		run;		/* largest raw stamp so far */
	/* the current page */
	struct kept		*kept;		/* owned */
	unsigned int		nr, cap, total;	/* that stay; all records */
	/* what is written */
	struct record_packer	packer;
	struct record_loss	loss;		/* to be marked where the next sub-buffer begins */
	uint64_t		passed, made;	/* sub-buffers that were read, and written */
	struct text		out;		/* not yet given to the writer */
};

/* --- which records stay ------------------------------------------------------------- */

/*
 * Readers conclude from those that are needed that nothing happened in between: a task slept, a
 * function called no other.
 */
static const struct {
	const char	*system, *name;
	uint8_t		 is;
} types[] = {
	{ "sched", "sched_switch", IS_NEEDED },
	{ "sched", "sched_waking", IS_NEEDED },
	{ "sched", "sched_wakeup", IS_NEEDED },
	{ "sched", "sched_wakeup_new", IS_NEEDED },
	{ "ftrace", "funcgraph_entry", IS_NEEDED | IS_ENTRY },
	{ "ftrace", "fgraph_retaddr_entry", IS_NEEDED | IS_ENTRY },
	{ "ftrace", "funcgraph_exit", IS_NEEDED | IS_EXIT },
	{ "ftrace", "kernel_stack", IS_STACK },
	{ "ftrace", "user_stack", IS_STACK },
};

/* May records of a type stay?  If none does, it is as if the type had not been recorded. */
static bool may_stay(const struct cutter *c, int type)
{
	for (unsigned int i = 0; i < c->cut->options.nr_filters; i++)
		if (filter_run_type(c->runs[i], type) == FILTER_NEVER)
			return false;
	return true;
}

/* False: no record of the stream can match. */
static bool begin_filters(struct cutter *c)
{
	const struct cut_options *o = &c->cut->options;

	c->runs = mem_array(o->nr_filters + 1ul, sizeof(struct filter_run *));
	for (unsigned int i = 0; i < o->nr_filters; i++)
		c->runs[i] = filter_run_new(o->filters[i]);
	for (unsigned int i = 0; i < o->nr_filters; i++)
		if (filter_run_stream(c->runs[i], c->lane->stream) == FILTER_NEVER)
			return false;
	if (!o->nr_filters)
		return true;
	c->types = mem_array(NR_TYPES, sizeof(*c->types));
	c->leaves = leaf_calls_new(c->cut->trace);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct event_type *type = event_types_by_name(c->walk.source->types,
								    types[i].system, types[i].name);

		if (type && type->id >= 0 && type->id < (int)NR_TYPES)
			c->types[type->id] = may_stay(c, type->id) ? types[i].is :
								     types[i].is & ~IS_NEEDED;
	}
	return true;
}

/* Is a record the exit of the leaf that the record before enters? They are one line and row. */
static bool leaves_leaf(struct cutter *c, const struct record *rec)
{
	const struct cursor_row row = {
		.page = trace_ref_page(c->walk.ref), .item = trace_ref_item(c->walk.ref),
		.size = rec->size, .room = stream_walk_room(&c->walk, rec),
		.in_page = (uint32_t)(rec->data - c->walk.sb.page), .key = rec->ts, .ts = rec->ts,
		.data = rec->data,
	};
	struct trace_event event, entry;

	trace_fill_event(c->cut->trace, c->lane->stream, &row, &event);
	return leaf_calls_entry(c->leaves, &event, &entry);
}

static bool matches(struct cutter *c, const struct record *rec, int type)
{
	for (unsigned int i = 0; i < c->cut->options.nr_filters; i++)
		if (!filter_run_match(c->runs[i], c->walk.ref, type, rec->data, rec->size,
				      stream_walk_room(&c->walk, rec),
				      stream_walk_ts(&c->walk, rec)))
			return false;
	return true;
}

/* As in report, a stack stays if its record does. */
static bool is_kept(struct cutter *c, const struct record *rec, bool native)
{
	int type = stream_walk_type(&c->walk, rec, native);
	uint8_t is = c->types[type];
	bool match = matches(c, rec, type);

	c->shown = match || (c->shown && is & IS_STACK) ||
		   (c->entered && is & IS_EXIT && leaves_leaf(c, rec));
	c->entered = match && is & IS_ENTRY;
	c->gap |= !c->shown && is & IS_NEEDED;
	return c->shown;
}

/* --- a page ------------------------------------------------------------------------- */

static void add_loss(struct cutter *c, bool known, uint64_t count)
{
	c->loss.lost = true;
	c->loss.known |= known;
	c->loss.count += known ? count : 0;
}

static inline __attribute__((always_inline)) void collect(struct cutter *c, bool native)
{
	const struct time_range *range = &c->cut->options.range;
	struct stream_walk walk = c->walk;
	struct record rec;

	while (stream_walk_next(&walk, &rec, native)) {
		bool inside = time_range_has(range, stream_walk_ts(&walk, &rec));

		c->inside = inside;
		/* what was lost before the window does not matter */
		if (!c->total && inside && walk.sb.lost)
			add_loss(c, walk.sb.lost_known, walk.sb.lost_count);
		c->total++;
		c->run = rec.ts > c->run ? rec.ts : c->run;
		if (inside && c->types) {
			c->walk.ref = walk.ref;
			inside = is_kept(c, &rec, native);
		} else {
			c->shown = c->entered = false;
		}
		if (!inside)
			continue;
		mem_grow(&c->kept, c->nr, &c->cap);
		c->kept[c->nr++] = (struct kept){ rec, c->gap };
		c->gap = false;
	}
	c->walk = walk;
}

/* --- what is written ---------------------------------------------------------------- */

static int flush(struct cutter *c, struct ft_error *err)
{
	int ret = trace_writer_pages(c->w, c->buffer, c->cpu, text_str(&c->out), c->out.len, err);

	text_clear(&c->out);
	return ret;
}

/* A sub-buffer that the file does not have whole is completed with zeros.  Return: its copy. */
static uint8_t *put_page(struct cutter *c, const uint8_t *page, uint32_t len)
{
	static const char zeros[TRACE_MAX_PAGE_SIZE];

	text_bytes(&c->out, (const char *)page, len);
	text_bytes(&c->out, zeros, c->page_size - len);
	c->made++;
	return (uint8_t *)c->out.data + c->out.len - c->page_size;
}

static void end_packed(struct cutter *c)
{
	if (!record_packer_is_empty(&c->packer))
		put_page(c, record_packer_end(&c->packer), c->page_size);
}

static void copy_page(struct cutter *c)
{
	const struct sub_buffer *sb = &c->walk.sb;
	bool added = c->loss.lost && !(sb->lost && c->loss.known == sb->lost_known &&
				       c->loss.count == sb->lost_count);
	uint8_t *copy;

	end_packed(c);
	copy = put_page(c, sb->page, (uint32_t)(c->walk.end - sb->page));
	if (added)
		record_packer_mark(c->walk.stream->layout, copy, &c->loss);
	c->loss = (struct record_loss){ .lost = false };
}

/*
 * Only the beginning of a sub-buffer can be marked.  So one begins at a gap, if as many were read
 * as are written then: the cut is never larger than what it was cut from.
 */
static void pack(struct cutter *c)
{
	for (unsigned int i = 0; i < c->nr; i++) {
		if (c->kept[i].gap)
			add_loss(c, false, 0);
		if (c->loss.lost && (c->made + 2 <= c->passed || (!i && c->walk.sb.lost)))
			end_packed(c);
		do {
			if (record_packer_is_empty(&c->packer)) {
				c->packer.loss = c->loss;
				c->loss = (struct record_loss){ .lost = false };
			}
			if (record_packer_add(&c->packer, c->walk.sb.page, &c->kept[i].rec))
				break;
			end_packed(c);
		} while (true);
	}
}

static void write_page(struct cutter *c)
{
	const struct sub_buffer *sb = &c->walk.sb;

	if (c->nr && c->nr == c->total && c->kept[0].gap)
		add_loss(c, false, 0);
	if (c->cut->whole ? sb->page != NULL : c->nr && c->nr == c->total) {
		copy_page(c);
		return;
	}
	if (!c->total && sb->lost && c->inside)
		add_loss(c, sb->lost_known, sb->lost_count);
	pack(c);
	/* what the damage hides cannot be packed */
	if (sb->damage != SUB_BUFFER_SOUND && c->inside)
		add_loss(c, false, 0);
}

/* --- a stream ----------------------------------------------------------------------- */

static bool is_over(const struct cutter *c)
{
	const struct time_range *range = &c->cut->options.range;

	return range->set && c->run && trace_clock_key(&c->walk.stream->clock, c->run) > range->to;
}

static int cut_pages(struct cutter *c, struct ft_error *err)
{
	while (!is_over(c) && stream_walk_page(&c->walk)) {
		if (workers_cancelled(&c->cut->group, 0))
			return ft_error_set(err, FT_E_CANCELLED, -1, "stopped");
		c->nr = c->total = 0;
		c->passed++;
		if (c->walk.native)
			collect(c, true);
		else
			collect(c, false);
		write_page(c);
		c->cut->events += c->nr;
		if (c->out.len >= BATCH_BYTES && flush(c, err))
			return -1;
	}
	end_packed(c);
	return flush(c, err);
}

static void free_cutter(struct cutter *c)
{
	for (unsigned int i = 0; i < c->cut->options.nr_filters; i++)
		filter_run_free(c->runs[i]);
	free(c->runs);
	free(c->types);
	free(c->kept);
	leaf_calls_free(c->leaves);
	record_packer_fini(&c->packer);
	text_fini(&c->out);
	stream_walk_end(&c->walk);
}

int cut_fill_stream(void *arg, struct trace_writer *w, int buffer, int cpu, struct ft_error *err)
{
	struct cut_lane *lane = arg;
	struct cutter c = { .cut = lane->cut, .lane = lane, .w = w, .buffer = buffer, .cpu = cpu,
			    .inside = !lane->cut->options.range.set };
	int ret = 0;

	stream_walk_begin(&c.walk, lane->cut->trace, lane->stream, lane->first, UINT64_MAX);
	c.page_size = c.walk.stream->layout->page_size;
	record_packer_init(&c.packer, c.walk.stream->layout);
	if (begin_filters(&c))
		ret = cut_pages(&c, err);
	free_cutter(&c);
	return ret;
}
