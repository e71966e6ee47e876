/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_file_v6 - the one fixed sequence of version 6.
 *
 *   header_page header_event ftrace-formats formats kallsyms printk cmdlines cpus
 *   [options] flyrecord|latency CPU-table [clock] … CPU data
 *
 * Texts are skipped by their lengths, not read: kallsyms may be ten megabytes. Format:
 * trace-cmd.dat.v6(5).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/file/trace_file_private.h"

#define WINDOW_BYTES	((size_t)64 << 10)
#define TAG_BYTES	10u
#define MAX_CLOCK_TEXT	4096u
#define MAX_SEARCH	((uint64_t)256 << 20)	/* bytes searched for a lost table */

/* Reads consecutive numbers and strings, and skips cheaply.  A failure sticks. */
struct sequence {
	struct trace_file	*file;
	uint64_t		 pos;
	uint8_t			*window;	/* owned, WINDOW_BYTES */
	uint64_t		 window_offset;
	size_t			 window_len;
	uint64_t		 options_start;	/* file offset of their tag */
	bool			 failed;
	struct ft_error		 err;		/* the first failure */
};

static int sequence_fail(struct sequence *seq, enum ft_error_code code, const char *what)
{
	if (!seq->failed)
		ft_error_set(&seq->err, code, (int64_t)seq->pos, "%s", what);
	seq->failed = true;
	return -1;
}

/*
 * The next n <= WINDOW_BYTES bytes, without advancing; NULL, with `failed` set, past the end of the
 * file.
 */
static const uint8_t *sequence_peek(struct sequence *seq, size_t n)
{
	int64_t got;

	if (seq->failed)
		return NULL;
	if (seq->pos >= seq->window_offset && seq->pos - seq->window_offset <= seq->window_len &&
	    n <= seq->window_len - (seq->pos - seq->window_offset))
		return seq->window + (seq->pos - seq->window_offset);
	got = read_at(seq->file->base.fd, seq->window, WINDOW_BYTES, seq->pos);
	if (got < 0) {
		ft_error_errno(&seq->err, errno, (int64_t)seq->pos, "cannot read");
		seq->failed = true;
		return NULL;
	}
	seq->window_offset = seq->pos;
	seq->window_len = (size_t)got;
	if (n > seq->window_len) {
		sequence_fail(seq, FT_E_FORMAT, "the file ends here, before its trace data");
		return NULL;
	}
	return seq->window;
}

static uint32_t sequence_u32(struct sequence *seq)
{
	const uint8_t *p = sequence_peek(seq, 4);

	seq->pos += p ? 4 : 0;
	return p ? load_u32(p, seq->file->swap) : 0;
}

static uint64_t sequence_u64(struct sequence *seq)
{
	const uint8_t *p = sequence_peek(seq, 8);

	seq->pos += p ? 8 : 0;
	return p ? load_u64(p, seq->file->swap) : 0;
}

static bool sequence_expect(struct sequence *seq, const char *tag, size_t n)
{
	const uint8_t *p = sequence_peek(seq, n);

	if (!p || memcmp(p, tag, n))
		return false;
	seq->pos += n;
	return true;
}

static void sequence_skip(struct sequence *seq, uint64_t n)
{
	if (seq->failed)
		return;
	if (n > seq->file->base.info.size || seq->pos > seq->file->base.info.size - n) {
		ft_error_set(&seq->err, FT_E_FORMAT, (int64_t)seq->pos,
			     "a text of %" PRIu64
			     " bytes begins here, but the file ends at %" PRIu64,
			     n, seq->file->base.info.size);
		seq->failed = true;
		return;
	}
	seq->pos += n;
}

static void sequence_skip_string(struct sequence *seq)
{
	const uint8_t *p = sequence_peek(seq, 1), *nul;
	size_t left;

	if (!p)
		return;
	left = seq->window_len - (size_t)(p - seq->window);
	nul = memchr(p, 0, left);
	if (!nul && left < MAX_STRING) {	/* refill the window from here */
		seq->window_len = 0;
		p = sequence_peek(seq, 1);
		nul = p ? memchr(p, 0, seq->window_len) : NULL;
	}
	if (!nul) {
		sequence_fail(seq, FT_E_FORMAT, "the name of an event system has no end");
		return;
	}
	seq->pos += (uint64_t)(nul - p) + 1;
}

/* --- metadata ------------------------------------------------------------- */

