/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/gen_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/text.h"

#define DELTA_BITS	27
#define DELTA_MAX	((1u << DELTA_BITS) - 1)
#define ABSOLUTE_BITS	59
#define ABSOLUTE_MASK	((1ull << ABSOLUTE_BITS) - 1)
#define SHORT_MAX	112u		/* bytes of payload that type_len can tell */
#define PAYLOAD_MAX	480u		/* bytes of a generated payload */
#define WRAP_BASE	((1ull << 63) + (1ull << 59) - (1ull << 22))

/* --- numbers --------------------------------------------------------------------- */

void gen_random_init(struct gen_random *r, uint64_t seed)
{
	r->state = seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull;
	if (!r->state)
		r->state = 1;
	gen_random_u64(r);
}

uint64_t gen_random_u64(struct gen_random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dull;
}

uint32_t gen_random_below(struct gen_random *r, uint32_t limit)
{
	return (uint32_t)((gen_random_u64(r) >> 32) * limit >> 32);
}

bool gen_random_one_in(struct gen_random *r, uint32_t n)
{
	return n && !gen_random_below(r, n);
}

/* --- bytes in the order of the trace ---------------------------------------------- */

static void store(const struct gen_layout *layout, uint8_t *to, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		to[layout->big_endian ? size - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

/* --- one sub-buffer ---------------------------------------------------------------- */

uint32_t gen_data_offset(const struct gen_layout *layout)
{
	return 8 + (uint32_t)layout->long_size;
}

void gen_page_begin(struct gen_page *p, const struct gen_layout *layout, void *bytes, uint64_t ts)
{
	p->layout = *layout;
	p->bytes = bytes;
	p->pos = gen_data_offset(layout);
	p->ts = ts;
	memset(bytes, 0, layout->page_size);
	store(layout, p->bytes, ts, 8);
}

uint32_t gen_page_room(const struct gen_page *p)
{
	return p->layout.page_size - p->pos;
}

/*
 * The C bit fields of the kernel: type_len is the low 5 bits on little, the high 5 on big endian
 * machines.
 */
static uint32_t header_word(const struct gen_page *p, uint32_t type_len, uint32_t delta)
{
	return p->layout.big_endian ? type_len << DELTA_BITS | delta : delta << 5 | type_len;
}

uint32_t gen_page_raw(struct gen_page *p, uint32_t header, const void *bytes, uint32_t size)
{
	uint32_t at = p->pos;

	if (gen_page_room(p) < 4 || gen_page_room(p) - 4 < size)
		return 0;
	store(&p->layout, p->bytes + at, header, 4);
	if (size)
		memcpy(p->bytes + at + 4, bytes, size);
	p->pos += 4 + size;
	return at;
}

uint32_t gen_page_record(struct gen_page *p, uint32_t delta, const void *payload, uint32_t size,
			 bool long_form)
{
	uint8_t length[4];
	uint32_t at;

	if (size <= SHORT_MAX && !long_form) {
		at = gen_page_raw(p, header_word(p, size / 4, delta), payload, size);
	} else {
		if (gen_page_room(p) < 8 || gen_page_room(p) - 8 < size)
			return 0;
		store(&p->layout, length, size + 4, 4);
		at = gen_page_raw(p, header_word(p, 0, delta), length, 4);
		memcpy(p->bytes + p->pos, payload, size);
		p->pos += size;
	}
	if (at)
		p->ts += delta;
	return at;
}

uint32_t gen_page_extend(struct gen_page *p, uint64_t delta)
{
	uint8_t high[4];
	uint32_t at;

	store(&p->layout, high, delta >> DELTA_BITS, 4);
	at = gen_page_raw(p, header_word(p, 30, (uint32_t)delta & DELTA_MAX), high, 4);
	if (at)
		p->ts += delta;
	return at;
}

uint32_t gen_page_absolute(struct gen_page *p, uint64_t ts)
{
	uint64_t stored = ts & ABSOLUTE_MASK;
	uint64_t top = p->ts & ~ABSOLUTE_MASK;
	uint8_t high[4];
	uint32_t at;

	store(&p->layout, high, stored >> DELTA_BITS, 4);
	at = gen_page_raw(p, header_word(p, 31, (uint32_t)stored & DELTA_MAX), high, 4);
	if (!at)
		return 0;
	/*
	 * the five top bits come from the stamp before; with any of them set, going back means a
	 * wrap
	 */
	if (top && (top | stored) < p->ts)
		top += 1ull << ABSOLUTE_BITS;
	p->ts = top | stored;
	return at;
}

uint32_t gen_page_discarded(struct gen_page *p, uint32_t delta, uint32_t size)
{
	uint8_t length[4];
	uint32_t at;

	if (gen_page_room(p) < 4 || gen_page_room(p) - 4 < size)
		return 0;
	store(&p->layout, length, size, 4);
	at = gen_page_raw(p, header_word(p, 29, delta), length, 4);
	memset(p->bytes + p->pos, 0xa5, size - 4);
	p->pos += size - 4;
	p->ts += delta;
	return at;
}

uint32_t gen_page_stop(struct gen_page *p, uint32_t rubbish)
{
	uint32_t at;

	if (gen_page_room(p) < 4 || gen_page_room(p) - 4 < rubbish)
		return 0;
	at = gen_page_raw(p, header_word(p, 29, 0), NULL, 0);
	memset(p->bytes + p->pos, 0x5a, rubbish);
	p->pos += rubbish;
	return at;
}

enum gen_lost gen_page_end(struct gen_page *p, enum gen_lost lost, uint64_t count)
{
	int size = p->layout.long_size;
	uint64_t commit = p->pos - gen_data_offset(&p->layout);

	if (lost == GEN_LOST_COUNTED && gen_page_room(p) < (uint32_t)size)
		lost = GEN_LOST_UNKNOWN;
	if (lost == GEN_LOST_COUNTED)
		store(&p->layout, p->bytes + p->pos, count, size);
	/* 1 << 31 is negative in the kernel's C, so a 64-bit long has its upper half set */
	if (lost != GEN_LOST_NONE)
		commit |= 0xffffffff00000000ull | TRACE_COMMIT_LOST;
	if (lost == GEN_LOST_COUNTED)
		commit |= TRACE_COMMIT_LOST_STORED;
	store(&p->layout, p->bytes + 8, commit, size);
	return lost;
}

/* --- payloads ------------------------------------------------------------------------ */

uint32_t gen_payload(const struct gen_layout *layout, uint8_t *out, uint16_t type, int32_t pid,
		     const void *body, uint32_t size)
{
	uint32_t total = (8 + size + 3) & ~3u;

	memset(out, 0, total);
	store(layout, out, type, 2);
	out[2] = 1;			/* common_flags: interrupts off */
	store(layout, out + 4, (uint32_t)pid, 4);
	if (size)
		memcpy(out + 8, body, size);
	return total;
}

uint32_t gen_payload_text(const struct gen_layout *layout, uint8_t *out, int32_t pid,
			  const char *text)
{
	uint32_t len = (uint32_t)strlen(text) + 1;
	uint32_t total = gen_payload(layout, out, GEN_TYPE_TEXT, pid, NULL, 0);

	store(layout, out + total, len << 16 | (total + 4), 4);
	total += 4;
	memset(out + total, 0, (len + 3) & ~3u);
	memcpy(out + total, text, len);
	return total + ((len + 3) & ~3u);
}

uint32_t gen_payload_print(const struct gen_layout *layout, uint8_t *out, int32_t pid,
			   const char *text)
{
	uint32_t len = (uint32_t)strlen(text) + 1;
	uint32_t total = gen_payload(layout, out, GEN_TYPE_PRINT, pid, NULL, 0);

	store(layout, out + total, 0xffffffff81000000ull, layout->long_size);
	total += (uint32_t)layout->long_size;
	memset(out + total, 0, (len + 3) & ~3u);
	memcpy(out + total, text, len);
	return total + ((len + 3) & ~3u);
}

/* --- a buffer full --------------------------------------------------------------------- */

struct maker {
	const struct gen_options *options;
	struct gen_random random;
	struct gen_stream *stream;
	uint32_t	stream_index;
	uint64_t	now;		/* stamp that the next record should have, or about */
	uint64_t	key;		/* running maximum */
	uint32_t	seq;
	uint32_t	plateau;	/* records left with the stamp of the last one */
};

static bool has(struct maker *m, uint32_t feature, uint32_t one_in)
{
	return (m->options->features & feature) && gen_random_one_in(&m->random, one_in);
}

static uint64_t next_stamp(struct maker *m)
{
	uint32_t max = m->options->max_delta ? m->options->max_delta : 4000;
	uint64_t ts = m->now;

	if (m->plateau) {
		m->plateau--;
		return ts;
	}
	if (has(m, GEN_PLATEAUS, 400))
		m->plateau = m->options->plateau ? m->options->plateau : 300;
	if (has(m, GEN_EXTEND, 50))
		ts += (1ull << DELTA_BITS) + gen_random_below(&m->random, UINT32_MAX);
	else
		ts += gen_random_below(&m->random, max);
	if (m->options->features & GEN_TIES)
		ts += 1000 - ts % 1000;
	return ts;
}

static uint32_t make_payload(struct maker *m, uint8_t *out, uint16_t *type, int32_t *pid)
{
	const struct gen_layout *layout = &m->options->layout;
	uint8_t body[PAYLOAD_MAX];
	uint32_t kind = gen_random_below(&m->random, 8);
	uint32_t size;

	*pid = (int32_t)gen_random_below(&m->random, 40) * 25;
	if (kind == 0) {
		char text[64];

		*type = GEN_TYPE_TEXT;
		snprintf(text, sizeof(text), "line %u of CPU %d", m->seq++, m->stream->cpu);
		return gen_payload_text(layout, out, *pid, text);
	}
	if (kind == 1) {
		*type = GEN_TYPE_BARE;
		size = gen_payload(layout, out, *type, *pid, NULL, 0);
		if (!has(m, GEN_TINY, 2))
			return size;
		*pid = 0;		/* it lies behind the end */
		return 4;
	}
	*type = GEN_TYPE_TICK;
	if (has(m, GEN_UNKNOWN_TYPES, 20))
		*type = (uint16_t)(1000 + gen_random_below(&m->random, 5));
	store(layout, body, m->seq++, 4);
	store(layout, body + 4, gen_random_below(&m->random, 1000), 4);
	size = 8 + 4 * gen_random_below(&m->random, 8);
	if (has(m, GEN_LONG_FORM, 16))
		size = 8 + 4 * gen_random_below(&m->random, (PAYLOAD_MAX - 16) / 4);
	for (uint32_t i = 8; i < size; i++)
		body[i] = (uint8_t)gen_random_u64(&m->random);
	return gen_payload(layout, out, *type, *pid, body, size);
}

/* Bring the page's running stamp so near to TS that a delta does the rest.  False: no room. */
static bool approach(struct maker *m, struct gen_page *p, uint64_t ts)
{
	uint64_t gap = ts - p->ts;

	if (ts < p->ts) /* back: only an absolute stamp, and
					   only without the five top bits */
		return gen_page_absolute(p, ts) != 0;
	if (has(m, GEN_ABSOLUTE, 10) && (p->ts >> ABSOLUTE_BITS || !(ts >> ABSOLUTE_BITS)))
		return gen_page_absolute(p, ts) != 0;
	if (gap <= DELTA_MAX)
		return true;
	if (has(m, GEN_EXTEND, 4))	/* two in a row */
		if (!gen_page_extend(p, gap / 2))
			return false;
	gap = ts - p->ts;
	return gen_page_extend(p, has(m, GEN_EXTEND, 2) ? gap & ~(uint64_t)DELTA_MAX : gap) != 0;
}

static void note_event(struct maker *m, const struct gen_page *p, uint32_t page, uint32_t offset,
		       const uint8_t *payload, uint32_t size, uint16_t type, int32_t pid)
{
	struct gen_stream *s = m->stream;

	if (p->ts > m->key || !s->nr_events)
		m->key = p->ts;
	mem_grow(&s->events, s->nr_events, &s->cap_events);
	s->events[s->nr_events] = (struct gen_event){
		.ts = p->ts, .key = m->key, .payload = payload, .size = size, .page = page,
		.offset = offset,
		.position = s->nr_events, .stream = m->stream_index, .pid = pid, .type = type,
	};
	s->nr_events++;
}

/* One record, with what may stand before it.  False: the page is full. */
static bool make_record(struct maker *m, struct gen_page *p, uint32_t page)
{
	uint8_t payload[PAYLOAD_MAX + 64];
	uint16_t type;
	int32_t pid;
	uint32_t size, offset;
	uint64_t ts = next_stamp(m);

	if (has(m, GEN_BACKWARD_RECORDS, 200) && !(p->ts >> ABSOLUTE_BITS))
		ts -= gen_random_below(&m->random, 100000);
	if (!approach(m, p, ts))
		return false;
	if (has(m, GEN_DISCARDED, 30) && ts > p->ts)
		gen_page_discarded(p, 1 + gen_random_below(&m->random, (uint32_t)(ts - p->ts)),
				   4 + 4 * gen_random_below(&m->random, 20));
	size = make_payload(m, payload, &type, &pid);
	offset = gen_page_record(p, (uint32_t)(ts - p->ts), payload, size,
				 has(m, GEN_LONG_FORM, 8));
	if (!offset)
		return false;
	m->now = p->ts;
	note_event(m, p, page, offset, p->bytes + p->pos - size, size, type, pid);
	return true;
}

static void make_page(struct maker *m, uint32_t page)
{
	const struct gen_layout *layout = &m->options->layout;
	struct gen_page_info *info = &m->stream->info[page];
	uint8_t *bytes = m->stream->pages + (size_t)page * layout->page_size;
	enum gen_lost lost = GEN_LOST_NONE;
	uint32_t limit = m->options->records;
	struct gen_page p;

	info->first = m->stream->nr_events;
	if (has(m, GEN_ZERO_PAGES, 40))
		return;
	if (has(m, GEN_BACKWARD_PAGES, 15) && !m->plateau)
		m->now -= gen_random_below(&m->random, 1000000);
	if (has(m, GEN_LOST_MARKS, 10))
		lost = GEN_LOST_UNKNOWN;
	if (has(m, GEN_LOST_COUNTS, 10))
		lost = GEN_LOST_COUNTED;
	if (!has(m, GEN_PARTIAL_BASE, 5) && !m->plateau)
		m->now = next_stamp(m);
	info->ts = m->now;
	info->lost_count = 1 + gen_random_below(&m->random, 100000);
	gen_page_begin(&p, layout, bytes, m->now);
	if (!has(m, GEN_EMPTY_PAGES, 20)) {
		while ((!limit || m->stream->nr_events - info->first < limit) &&
		       make_record(m, &p, page))
			;
		if (has(m, GEN_STOP, 3))
			gen_page_stop(&p, gen_random_below(&m->random, 30) & ~3u);
	}
	info->nr = m->stream->nr_events - info->first;
	info->lost = gen_page_end(&p, lost, info->lost_count);
	if (info->lost != GEN_LOST_COUNTED)
		info->lost_count = 0;
}

static void make_stream(struct gen_trace *trace, uint32_t index)
{
	const struct gen_options *o = &trace->options;
	struct gen_stream *stream = &trace->streams[index];
	struct maker m = { .options = o, .stream = stream, .stream_index = index };

	gen_random_init(&m.random, o->seed * 1000003 + index);
	stream->cpu = (int)index * (o->cpu_step ? o->cpu_step : 1);
	m.now = o->base_ts ? o->base_ts : 1000000000000ull;
	if (o->features & GEN_WRAP)
		m.now = WRAP_BASE;
	if (index && has(&m, GEN_EMPTY_CPUS, 4))
		return;
	stream->nr_pages = o->pages;
	stream->pages = mem_array(o->pages, o->layout.page_size);
	stream->info = mem_array(o->pages, sizeof(*stream->info));
	for (uint32_t page = 0; page < o->pages; page++)
		make_page(&m, page);
	trace->nr_events += stream->nr_events;
}

struct gen_trace *gen_trace_new(const struct gen_options *options)
{
	struct gen_trace *trace = mem_alloc(sizeof(*trace));

	trace->options = *options;
	trace->nr_streams = (uint32_t)options->nr_cpus;
	trace->streams = mem_array(trace->nr_streams, sizeof(*trace->streams));
	for (uint32_t i = 0; i < trace->nr_streams; i++)
		make_stream(trace, i);
	return trace;
}

void gen_trace_free(struct gen_trace *trace)
{
	if (!trace)
		return;
	for (uint32_t i = 0; i < trace->nr_streams; i++) {
		free(trace->streams[i].pages);
		free(trace->streams[i].info);
		free(trace->streams[i].events);
	}
	free(trace->streams);
	free(trace);
}

static int compare_events(const void *a, const void *b)
{
	const struct gen_event *x = *(const struct gen_event *const *)a;
	const struct gen_event *y = *(const struct gen_event *const *)b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

const struct gen_event **gen_trace_sorted(const struct gen_trace *trace)
{
	const struct gen_event **all = mem_array((size_t)trace->nr_events + 1,
						 sizeof(const struct gen_event *));
	size_t n = 0;

	for (uint32_t i = 0; i < trace->nr_streams; i++)
		for (uint32_t k = 0; k < trace->streams[i].nr_events; k++)
			all[n++] = &trace->streams[i].events[k];
	qsort(all, n, sizeof(const struct gen_event *), compare_events);
	return all;
}

/* --- a trace.dat -------------------------------------------------------------------------- */

static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n"
				   "\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

static const char common_fields[] =
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n";

static const struct {
	const char	*system;
	const char	*name;
	int		 id;
	const char	*fields;
	const char	*print_fmt;
} formats[] = {
	{ "gen", "tick", GEN_TYPE_TICK,
	  "\tfield:unsigned int seq;\toffset:8;\tsize:4;\tsigned:0;\n"
	  "\tfield:unsigned int value;\toffset:12;\tsize:4;\tsigned:0;\n",
	  "\"seq=%u value=%u\", REC->seq, REC->value" },
	{ "gen", "text", GEN_TYPE_TEXT,
	  "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:1;\n",
	  "\"text=%s\", __get_str(text)" },
	{ "gen", "bare", GEN_TYPE_BARE, "", "\"%s\", \"bare\"" },
};

static void write_format(struct trace_writer *w, const char *system, const char *name, int id,
			 const char *fields, const char *print_fmt)
{
	struct text t = { 0 };

	text_printf(&t, "name: %s\nID: %d\n%s%s\nprint fmt: %s\n", name, id, common_fields, fields,
		    print_fmt);
	trace_writer_format(w, system, t.data, t.len);
	text_fini(&t);
}

static void write_header_page(struct trace_writer *w, const struct gen_layout *layout)
{
	uint32_t data = gen_data_offset(layout);
	struct text t = { 0 };

	text_printf(&t, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	text_printf(&t, "\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n",
		    layout->long_size);
	text_printf(&t, "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n");
	text_printf(&t, "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n", data,
		    layout->page_size - data);
	trace_writer_text(w, TRACE_TEXT_HEADER_PAGE, t.data, t.len);
	text_fini(&t);
}

void gen_write_metadata(struct trace_writer *w, const struct gen_layout *layout)
{
	struct text fields = { 0 };

	write_header_page(w, layout);
	trace_writer_text(w, TRACE_TEXT_HEADER_EVENT, header_event, sizeof(header_event) - 1);
	text_printf(&fields, "\tfield:unsigned long ip;\toffset:8;\tsize:%d;\tsigned:0;\n",
		    layout->long_size);
	text_printf(&fields, "\tfield:char buf[];\toffset:%d;\tsize:0;\tsigned:1;\n",
		    8 + layout->long_size);
	write_format(w, "ftrace", "print", GEN_TYPE_PRINT, text_str(&fields),
		     "\"%ps: %s\", (void *)REC->ip, REC->buf");
	text_fini(&fields);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		write_format(w, formats[i].system, formats[i].name, formats[i].id,
			     formats[i].fields, formats[i].print_fmt);
	trace_writer_clock(w, "[local] global counter\n");
}

static void write_cmdlines(struct trace_writer *w, const char *cmdlines)
{
	struct text t = { 0 };

	for (int pid = 25; pid < 1000; pid += 50)
		text_printf(&t, "%d task-%d\n", pid, pid);
	if (cmdlines)
		trace_writer_text(w, TRACE_TEXT_CMDLINES, cmdlines, strlen(cmdlines));
	else
		trace_writer_text(w, TRACE_TEXT_CMDLINES, t.data, t.len);
	text_fini(&t);
}

static int write_trace(struct trace_writer *w, const struct gen_trace *trace, const char *name,
		       struct ft_error *err)
{
	uint32_t page_size = trace->options.layout.page_size;
	int buffer = trace_writer_buffer(w, name, NULL, page_size);

	/* in turns, as a recorder brings them */
	for (uint32_t page = 0; page < trace->options.pages; page++)
		for (uint32_t i = 0; i < trace->nr_streams; i++) {
			const struct gen_stream *s = &trace->streams[i];

			if (page < s->nr_pages &&
			    trace_writer_pages(w, buffer, s->cpu,
					       s->pages + (size_t)page * page_size, page_size, err))
				return -1;
		}
	return 0;
}

int gen_write(const char *path, const struct gen_file *file, const struct gen_trace *const *traces,
	      const char *const *names, unsigned int nr, struct ft_error *err)
{
	const struct gen_layout *layout = &traces[0]->options.layout;
	struct trace_writer_options options = {
		.version = file->version, .big_endian = layout->big_endian,
		.long_size = layout->long_size,
		.page_size = layout->page_size, .compression = file->compression,
		.chunk_pages = file->chunk_pages,
	};
	struct trace_writer *w = trace_writer_new(path, &options, err);
	int step = traces[0]->options.cpu_step ? traces[0]->options.cpu_step : 1;
	int ret = 0;

	if (!w)
		return -1;
	gen_write_metadata(w, layout);
	write_cmdlines(w, file->cmdlines);
	if (file->private)
		trace_writer_text(w, TRACE_TEXT_PRIVATE, file->private, strlen(file->private));
	trace_writer_cpu_count(w, (uint32_t)((traces[0]->options.nr_cpus - 1) * step + 1));
	if (file->latency_text)
		ret = trace_writer_latency_text(w, trace_writer_buffer(w, "", NULL, 0),
						file->latency_text, strlen(file->latency_text),
						err);
	for (unsigned int i = 0; i < nr && !ret && !file->latency_text; i++)
		ret = write_trace(w, traces[i], names ? names[i] : "", err);
	if (ret) {
		trace_writer_abort(w);
		return ret;
	}
	return trace_writer_finish(w, err);
}
