/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cut/cut.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/file/trace_file.h"
#include "parsers/source/page_maker.h"
#include "parsers/writer/record_packer.h"
#include "src/base/file_names.h"
#include "src/base/memory.h"
#include "src/base/workers.h"
#include "src/trace/leaf_calls.h"
#include "src/trace/stream_walk.h"

#define NR_TYPES	65536u		/* common_type */
#define OLD_VERSION	6		/* of a file that is no trace.dat: all programs read it */
#define RECORD_HEADER	8u
#define LINES_PAGE	(16u << 10)	/* bytes of a sub-buffer, where the source has none */
#define LAST_LINE	"\nsaved_tgids "	/* our own section's last line: bytes follow */

struct cut {
	struct trace		*trace;		/* borrowed */
	struct cut_options	 options;	/* words and hits are not kept */
	bool			 whole;		/* everything stays */
	bool			 is_made;	/* the file is no trace.dat: all is made anew */
	struct sub_buffer_layout layout;	/* of what is_made */
	char			**names;	/* of each file, in cut_new() */
	struct trace_writer	*writer;	/* owned until it is finished */
	struct cut_lane {			/* one CPU of a buffer */
		struct cut	*cut;		/* borrowed */
		unsigned int	 stream;	/* index in the trace */
	}			*lanes;		/* owned */
	unsigned int		 nr_lanes;
	struct workers		*thread;	/* owned: one worker */
	struct worker_group	 group;
	uint64_t		 events;	/* written; once it is done */
	int			 ret;
	struct ft_error		 err;
};

/* --- metadata ---------------------------------------------------------------------------- */

static int refuse_join(const struct cut *cut, unsigned int file, const char *why,
		       struct ft_error *err)
{
	return ft_error_set(err, FT_E_UNSUPPORTED, -1, "%s cannot be joined with %s: %s",
			    trace_path(cut->trace, file), trace_path(cut->trace, 0), why);
}

/* A file has room for one byte order, and for one way to convert times. */
static int check_join(const struct cut *cut, unsigned int file, struct ft_error *err)
{
	const struct source *a = trace_file_of(cut->trace, 0), *b = trace_file_of(cut->trace, file);
	const struct source_info *x = source_info(a), *y = source_info(b);
	const struct sub_buffer_layout *p = &source_buffer(a, 0)->layout,
				       *q = &source_buffer(b, 0)->layout;

	if (p->big_endian != q->big_endian || p->long_size != q->long_size ||
	    p->data_offset != q->data_offset || p->commit_offset != q->commit_offset)
		return refuse_join(cut, file, "its byte order or size of long is another", err);
	if (x->date_us != y->date_us || x->offset_ns != y->offset_ns ||
	    x->tsc_mult != y->tsc_mult || x->tsc_shift != y->tsc_shift ||
	    x->has_trace_clock != y->has_trace_clock || source_time_shift(a, 0, NULL, NULL) ||
	    source_time_shift(b, 0, NULL, NULL))
		return refuse_join(cut, file, "its times are converted in another way", err);
	return 0;
}

/* --- formats and texts ------------------------------------------------------------------ */

/* Is the format new?  -1: an earlier file has another one with its number. */
static int is_new_format(const struct cut *cut, unsigned int file,
			 const struct source_format *format, struct ft_error *err)
{
	for (unsigned int f = 0; f < file; f++) {
		const struct source_format *other = source_format_by_id(trace_file_of(cut->trace,
										      f),
									format->id);

		if (!other)
			continue;
		if (other->size == format->size && !memcmp(other->text, format->text, format->size))
			return 0;
		return refuse_join(cut, file, "its kernel has other event types", err);
	}
	return 1;
}

/* In a trace.dat, the text of a latency tracer has formats and symbols that are not the file's. */
static bool is_latency_text(const struct cut *cut, unsigned int file)
{
	return source_info(trace_file_of(cut->trace, file))->is_text && !cut->is_made;
}