static void set_part(struct sequence *seq, enum metadata_kind kind, uint64_t start)
{
	if (!seq->failed)
		seq->file->metadata[kind] = (struct metadata){
			.offset = start, .size = seq->pos - start, .present = true,
		};
}

static void skip_header_info(struct sequence *seq)
{
	uint64_t start = seq->pos;

	if (!sequence_expect(seq, "header_page", 12))
		sequence_fail(seq, FT_E_FORMAT, "no \"header_page\" here");
	sequence_skip(seq, sequence_u64(seq));
	if (!sequence_expect(seq, "header_event", 13))
		sequence_fail(seq, FT_E_FORMAT, "no \"header_event\" here");
	sequence_skip(seq, sequence_u64(seq));
	set_part(seq, META_HEADER_INFO, start);
}

static void skip_formats(struct sequence *seq)
{
	uint32_t nr = sequence_u32(seq);

	if (nr > TRACE_MAX_FORMATS) {
		seq->pos -= 4;
		sequence_fail(seq, FT_E_LIMIT, "more event formats than there are event ids");
	}
	for (uint32_t i = 0; i < nr && !seq->failed; i++)
		sequence_skip(seq, sequence_u64(seq));
}

static void skip_events(struct sequence *seq)
{
	uint64_t start = seq->pos;
	uint32_t systems;

	skip_formats(seq);
	set_part(seq, META_FTRACE, start);
	start = seq->pos;
	systems = sequence_u32(seq);
	if (systems > TRACE_MAX_FORMATS) {
		seq->pos -= 4;
		sequence_fail(seq, FT_E_LIMIT, "more event systems than there are event ids");
	}
	for (uint32_t i = 0; i < systems && !seq->failed; i++) {
		sequence_skip_string(seq);
		skip_formats(seq);
	}
	set_part(seq, META_EVENTS, start);
}

static void skip_texts(struct sequence *seq)
{
	uint64_t start = seq->pos;

	sequence_skip(seq, sequence_u32(seq));
	set_part(seq, META_KALLSYMS, start);
	start = seq->pos;
	sequence_skip(seq, sequence_u32(seq));
	set_part(seq, META_PRINTK, start);
	start = seq->pos;
	sequence_skip(seq, sequence_u64(seq));
	set_part(seq, META_CMDLINES, start);
}

/* --- options -------------------------------------------------------------- */

/* The end of the list, past its closing 0. */
static uint64_t find_options_end(struct sequence *seq)
{
	for (unsigned int nr = 0; !seq->failed && nr <= TRACE_MAX_OPTIONS; nr++) {
		const uint8_t *p = sequence_peek(seq, 2);

		if (!p)
			break;
		seq->pos += 2;
		if (!load_u16(p, seq->file->swap))
			break;
		sequence_skip(seq, sequence_u32(seq));
	}
	return seq->pos;
}

static void read_options(struct sequence *seq)
{
	struct trace_file *file = seq->file;
	struct option_source source = { .offset = seq->pos };
	uint64_t start = seq->pos, end = find_options_end(seq);
	struct ft_error err = { 0 };
	struct byte_reader r;
	uint8_t *data;

	if (end - start > TRACE_MAX_OPTION_BYTES) {
		source_add_warning(&file->base, (int64_t)start,
				   "%" PRIu64 " bytes of options, but not more than %u are read",
				   end - start, TRACE_MAX_OPTION_BYTES);
		end = start + TRACE_MAX_OPTION_BYTES;
	}
	data = trace_file_load(file, start, end - start, &err);
	if (!data) {
		source_add_warning(&file->base, err.offset, "options: %s", err.message);
		return;
	}
	byte_reader_init(&r, data, end - start, start, file->swap);
	trace_file_keep_blob(file, data);
	trace_options_parse(file, &r, &source);
}

/* --- CPU tables ----------------------------------------------------------- */

/* u64 length, text like "[local] global": the clock after a table, or NULL. */
static const char *try_clock(struct sequence *seq)
{
	uint64_t len = sequence_u64(seq);
	const uint8_t *p = len && len <= MAX_CLOCK_TEXT ? sequence_peek(seq, (size_t)len) : NULL;

	if (!p || !memchr(p, '[', (size_t)len))
		return NULL;
	seq->pos += len;
	return trace_file_arena_string(seq->file, (const char *)p, (size_t)len);
}

/*
 * If the options contain TRACECLOCK, a clock follows the table.  trace-cmd adds pairs of zeros to a
 * table that has fewer CPUs than another one, so the clock may come later than the count of CPUs
 * suggests.
 */
