/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make_trace - a trace of any size out of a small one, for measuring.
 *
 *   make_trace SEED OUT MEGABYTES [CPUS [none|zstd|zlib]]
 *
 * The sub-buffers of the top buffer are repeated, each repetition later than the
 * one before by the length of the seed.  A sub-buffer has its time in its first
 * 8 bytes and deltas behind them; only absolute stamps inside need shifting too,
 * and calltime and rettime of function_graph, which are times of the local clock.
 * With CPUS, the sub-buffers of each CPU are dealt in turn over CPUS / (CPUs of the
 * seed) made-up ones.
 *
 * The result is written once more in pieces of one sub-buffer, as a recorder that
 * splices does: a file written in large pieces lies in large pages of the page
 * cache, which is kinder to programs that map it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/types/event_types.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "parsers/open/open.h"
#include "parsers/writer/trace_writer.h"
#include "src/base/memory.h"

#define GAP_BETWEEN_REPETITIONS	1000000		/* units of the clock; ns: 1 ms */

struct seed_page {
	uint64_t	ts;		/* in its first 8 bytes */
	unsigned int	nr_stamps;
	struct seed_stamp {
		uint32_t	offset;	/* of the record's header in the page */
		uint64_t	ts;	/* what it says, running stamp included */
	} *stamps;			/* owned; absolute stamps */
	unsigned int	 nr_times;
	uint32_t	*times;		/* owned: where 8 bytes of calltime or rettime are */
};

struct seed_stream {
	int		 cpu;		/* counted from 0 in the order of the file */
	uint64_t	 nr_pages;
	uint8_t		*bytes;		/* [nr_pages * page_size] */
	struct seed_page *pages;	/* [nr_pages] */
};

struct seed {
	const char		*path;		/* borrowed */
	struct source	*file;
	struct sub_buffer_layout layout;
	unsigned int		 nr_streams;
	struct seed_stream	*streams;
	uint64_t		 first, last;	/* stamps of the whole seed */
	uint64_t		 bytes;
	int			 exit_id;	/* of records of function_graph that
						   end a call; -1: it has none */
	uint16_t		 exit_times[2];	/* offsets in them */
};

static void die(const struct ft_error *err, const char *path)
{
	char line[512];

	fprintf(stderr, "make_trace: %s\n", ft_error_text(err, path, line, sizeof(line)));
	exit(1);
}

/*
 * Header word of a record: 5 bits of type, 27 of delta, from the low end on little-endian machines.
 */
static uint32_t header_word(const struct sub_buffer_layout *layout, uint32_t type, uint32_t delta)
{
	return layout->big_endian ? type << 27 | delta : delta << 5 | type;
}

static void find_exits(struct seed *seed)
{
	static const char *const names[2] = { "calltime", "rettime" };
	struct event_types *types = event_types_new(seed->file);
	const struct event_type *type = event_types_by_name(types, "ftrace", "funcgraph_exit");

	seed->exit_id = type ? type->id : -1;
	for (unsigned int i = 0; i < 2 && type; i++) {
		const struct event_field *field = event_type_field(type, names[i]);

		if (!field || field->size != sizeof(uint64_t)) {
			seed->exit_id = -1;
			break;
		}
		seed->exit_times[i] = field->offset;
	}
	event_types_free(types);
}

/* A record's payload: times in it are shifted with the page. */
static void note_times(const struct seed *seed, const uint8_t *bytes, const uint8_t *payload,
		       struct seed_page *page, unsigned int *cap)
{
	if (seed->exit_id < 0 || load_u16(payload, seed->layout.swap) != seed->exit_id)
		return;
	for (unsigned int i = 0; i < 2; i++) {
		mem_grow(&page->times, page->nr_times, cap);
		page->times[page->nr_times++] = payload + seed->exit_times[i] - bytes;
	}
}

static void find_stamps(struct seed *seed, const uint8_t *bytes, struct seed_page *page)
{
	const struct sub_buffer_layout *layout = &seed->layout;
	struct sub_buffer sb;
	unsigned int cap = 0, cap_times = 0;
	uint64_t ts;

	sub_buffer_open(&sb, layout, bytes, layout->page_size);
	page->ts = ts = sb.ts;
	while (sb.end - sb.pos >= 4) {
		const uint8_t *at = sb.pos;
		uint32_t word = load_u32(at, layout->swap);
		uint32_t type = layout->big_endian ? word >> 27 : word & 31;
		uint32_t delta = layout->big_endian ? word & ((1u << 27) - 1) : word >> 5;

		if (type == SUB_BUFFER_TYPE_TIME_STAMP || type == SUB_BUFFER_TYPE_TIME_EXTEND) {
			uint64_t stamp = ((uint64_t)load_u32(at + 4, layout->swap)
					  << SUB_BUFFER_TS_SHIFT) +
					 delta;

			sb.pos = at + 8;
			if (type == SUB_BUFFER_TYPE_TIME_EXTEND) {
				ts += stamp;
				continue;
			}
			ts = sub_buffer_absolute(stamp, ts);
			mem_grow(&page->stamps, page->nr_stamps, &cap);
			page->stamps[page->nr_stamps++] = (struct seed_stamp){ .offset = at - bytes,
									       .ts = ts };
			continue;
		}
		if (type == SUB_BUFFER_TYPE_PADDING && !delta)
			break;
		ts += delta;
		if (type <= SUB_BUFFER_TYPE_DATA_MAX)
			note_times(seed, bytes, at + (type ? 4 : 8), page, &cap_times);
		sb.pos = at + 4 +
			 (type && type <= SUB_BUFFER_TYPE_DATA_MAX ?
				  4 * type :
				  (load_u32(at + 4, layout->swap) + 3) & ~3u);
	}
	if (ts > seed->last)
		seed->last = ts;
	if (page->ts < seed->first)
		seed->first = page->ts;
}