static int put_formats(const struct cut *cut, unsigned int file, struct ft_error *err)
{
	const struct source *from = trace_file_of(cut->trace, file);
	unsigned int nr = is_latency_text(cut, file) ? 0 : source_nr_formats(from);
	struct text text = { 0 };

	for (unsigned int i = 0; i < nr; i++) {
		const struct source_format *f = source_format(from, i);
		int is_new = is_new_format(cut, file, f, err);

		if (is_new < 0)
			return -1;
		if (!is_new)
			continue;
		text_clear(&text);
		source_file_format(from, i, &text);
		trace_writer_format(cut->writer, f->system, text_str(&text), text.len);
	}
	text_fini(&text);
	return 0;
}

/*
 * Bytes of the kernel's own symbols, which come first.  Those of modules follow: "ADDRESS t
 * NAME\t[MODULE]".
 */
static size_t kernel_symbols(const char *symbols, size_t size)
{
	const char *module = memmem(symbols, size, "\t[", 2);

	while (module && module > symbols && module[-1] != '\n')
		module--;
	return module ? (size_t)(module - symbols) : size;
}

/*
 * Write a text: that of the first file that has one.  @is_list: also those of the other files,
 * unless they are equal; of kallsyms the symbols of modules, if the kernel's own are equal.
 */
static int put_text(const struct cut *cut, enum trace_text kind, bool is_list, struct ft_error *err)
{
	struct text all = { 0 };
	int ret = 0;

	for (unsigned int f = 0; f < trace_nr_files(cut->trace) && !ret; f++) {
		const struct source *file = trace_file_of(cut->trace, f);
		uint64_t size;
		const char *t = source_text(file, kind, &size);
		size_t core;

		if (kind == TRACE_TEXT_KALLSYMS && is_latency_text(cut, f))
			continue;
		if (all.len && (!is_list || (all.len == size && !memcmp(all.data, t, size))))
			continue;
		core = kind == TRACE_TEXT_KALLSYMS && all.len ? kernel_symbols(t, size) : 0;
		if (core &&
		    (core != kernel_symbols(all.data, all.len) || memcmp(t, all.data, core)))
			ret = refuse_join(
				cut, f,
				"its kernel is another one or was started another time, as functions have other addresses",
				err);
		text_bytes(&all, t + core, size - core);
	}
	trace_writer_text(cut->writer, kind, text_str(&all), all.len);
	text_fini(&all);
	return ret;
}

static int put_texts(const struct cut *cut, struct ft_error *err)
{
	static const struct {
		enum trace_text	kind;
		bool		is_list;
	} texts[] = {
		{ TRACE_TEXT_HEADER_PAGE, false }, { TRACE_TEXT_HEADER_EVENT, false },
		{ TRACE_TEXT_KALLSYMS, true },	   { TRACE_TEXT_PRINTK, true },
		{ TRACE_TEXT_CMDLINES, true },	   { TRACE_TEXT_BTF, false },
		{ TRACE_TEXT_MODULES, true },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && !ret; i++)
		ret = put_text(cut, texts[i].kind, texts[i].is_list, err);
	return ret;
}

/* What the kernel says of its sub-buffers, for those that are made here. */
static void put_headers(const struct cut *cut)
{
	struct text page = { 0 }, event = { 0 };

	page_maker_headers(cut->layout.page_size, &page, &event);
	trace_writer_text(cut->writer, TRACE_TEXT_HEADER_PAGE, text_str(&page), page.len);
	trace_writer_text(cut->writer, TRACE_TEXT_HEADER_EVENT, text_str(&event), event.len);
	text_fini(&page);
	text_fini(&event);
}

/* --- options -------------------------------------------------------------------------- */

/*
 * Name of a buffer in the new file.  If there are several files, only the first one's top buffer
 * stays the top one.
 */
static void buffer_name(const struct cut *cut, unsigned int file, const char *name,
			struct text *out)
{
	const char *file_name = cut->names[file];
	size_t len = strlen(file_name);