static void read_clock(struct sequence *seq, struct draft_buffer *draft, unsigned int nr,
		       unsigned int nr_most)
{
	struct trace_file *file = seq->file;
	uint64_t start = seq->pos;
	const char *text = NULL;

	for (unsigned int extra = 0; !text && extra <= nr_most - nr + 1 && extra <= 1024; extra++) {
		seq->pos = start + 16 * (uint64_t)extra;
		text = try_clock(seq);
		seq->failed = false;	/* a wrong guess may lead past the end */
	}
	if (!text) {
		source_add_warning(&file->base, (int64_t)start,
				   "buffer \"%.64s\": no clock after its CPUs: local is assumed",
				   draft->name);
		text = "[local]";
	}
	draft->clock = trace_clock_chosen(file, text);
	if (!*draft->name)
		file->base.info.clock_text = text;
}

/* The table at seq->pos, after its tag. */
static void read_table(struct sequence *seq, struct draft_buffer *draft, unsigned int nr,
		       unsigned int nr_most)
{
	struct trace_file *file = seq->file;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct draft_cpu cpu = { .cpu = (int)i, .where = seq->pos };

		cpu.offset = sequence_u64(seq);
		cpu.size = sequence_u64(seq);
		if (seq->failed) {
			source_add_warning(
				&file->base, (int64_t)cpu.where,
				"buffer \"%.64s\": %u CPUs are recorded, but the table ends after %u",
				draft->name, nr, i);
			draft->nr_cpus = (int)nr;
			return;
		}
		if (!trace_file_draft_cpu(file, draft, &cpu))
			return;
		sum |= cpu.offset | cpu.size;
	}
	draft->nr_cpus = (int)nr;
	if (file->base.info.has_trace_clock)
		read_clock(seq, draft, nr, nr_most);
	if (nr && !sum) {
		/* trace-cmd fills in the table last: it was stopped before */
		source_add_warning(&file->base, (int64_t)draft->section,
				   "buffer \"%.64s\" was not finished: its table of CPUs is empty",
				   draft->name);
		draft->nr = 0;
		draft->compressed = false;
		file->damaged = true;
	}
}

static unsigned int most_cpus(const struct trace_file *file)
{
	unsigned int most = (unsigned int)file->base.info.cpu_count;

	for (unsigned int i = 0; i < file->nr_drafts; i++)
		if (file->drafts[i].option_cpus > most)
			most = file->drafts[i].option_cpus;
	return most;
}

static void read_instance(struct sequence *seq, unsigned int i)
{
	struct trace_file *file = seq->file;
	struct draft_buffer *draft = &file->drafts[i];
	unsigned int nr = draft->option_cpus ? draft->option_cpus :
					       (unsigned int)file->base.info.cpu_count;

	if (!draft->section) {
		source_add_warning(&file->base, (int64_t)draft->where,
				   "buffer \"%.64s\" was not finished: it has no place",
				   draft->name);
		return;
	}
	seq->failed = false;
	seq->pos = draft->section;
	if (draft->section >= file->base.info.size) {
		source_add_warning(&file->base, (int64_t)draft->where,
				   "buffer \"%.64s\" should be at %" PRIu64
				   ", past the end of the file",
				   draft->name, draft->section);
		return;
	}
	if (!sequence_expect(seq, "flyrecord", TAG_BYTES)) {
		source_add_warning(&file->base, (int64_t)draft->section,
				   "buffer \"%.64s\": no table of CPUs here", draft->name);
		return;
	}
	read_table(seq, draft, nr, most_cpus(file));
}

/* A text is the rest of the file, unless an option of ours says how long it is. */
static void set_text(struct trace_file *file, struct draft_buffer *top, uint64_t at)
{
	uint64_t place, bytes, there = file->base.info.size - at;

	top->is_text = true;
	top->text_offset = at;
	top->text_size = there;
	if (!trace_own_place(file, &place, &bytes) || place != at)
		return;
	if (bytes > there)
		source_add_warning(&file->base, (int64_t)at,
				   "the text of the latency tracer is cut off: %" PRIu64
				   " of %" PRIu64 " bytes are left",
				   there, bytes);
	else
		top->text_size = bytes;
}