static void read_stream(struct seed *seed, int fd, const struct source_stream *from,
			struct seed_stream *to)
{
	uint32_t page_size = seed->layout.page_size;
	uint64_t bytes = from->file_size / page_size * page_size;
	struct ft_error err = { 0 };

	if (from->chunked) {
		ft_error_set(&err, FT_E_UNSUPPORTED, from->offset,
			     "the seed must not be compressed");
		die(&err, seed->path);
	}
	to->nr_pages = bytes / page_size;
	to->bytes = mem_try_alloc(bytes ? bytes : 1, &err);
	if (!to->bytes)
		die(&err, seed->path);
	for (uint64_t done = 0; done < bytes;) {
		ssize_t got = pread(fd, to->bytes + done, bytes - done, from->offset + done);

		if (got <= 0) {
			ft_error_errno(&err, got ? errno : EIO, from->offset + done,
				       "cannot be read");
			die(&err, seed->path);
		}
		done += got;
	}
	to->pages = mem_array(to->nr_pages ? to->nr_pages : 1, sizeof(*to->pages));
	for (uint64_t i = 0; i < to->nr_pages; i++)
		find_stamps(seed, to->bytes + i * page_size, &to->pages[i]);
	seed->bytes += bytes;
}

static void seed_open(struct seed *seed, const char *path)
{
	struct ft_error err = { 0 };
	const struct source_buffer *top;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	seed->path = path;
	seed->file = source_open(path, -1, &err);
	if (!seed->file || fd < 0)
		die(&err, path);
	top = source_buffer(seed->file, 0);
	seed->layout = top->layout;
	find_exits(seed);
	seed->first = UINT64_MAX;
	seed->nr_streams = top->nr_streams;
	seed->streams = mem_array(top->nr_streams + 1, sizeof(*seed->streams));
	for (unsigned int i = 0; i < top->nr_streams; i++) {
		seed->streams[i].cpu = i;
		read_stream(seed, fd, source_stream(seed->file, top->first_stream + i),
			    &seed->streams[i]);
	}
	close(fd);
	if (!seed->bytes) {
		ft_error_set(&err, FT_E_FORMAT, -1, "has no sub-buffers in its top buffer");
		die(&err, path);
	}
}

static void write_texts(const struct seed *seed, struct trace_writer *w)
{
	static const enum trace_text texts[] = {
		[TRACE_TEXT_HEADER_PAGE] = TRACE_TEXT_HEADER_PAGE,
		[TRACE_TEXT_HEADER_EVENT] = TRACE_TEXT_HEADER_EVENT,
		[TRACE_TEXT_KALLSYMS] = TRACE_TEXT_KALLSYMS,
		[TRACE_TEXT_PRINTK] = TRACE_TEXT_PRINTK,
		[TRACE_TEXT_CMDLINES] = TRACE_TEXT_CMDLINES,
	};

	for (unsigned int kind = 0; kind < sizeof(texts) / sizeof(*texts); kind++) {
		uint64_t size = 0;
		const char *text = source_text(seed->file, kind, &size);

		if (size)
			trace_writer_text(w, texts[kind], text, size);
	}
	for (unsigned int i = 0; i < source_nr_formats(seed->file); i++) {
		const struct source_format *format = source_format(seed->file, i);

		trace_writer_format(w, format->system, format->text, format->size);
	}
	for (unsigned int i = 0; i < trace_file_nr_options(seed->file); i++) {
		const struct trace_file_option *option = trace_file_option(seed->file, i);

		if (option->id == TRACE_OPTION_UNAME || option->id == TRACE_OPTION_VERSION)
			trace_writer_option(w, option->id, option->data, option->size);
	}
	if (*source_info(seed->file)->clock_text)
		trace_writer_clock(w, source_info(seed->file)->clock_text);
}