	if (file)
		text_bytes(out, file_name,
			   len > 4 && !strcmp(file_name + len - 4, ".dat") ? len - 4 : len);
	if (file && *name)
		text_char(out, ':');
	text_add(out, name);
}

/*
 * The kernel's statistics of another file than the first: its buffers have other names here.  Those
 * of each buffer but the top one come after a heading.
 */
static void put_stats(const struct cut *cut, unsigned int file, const void *data, size_t size,
		      bool is_first)
{
	static const char heading[] = "\nBuffer: ";
	struct text t = { 0 }, name = { 0 };
	const char *old;

	text_bytes(&t, data, size);
	old = strncmp(text_str(&t), heading, strlen(heading)) ? NULL :
								text_str(&t) + strlen(heading);
	if (old)
		text_bytes(&name, old, strcspn(old, "\n"));
	if (old || is_first) {
		struct text words = { 0 };

		text_add(&words, heading);
		buffer_name(cut, file, text_str(&name), &words);
		text_add(&words, "\n\n");
		trace_writer_option(cut->writer, TRACE_OPTION_CPUSTAT, text_str(&words),
				    (uint32_t)words.len + 1);
		text_fini(&words);
	}
	if (!old)
		trace_writer_option(cut->writer, TRACE_OPTION_CPUSTAT, data, (uint32_t)size);
	text_fini(&name);
	text_fini(&t);
}

/*
 * All of the first file; of the others only the addresses of their processes, and the kernel's
 * statistics.
 */
static void put_options(const struct cut *cut, unsigned int file)
{
	const struct source *from = trace_file_of(cut->trace, file);
	bool has_stats = false;

	for (unsigned int i = 0; i < trace_file_nr_options(from); i++) {
		const struct trace_file_option *option = trace_file_option(from, i);

		if (file && option->id == TRACE_OPTION_CPUSTAT) {
			put_stats(cut, file, option->data, option->size, !has_stats);
			has_stats = true;
		} else if (!file || option->id == TRACE_OPTION_PROCMAPS) {
			trace_writer_option(cut->writer, option->id, option->data, option->size);
		}
	}
}

/* Of a text: stamps may have another zero than its times, and another unit than ns. */
static void put_times(const struct cut *cut)
{
	const struct source *from = trace_file_of(cut->trace, 0);
	uint64_t zero = source_info(from)->zero;
	struct text t = { 0 };

	if (*source_buffer(from, 0)->clock) {
		text_printf(&t, "[%s]", source_buffer(from, 0)->clock);
		trace_writer_clock(cut->writer, text_str(&t));
		text_clear(&t);
	}
	text_printf(&t, "-%" PRIu64, zero);
	if (zero)
		trace_writer_option(cut->writer, TRACE_OPTION_OFFSET, text_str(&t),
				    (uint32_t)t.len + 1);
	text_fini(&t);
}

/* "hit" before each of the lines. */
static void add_hits(const char *lines, struct text *out)
{
	for (size_t len; *lines; lines += len) {
		len = strcspn(lines, "\n");
		len += lines[len] == '\n';
		text_add(out, "hit ");
		text_bytes(out, lines, len);
	}
}

/*
 * Were events of a CPU that stays lost between the last one of the window and the next one, or
 * behind the CPU's last one?
 */
static bool ends_in_gap(const struct cut *cut, unsigned int stream)
{
	int64_t to = cut->options.range.set ? cut->options.range.to : INT64_MAX;
	const struct trace_stream *s = trace_stream_at(cut->trace, stream);
	struct trace_stream_info info;
	struct stream_walk walk = { 0 };
	struct record rec;
	bool is_found = false, is_gap = false;

	if (cut->whole || (cut->options.streams && !cut->options.streams[stream]))
		return false;
	info = trace_stream_info(cut->trace, stream);
	if (!s->has_events || to >= s->last_ts)
		return info.lacks_end;
	if (to < s->first_ts && !info.lost_events && !info.lost_unknown && !info.lost_perhaps)
		return false;			/* a ring let go of it */
	stream_walk_begin_window(&walk, cut->trace, stream, to, INT64_MAX);
	while (!is_found && stream_walk_page(&walk))
		for (bool is_first = true; !is_found && stream_walk_next(&walk, &rec, walk.native);
		     is_first = false) {
			is_found = stream_walk_ts(&walk, &rec) > to;
			is_gap = is_found && is_first && walk.sb.lost;
		}
	stream_walk_end(&walk);
	return is_gap;
}