static int read_data_places(struct sequence *seq)
{
	struct trace_file *file = seq->file;
	struct draft_buffer *top = &file->drafts[0];

	top->section = seq->pos;
	if (sequence_expect(seq, "latency  ", TAG_BYTES)) {
		set_text(file, top, seq->pos);
		return 0;
	}
	if (!sequence_expect(seq, "flyrecord", TAG_BYTES))
		return sequence_fail(seq, FT_E_FORMAT,
				     "neither \"options\", \"flyrecord\" nor \"latency\" here");
	read_table(seq, top,
		   top->option_cpus ? top->option_cpus : (unsigned int)file->base.info.cpu_count,
		   most_cpus(file));
	if (!top->nr && file->damaged)
		trace_recover_cpus(file, top, seq->pos, file->base.info.size);
	for (unsigned int i = 1; i < file->nr_drafts; i++)
		read_instance(seq, i);
	return 0;
}

/* --- the sequence --------------------------------------------------------- */

static void read_cpu_count(struct sequence *seq)
{
	struct trace_file *file = seq->file;
	uint32_t nr = sequence_u32(seq);

	if (nr > TRACE_MAX_CPUS) {
		seq->pos -= 4;
		ft_error_set(&seq->err, FT_E_LIMIT, (int64_t)seq->pos,
			     "%" PRIu32 " CPUs: at most %u are supported", nr, TRACE_MAX_CPUS);
		seq->failed = true;
		return;
	}
	file->base.info.cpu_count = file->max_cpus = (int)nr;
}

/* The first of these tags at or after seq->pos; false if none is near. */
static bool find_tag(struct sequence *seq, const char *const *tags, unsigned int nr)
{
	uint64_t from = seq->pos, limit = from + MAX_SEARCH;

	while (from < seq->file->base.info.size && from < limit) {
		const uint8_t *found = NULL;
		int64_t got = read_at(seq->file->base.fd, seq->window, WINDOW_BYTES, from);

		seq->window_len = 0;
		if (got < (int64_t)TAG_BYTES)
			break;
		for (unsigned int i = 0; i < nr; i++) {
			const uint8_t *p = memmem(seq->window, (size_t)got, tags[i], TAG_BYTES);

			if (p && (!found || p < found))
				found = p;
		}
		if (found) {
			seq->pos = from + (uint64_t)(found - seq->window);
			return true;
		}
		from += (uint64_t)got - (TAG_BYTES - 1);
	}
	return false;
}

/* A length before the tables was wrong: search for the tables by their tags. */
static bool recover_sequence(struct sequence *seq)
{
	static const char *const tags[] = { "options  ", "flyrecord", "latency  " };
	struct sequence found = *seq;

	found.failed = false;
	found.pos = (uint64_t)seq->err.offset;
	if (!find_tag(&found, tags, 3) || found.pos < 4)
		return false;
	found.pos -= 4;
	read_cpu_count(&found);
	if (found.failed)
		return false;
	source_add_warning(&seq->file->base, seq->err.offset,
			   "%s; trace data was found at %" PRIu64, seq->err.message, found.pos);
	*seq = found;
	return true;
}

/* A list of options did not end: search for the tables behind it by their tags. */
static void recover_places(struct sequence *seq)
{
	static const char *const tags[] = { "flyrecord", "latency  " };
	struct sequence found = *seq;
	const uint8_t *p;

	found.failed = false;
	p = sequence_peek(&found, TAG_BYTES);
	if (p && (!memcmp(p, tags[0], TAG_BYTES) || !memcmp(p, tags[1], TAG_BYTES)))
		return;
	found.failed = false;
	found.pos = seq->options_start;
	if (!find_tag(&found, tags, 2))
		return;
	source_add_warning(
		&seq->file->base, (int64_t)seq->pos,
		"the options do not end where trace data begins, which was found at %" PRIu64,
		found.pos);
	*seq = found;
}

static int read_sequence(struct sequence *seq)
{
	struct trace_file *file = seq->file;

	skip_header_info(seq);
	skip_events(seq);
	skip_texts(seq);
	read_cpu_count(seq);
	if (seq->failed && !recover_sequence(seq))
		return -1;
	seq->options_start = seq->pos;
	if (sequence_expect(seq, "options  ", TAG_BYTES))
		read_options(seq);
	recover_places(seq);
	trace_file_read_layout(file);
	return seq->failed ? -1 : read_data_places(seq);
}

int trace_file_open_v6(struct trace_file *file, struct ft_error *err)
{
	struct sequence seq = { .file = file, .pos = file->header_bytes };
	int ret;

	seq.window = mem_alloc(WINDOW_BYTES);
	trace_file_draft(file, "");
	ret = read_sequence(&seq);
	free(seq.window);
	if (ret)
		return ft_error_set(err, seq.err.code, seq.err.offset, "%s", seq.err.message);
	return 0;
}