/* The page, later by @shift. */
static void shift_page(const struct seed *seed, const struct seed_page *page, uint8_t *bytes,
		       uint64_t shift)
{
	store_u64(bytes, page->ts + shift, seed->layout.swap);
	for (unsigned int i = 0; i < page->nr_stamps; i++) {
		uint64_t ts = page->stamps[i].ts + shift;
		uint8_t *at = bytes + page->stamps[i].offset;

		store_u32(at,
			  header_word(&seed->layout, SUB_BUFFER_TYPE_TIME_STAMP,
				      ts & ((1u << 27) - 1)),
			  seed->layout.swap);
		store_u32(at + 4, ts >> SUB_BUFFER_TS_SHIFT, seed->layout.swap);
	}
	for (unsigned int i = 0; i < page->nr_times; i++) {
		uint8_t *at = bytes + page->times[i];

		store_u64(at, load_u64(at, seed->layout.swap) + shift, seed->layout.swap);
	}
}

struct repeated {
	const struct seed *seed;
	unsigned int	share;		/* CPUs that have the pages of one of the seed */
	uint64_t	times;
};

/* The pages of a CPU: every share-th one of the seed's. */
static int write_cpu(void *arg, struct trace_writer *w, int buffer, int cpu, struct ft_error *err)
{
	const struct repeated *repeated = arg;
	const struct seed *seed = repeated->seed;
	uint32_t page_size = seed->layout.page_size;
	uint8_t *bytes = mem_alloc(page_size);
	uint64_t span = seed->last - seed->first + GAP_BETWEEN_REPETITIONS;
	const struct seed_stream *stream = seed->streams;
	int ret = 0;

	while (stream->cpu != cpu / (int)repeated->share)
		stream++;
	for (uint64_t n = (unsigned int)cpu % repeated->share;
	     n < repeated->times * stream->nr_pages && !ret; n += repeated->share) {
		uint64_t i = n % stream->nr_pages;

		memcpy(bytes, stream->bytes + i * page_size, page_size);
		shift_page(seed, &stream->pages[i], bytes, n / stream->nr_pages * span);
		ret = trace_writer_pages(w, buffer, cpu, bytes, page_size, err);
	}
	free(bytes);
	return ret;
}

static void add_cpus(const struct seed *seed, struct trace_writer *w, struct repeated *repeated)
{
	int buffer = trace_writer_buffer(w, "", NULL, 0);

	for (unsigned int s = 0; s < seed->nr_streams; s++)
		for (unsigned int i = 0; i < repeated->share; i++)
			trace_writer_fill(w, buffer,
					  seed->streams[s].cpu * (int)repeated->share + (int)i,
					  write_cpu, repeated);
}

/* Copies in pieces of a page. */
static int copy_in_pages(const char *from, const char *to, uint32_t page_size, struct ft_error *err)
{
	uint8_t *bytes = mem_alloc(page_size);
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ssize_t got = -1;

	if (in < 0 || out < 0)
		return ft_error_errno(err, errno, -1, "cannot be copied to %s", to);
	while ((got = read(in, bytes, page_size)) > 0)
		if (write(out, bytes, got) != got)
			return ft_error_errno(err, errno, -1, "cannot be copied to %s", to);
	close(in);
	if (got < 0 || close(out))
		return ft_error_errno(err, errno, -1, "cannot be copied to %s", to);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	struct seed seed = { 0 };
	struct ft_error err = { 0 };
	struct trace_writer_options options = { .version = 7 };
	struct trace_writer *w;
	struct repeated repeated;
	uint64_t wanted, repetitions;
	unsigned int nr_cpus;
	char path[4096];

	if (argc < 4 || argc > 6) {
		fprintf(stderr, "usage: make_trace SEED OUT MEGABYTES [CPUS [none|zstd|zlib]]\n");
		return 2;
	}
	seed_open(&seed, argv[1]);
	wanted = strtoull(argv[3], NULL, 10) * 1000000;
	nr_cpus = argc > 4 ? strtoul(argv[4], NULL, 10) : seed.nr_streams;
	if (nr_cpus < seed.nr_streams)
		nr_cpus = seed.nr_streams;
	repetitions = (wanted + seed.bytes / 2) / seed.bytes;
	if (!repetitions)
		repetitions = 1;

	options.big_endian = seed.layout.big_endian;
	options.long_size = source_info(seed.file)->user_long_size;
	options.page_size = seed.layout.page_size;
	if (argc > 5 && strcmp(argv[5], "none"))
		options.compression = strcmp(argv[5], "zstd") ? TRACE_ZLIB : TRACE_ZSTD;
	snprintf(path, sizeof(path), "%s.part", argv[2]);
	w = trace_writer_new(path, &options, &err);
	if (!w)
		die(&err, path);
	trace_writer_cpu_count(w, nr_cpus);
	write_texts(&seed, w);
	repeated = (struct repeated){ &seed, nr_cpus / seed.nr_streams, repetitions };
	add_cpus(&seed, w, &repeated);
	if (trace_writer_finish(w, &err))
		die(&err, path);
	if (copy_in_pages(path, argv[2], options.page_size, &err) || unlink(path))
		die(&err, path);
	printf("%s: %llu repetitions of %llu bytes on %u CPUs\n", argv[2],
	       (unsigned long long)repetitions, (unsigned long long)seed.bytes, nr_cpus);
	return 0;
}