/* Our own section of the first file, with the names that tasks have in the part. */
static const char *own_section(const struct cut *cut, struct text *own, uint64_t *size)
{
	const struct source *first = trace_file_of(cut->trace, 0);
	struct text names = { 0 };

	for (unsigned int f = 0; f < trace_nr_files(cut->trace) && !cut->whole; f++)
		trace_write_names(cut->trace, f, &cut->options.range, &names);
	if (names.len)
		trace_file_with_block(first, TRACE_TEXT_NAMES, &names, own);
	text_fini(&names);
	*size = own->len;
	return own->len ? text_str(own) : source_text(first, TRACE_TEXT_PRIVATE, size);
}

/*
 * Our own section, with a line that says what was chosen, one if not all losses are marked, one
 * about the times of a text, and the hits.
 */
static void put_private(const struct cut *cut, const char *words, const char *hits)
{
	const struct source_info *info = source_info(trace_file_of(cut->trace, 0));
	bool has_times = !cut->is_made || !(info->step || info->is_untimed), is_gap = false;
	uint64_t size;
	struct text t = { 0 }, own = { 0 };
	const char *text = own_section(cut, &own, &size);
	const char *end = memmem(text, size, LAST_LINE, sizeof(LAST_LINE) - 1);
	size_t head = end ? (size_t)(end - text) + 1 : size;

	text_bytes(&t, text, head);
	if (!size && (*words || *hits || !has_times))
		text_add(&t, TRACE_PRIVATE_MAGIC);
	if (!has_times && info->is_untimed)
		text_add(&t, "untimed\n");
	else if (!has_times)
		text_printf(&t, "step %" PRIu64 "\n", info->step);
	if (*words) {
		text_add(&t, "cut ");
		text_printable(&t, words, strlen(words));
		text_char(&t, '\n');
	}
	for (unsigned int s = 0; s < trace_nr_streams(cut->trace) && !is_gap; s++)
		is_gap = ends_in_gap(cut, s);
	if (is_gap)
		text_add(&t, "cut " SOURCE_CUT_IN_GAP "\n");
	add_hits(hits, &t);
	text_bytes(&t, text + head, size - head);
	trace_writer_text(cut->writer, TRACE_TEXT_PRIVATE, text_str(&t), t.len);
	text_fini(&own);
	text_fini(&t);
}

static int write_metadata(const struct cut *cut, const struct cut_options *options,
			  struct ft_error *err)
{
	const struct source_info *info = source_info(trace_file_of(cut->trace, 0));
	int nr_cpus = 0;

	for (unsigned int f = 0; f < trace_nr_files(cut->trace); f++) {
		int nr = source_info(trace_file_of(cut->trace, f))->cpu_count;

		nr_cpus = nr > nr_cpus ? nr : nr_cpus;
		if ((f && check_join(cut, f, err)) || put_formats(cut, f, err))
			return -1;
		if (!cut->is_made)
			put_options(cut, f);
	}
	if (info->has_trace_clock)
		trace_writer_clock(cut->writer, info->clock_text);
	if (cut->is_made) {
		put_times(cut);
		put_headers(cut);
	}
	trace_writer_cpu_count(cut->writer, (uint32_t)nr_cpus);
	put_private(cut, options->words, options->hits ?: "");
	return put_texts(cut, err);
}

struct kept {				/* a record of the page that stays */
	struct record	rec;
	bool		gap;		/* one that readers need was taken out before it */
};

enum { IS_NEEDED = 1, IS_STACK = 2, IS_ENTRY = 4, IS_EXIT = 8 };

struct cutter {
	struct cut		*cut;
	struct trace_writer	*w;
	int			buffer, cpu;	/* the writer's */
	unsigned int		stream;
	struct stream_walk	walk;
	/* which records stay */
	struct filter_runs	filters;
	uint8_t			*types;		/* owned, [NR_TYPES]: IS_… */
	struct leaf_calls	*leaves;	/* owned */
	bool			shown;		/* the record before stays */
	bool			entered;	/* and is an entry that matched */
	bool			gap;		/* see struct kept, for the next one */
	bool			inside;		/* the window contains the record before */
	/* the current page */
	struct kept		*kept;		/* owned */
	unsigned int		nr, cap, total;	/* that stay; all records */
	/* what is written */
	struct record_packer	packer;
	struct record_loss	loss;		/* to be marked where the next sub-buffer begins */
	uint64_t		passed, made;	/* sub-buffers that were read, and written */
	const struct sub_buffer_layout *layout;	/* borrowed: of what is written */
	uint8_t			*page;		/* owned: one that is copied; a record made anew */
	int			ret;		/* what the writer returned */
	struct ft_error		*err;		/* borrowed */
};

/* --- which records stay ------------------------------------------------------------- */

/*
 * IS_NEEDED: where there is no such record, readers conclude that nothing happened: a task slept
 * on, a function called no other.
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

/* False: no record of the stream can match. */
static bool begin_filters(struct cutter *c)
{
	const struct cut_options *o = &c->cut->options;

	filter_runs_init(&c->filters, o->filters, o->nr_filters);
	if (!filter_runs_stream(&c->filters, c->stream))
		return false;
	if (!o->nr_filters)
		return true;
	c->types = mem_array(NR_TYPES, sizeof(*c->types));
	c->leaves = leaf_calls_new(c->cut->trace);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct event_type *type = event_types_by_name(c->walk.source->types,
								    types[i].system, types[i].name);

		if (!type || type->id < 0 || type->id >= (int)NR_TYPES)
			continue;
		c->types[type->id] = types[i].is;
		/* a type of which no record stays is treated as one that was not recorded */
		if (!filter_runs_type(&c->filters, type->id))
			c->types[type->id] &= ~IS_NEEDED;
	}
	return true;
}

/* Is a record the exit of the leaf call that the record before enters?  Both are one row. */
static bool is_exit_of_leaf(struct cutter *c, const struct record *rec)
{
	const struct cursor_row row = {
		.page = trace_ref_page(c->walk.ref),
		.item = trace_ref_item(c->walk.ref),
		.size = rec->size,
		.room = stream_walk_room(&c->walk, rec),
		.in_page = (uint32_t)(rec->data - c->walk.sb.page),
		.key = rec->ts,
		.ts = rec->ts,
		.data = rec->data,
	};
	struct trace_event event, entry;

	trace_fill_event(c->cut->trace, c->stream, &row, &event);
	return leaf_calls_entry(c->leaves, &event, &entry);
}

/* As in report, a stack stays if its record does. */
static bool is_kept(struct cutter *c, const struct record *rec, bool native)
{
	int type = stream_walk_type(&c->walk, rec, native);
	uint8_t is = c->types[type];
	bool match = filter_runs_match(&c->filters, c->walk.ref, type, rec->data, rec->size,
				       stream_walk_room(&c->walk, rec),
				       stream_walk_ts(&c->walk, rec));

	c->shown = match || (c->shown && is & IS_STACK) ||
		   (c->entered && is & IS_EXIT && is_exit_of_leaf(c, rec));
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

static void put_page(struct cutter *c, const uint8_t *page)
{
	c->ret |= trace_writer_pages(c->w, c->buffer, c->cpu, page, c->layout->page_size, c->err);
	c->made++;
}

static void end_packed(struct cutter *c)
{
	if (!record_packer_is_empty(&c->packer))
		put_page(c, record_packer_end(&c->packer));
}

/* A sub-buffer that the file does not have whole is completed with zeros. */
static void copy_page(struct cutter *c)
{
	const struct sub_buffer *sb = &c->walk.sb;
	bool added = c->loss.lost && !(sb->lost && c->loss.known == sb->lost_known &&
				       c->loss.count == sb->lost_count);
	uint32_t len = (uint32_t)(c->walk.end - sb->page);

	end_packed(c);
	memcpy(c->page, sb->page, len);
	memset(c->page + len, 0, c->layout->page_size - len);
	if (added)
		record_packer_mark(c->layout, c->page, &c->loss);
	put_page(c, c->page);
	c->loss = (struct record_loss){ .lost = false };
}

/* Make the record of a file that has none, after the two words of its header.  False: no room. */
static bool make_record(struct cutter *c, struct record *rec)
{
	uint32_t room = c->layout->page_size - c->layout->data_offset - RECORD_HEADER,
		 size = source_file_record(c->walk.source->file, rec->data, rec->size,
					   c->page + RECORD_HEADER, room - c->layout->long_size);

	store_u32(c->page, 0, false);
	store_u32(c->page + 4, size + 4, c->layout->swap);
	*rec = (struct record){ .data = c->page + RECORD_HEADER, .size = size, .ts = rec->ts };
	return size;
}

static bool add_record(struct cutter *c, const struct record *rec)
{
	return record_packer_add(&c->packer, c->cut->is_made ? c->page : c->walk.sb.page, rec);
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
		if (c->cut->is_made && !make_record(c, &c->kept[i].rec)) {
			add_loss(c, true, 1);
			continue;
		}
		if (c->loss.lost && (c->made + 2 <= c->passed || (!i && c->walk.sb.lost)))
			end_packed(c);
		do {
			if (record_packer_is_empty(&c->packer)) {
				c->packer.loss = c->loss;
				c->loss = (struct record_loss){ .lost = false };
			}
			if (add_record(c, &c->kept[i].rec))
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
	if (c->cut->is_made ? false :
	    c->cut->whole   ? sb->page != NULL :
			      c->nr && c->nr == c->total) {
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

static int cut_pages(struct cutter *c)
{
	while (!c->ret && stream_walk_page(&c->walk)) {
		if (workers_cancelled(&c->cut->group, 0))
			return ft_error_set(c->err, FT_E_CANCELLED, -1, "stopped");
		c->nr = c->total = 0;
		c->passed += c->cut->is_made ? c->walk.stream->layout->page_size / LINES_PAGE : 1;
		if (c->walk.native)
			collect(c, true);
		else
			collect(c, false);
		write_page(c);
		c->cut->events += c->nr;
	}
	end_packed(c);
	return c->ret;
}

static void free_cutter(struct cutter *c)
{
	filter_runs_fini(&c->filters);
	free(c->types);
	free(c->kept);
	leaf_calls_free(c->leaves);
	record_packer_fini(&c->packer);
	free(c->page);
	stream_walk_end(&c->walk);
}

static int fill_stream(void *arg, struct trace_writer *w, int buffer, int cpu, struct ft_error *err)
{
	const struct cut_lane *lane = arg;
	const struct time_range *range = &lane->cut->options.range;
	struct cutter c = { .cut = lane->cut,
			    .stream = lane->stream,
			    .w = w,
			    .buffer = buffer,
			    .cpu = cpu,
			    .inside = !range->set,
			    .err = err };
	int ret = 0;

	stream_walk_begin_window(&c.walk, lane->cut->trace, lane->stream,
				 range->set ? range->from : INT64_MIN,
				 range->set ? range->to : INT64_MAX);
	c.layout = lane->cut->is_made ? &lane->cut->layout : c.walk.stream->layout;
	record_packer_init(&c.packer, c.layout);
	c.page = mem_array(c.layout->page_size, 1);
	if (begin_filters(&c))
		ret = cut_pages(&c);
	free_cutter(&c);
	return ret;
}

/* --- buffers ---------------------------------------------------------------------- */

/* Is it a stream of the buffer, and does it stay? */
static bool is_wanted(const struct cut *cut, unsigned int stream, unsigned int file,
		      unsigned int buffer)
{
	const struct trace_stream *s = trace_stream_at(cut->trace, stream);

	return s->source == file && s->buffer == buffer &&
	       (!cut->options.streams || cut->options.streams[stream]);
}

/* In version 7, a CPU without data is one whose data was lost. */
static bool is_lost(const struct cut *cut, unsigned int stream)
{
	const struct trace_stream *s = trace_stream_at(cut->trace, stream);

	return source_info(trace_file_of(cut->trace, s->source))->version == 7 &&
	       !trace_stream_pages(cut->trace, s);
}

static int add_buffer(struct cut *cut, unsigned int file, unsigned int i, struct ft_error *err)
{
	const struct source_buffer *b = source_buffer(trace_file_of(cut->trace, file), i);
	unsigned int nr = trace_nr_streams(cut->trace);
	bool stays = !cut->options.streams;
	struct text name = { 0 };
	const char *text;
	uint64_t size;
	int number;

	for (unsigned int s = 0; s < nr; s++)
		stays |= is_wanted(cut, s, file, i);
	if (!stays)
		return 0;
	buffer_name(cut, file, b->name, &name);
	number = trace_writer_buffer(cut->writer, text_str(&name), *b->clock ? b->clock : NULL,
				     b->is_text || cut->is_made ? 0 : b->layout.page_size);
	text_fini(&name);
	if (b->is_text) {
		text = trace_file_latency_text(trace_file_of(cut->trace, file), i, &size);
		return trace_writer_latency_text(cut->writer, number, text, size, err);
	}
	for (unsigned int s = 0; s < nr; s++) {
		if (!is_wanted(cut, s, file, i))
			continue;
		cut->lanes[cut->nr_lanes] = (struct cut_lane){ cut, s };
		trace_writer_fill(cut->writer, number, trace_stream_at(cut->trace, s)->cpu,
				  fill_stream, &cut->lanes[cut->nr_lanes++]);
		if (is_lost(cut, s))
			trace_writer_list(cut->writer, number, trace_stream_at(cut->trace, s)->cpu);
	}
	return 0;
}

static int add_buffers(struct cut *cut, struct ft_error *err)
{
	int ret = 0;

	cut->lanes = mem_array(trace_nr_streams(cut->trace) + 1ul, sizeof(*cut->lanes));
	for (unsigned int f = 0; f < trace_nr_files(cut->trace); f++)
		for (unsigned int b = 0;
		     b < source_nr_buffers(trace_file_of(cut->trace, f)) && !ret; b++)
			ret = add_buffer(cut, f, b, err);
	return ret;
}

/* --- the file --------------------------------------------------------------------- */

static enum trace_compression compression_of(const struct source_info *info)
{
	return !strcmp(info->compression, "zstd") ? TRACE_ZSTD :
	       !strcmp(info->compression, "zlib") ? TRACE_ZLIB :
						    TRACE_PLAIN;
}

static int open_writer(struct cut *cut, int fd, struct ft_error *err)
{
	const struct cut_options *o = &cut->options;
	const struct source *first = trace_file_of(cut->trace, 0);
	const struct source_info *info = source_info(first);
	const struct sub_buffer_layout *layout = cut->is_made ? &cut->layout :
								&source_buffer(first, 0)->layout;
	struct trace_writer_options options = {
		.version = o->version   ? o->version :
			   cut->is_made ? OLD_VERSION :
					  info->version,
		.big_endian = info->big_endian,
		.long_size = info->user_long_size == 4 || info->user_long_size == 8 ?
				     info->user_long_size :
				     layout->long_size,
		.page_size = layout->page_size,
		.compression = o->has_compression ? o->compression :
			       o->version == 6	  ? TRACE_PLAIN :
						    compression_of(info),
		.workers = trace_workers(cut->trace),
		.fd = fd,
	};

	if (options.compression != TRACE_PLAIN && !o->version)
		options.version = 7;
	cut->writer = trace_writer_new(o->name, &options, err);
	return cut->writer ? 0 : -1;
}

static void write_file(void *arg, unsigned int worker, bool cancelled)
{
	struct cut *cut = arg;

	(void)worker;
	if (cancelled)
		return;
	cut->ret = trace_writer_finish(cut->writer, &cut->err);
	cut->writer = NULL;
}

static int check_file(const struct cut *cut, unsigned int file, struct ft_error *err)
{
	const struct source *f = trace_file_of(cut->trace, file);
	const char *path = trace_path(cut->trace, file);

	if (!source_info(f)->version && trace_nr_files(cut->trace) > 1)
		return ft_error_set(
			err, FT_E_UNSUPPORTED, -1,
			"%s is %s, and only several trace.dat become one: cut it into a trace.dat, which has all of it",
			path, source_info(f)->form);
	if (source_info(f)->is_hist)
		return ft_error_set(err, FT_E_UNSUPPORTED, -1,
				    "%s has histograms, but no events for a trace.dat", path);
	if (is_latency_text(cut, file) && !cut->whole)
		return ft_error_set(
			err, FT_E_UNSUPPORTED, -1,
			"%s holds the text of a latency tracer, which is written whole or not at all; ftop-trace report prints a part of it",
			path);
	return 0;
}

static char **name_files(const struct trace *trace)
{
	unsigned int nr = trace_nr_files(trace);
	const char **paths = mem_array(nr, sizeof(*paths));
	char **names;

	for (unsigned int f = 0; f < nr; f++)
		paths[f] = trace_path(trace, f);
	names = file_names_new(paths, nr);
	free(paths);
	return names;
}

struct cut *cut_new(struct trace *trace, const struct cut_options *options, int fd,
		    struct ft_error *err)
{
	struct cut *cut = mem_alloc(sizeof(*cut));
	int ret = 0;

	cut->trace = trace;
	cut->names = name_files(trace);
	cut->options = *options;
	cut->options.words = cut->options.hits = NULL;
	cut->whole = !options->range.set && !options->streams && !options->nr_filters;
	cut->is_made = !source_info(trace_file_of(trace, 0))->version;
	cut->layout = page_maker_layout(LINES_PAGE,
					source_info(trace_file_of(trace, 0))->big_endian);
	for (unsigned int f = 0; f < trace_nr_files(trace) && !ret; f++)
		ret = check_file(cut, f, err);
	if (ret)
		close(fd);
	else
		ret = open_writer(cut, fd, err);
	if (!ret)
		ret = write_metadata(cut, options, err);
	if (!ret)
		ret = add_buffers(cut, err);
	file_names_free(cut->names, trace_nr_files(trace));
	if (ret) {
		cut_free(cut);
		return NULL;
	}
	cut->thread = workers_new(1);
	workers_add(cut->thread, &cut->group, WORKER_REQUESTED, write_file, cut);
	return cut;
}

void cut_free(struct cut *cut)
{
	if (!cut)
		return;
	if (cut->thread) {
		workers_cancel(&cut->group);
		workers_wait(cut->thread, &cut->group);
	}
	workers_free(cut->thread);
	trace_writer_abort(cut->writer);
	free(cut->lanes);
	free(cut);
}

bool cut_is_done(const struct cut *cut)
{
	return !atomic_load(&cut->group.pending);
}

int cut_finish(struct cut *cut, uint64_t *events, struct ft_error *err)
{
	workers_wait(cut->thread, &cut->group);
	*events = cut->events;
	if (cut->ret && err)
		*err = cut->err;
	return cut->ret;
}
