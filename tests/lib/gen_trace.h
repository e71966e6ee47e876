/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_GEN_TRACE_H
#define FTOP_TESTS_GEN_TRACE_H
/*
 * gen_trace - made-up traces for tests and measurements, the same for the same
 * seed, together with the plain list of what is in them: the oracle.
 *
 * It knows the ring buffer's layout by itself (linux kernel/trace/ring_buffer.c)
 * and shares no code with what it is to test.  Three levels:
 *
 *   gen_page_*   one sub-buffer, record by record, for cases made by hand
 *   gen_trace_*  all CPUs of a buffer at random, by a set of features
 *   gen_write*   a whole trace.dat around them (parsers/writer/trace_writer.h)
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parsers/writer/trace_writer.h"
#include "src/base/error.h"

/* --- numbers that only look random (xorshift64*) ------------------------------ */
struct gen_random {
	uint64_t	state;
};

void gen_random_init(struct gen_random *r, uint64_t seed);
uint64_t gen_random_u64(struct gen_random *r);
uint32_t gen_random_below(struct gen_random *r, uint32_t limit);	/* 0..limit-1; limit > 0 */
/* true about every n-th time; n 0 = never */
bool gen_random_one_in(struct gen_random *r, uint32_t n);

/* --- one sub-buffer --------------------------------------------------------------- */
struct gen_layout {
	uint32_t	page_size;	/* bytes of a sub-buffer */
	int		long_size;	/* of the kernel: 4 or 8 */
	bool		big_endian;
};

struct gen_page {
	struct gen_layout layout;
	uint8_t		*bytes;		/* borrowed: [page_size] */
	uint32_t	 pos;		/* next record; the data ends here */
	uint64_t	 ts;		/* running time stamp, as a reader has it here */
};

/* 16, or 12 with a long of 4 */
uint32_t gen_data_offset(const struct gen_layout *layout);

/* Clear the bytes and put the time stamp.  gen_page_end() must follow. */
void gen_page_begin(struct gen_page *p, const struct gen_layout *layout, void *bytes, uint64_t ts);
uint32_t gen_page_room(const struct gen_page *p);			/* bytes left for records */

/*
 * Each returns the offset of the record's header in the page, or 0 and changes nothing if there is
 * no room. A payload's size is a multiple of 4 here, as the ring buffer rounds it.
 */
/*
 * A data record DELTA (< 2^27) after the running stamp; type_len 1..28 or, with LONG_FORM or above
 * 112 bytes, 0.
 */
uint32_t gen_page_record(struct gen_page *p, uint32_t delta, const void *payload, uint32_t size,
			 bool long_form);
uint32_t gen_page_extend(struct gen_page *p, uint64_t delta);		/* type 30: < 2^59 */
/* type 31: the low 59 bits are stored */
uint32_t gen_page_absolute(struct gen_page *p, uint64_t ts);
/* type 29; delta > 0, 4 + size bytes */
uint32_t gen_page_discarded(struct gen_page *p, uint32_t delta, uint32_t size);
/* type 29, delta 0: rubbish bytes behind it are data */
uint32_t gen_page_stop(struct gen_page *p, uint32_t rubbish);
/* any header word */
uint32_t gen_page_raw(struct gen_page *p, uint32_t header, const void *bytes, uint32_t size);

enum gen_lost { GEN_LOST_NONE, GEN_LOST_UNKNOWN, GEN_LOST_COUNTED };

/*
 * Put the commit word; sign-extended flags as 64-bit kernels leave them.  No room for the count: it
 * is left unknown.
 */
enum gen_lost gen_page_end(struct gen_page *p, enum gen_lost lost, uint64_t count);

/* --- a buffer full ------------------------------------------------------------------ */
/* What may occur; bits of gen_options.features. */
/* type_len 0 where a short one would do, and payloads above 112 bytes */
#define GEN_LONG_FORM		(1u << 0)
#define GEN_DISCARDED		(1u << 1)	/* padding with a delta */
#define GEN_STOP		(1u << 2)	/* padding without, and rubbish behind it */
/* gaps above 2^27 by time extends (also two in a row) */
#define GEN_EXTEND		(1u << 3)
#define GEN_ABSOLUTE		(1u << 4)	/* absolute stamps */
#define GEN_LOST_MARKS		(1u << 5)	/* lost marks without a count */
#define GEN_LOST_COUNTS		(1u << 6)	/* lost marks with one */
#define GEN_EMPTY_PAGES		(1u << 7)	/* a time stamp and no record */
#define GEN_ZERO_PAGES		(1u << 8)	/* nothing but zeros */
/* sub-buffers that begin before the last one ended */
#define GEN_BACKWARD_PAGES	(1u << 9)
#define GEN_BACKWARD_RECORDS	(1u << 10)	/* absolute stamps that lead back */
/* runs of records with equal stamps, over sub-buffers */
#define GEN_PLATEAUS		(1u << 11)
/* stamps are multiples of 1000: the same on many CPUs */
#define GEN_TIES		(1u << 12)
/* payloads of 4 bytes: no pid in them (it reads as 0) */
#define GEN_TINY		(1u << 13)
#define GEN_UNKNOWN_TYPES	(1u << 14)	/* ids without a format */
#define GEN_EMPTY_CPUS		(1u << 15)	/* CPUs without any sub-buffer (never the first) */
/* a first record with a delta, as a partial read leaves it */
#define GEN_PARTIAL_BASE	(1u << 16)
/* stamps cross 2^63 + 2^59: the 59 bits of absolute ones wrap */
#define GEN_WRAP		(1u << 17)
#define GEN_ALL			((1u << 17) - 1) /* all but GEN_WRAP */
#define GEN_PLAIN		0u		/* records only, strictly in order */

struct gen_options {
	uint64_t	seed;
	struct gen_layout layout;
	uint32_t	features;	/* GEN_… */
	int		nr_cpus;	/* 1..256 and more */
	int		cpu_step;	/* CPU numbers are 0, step, 2 × step …; 0 = 1 */
	uint32_t	pages;		/* sub-buffers of each CPU */
	uint32_t	records;	/* of a sub-buffer at most; 0 = as many as fit */
	uint32_t	max_delta;	/* usual distance of stamps; 0 = 4000 */
	uint32_t	plateau;	/* records of a plateau; 0 = 300 */
	uint64_t	base_ts;	/* of the earliest record; 0 = 10^12 */
};

struct gen_event {
	uint64_t	 ts;		/* as a reader must compute it */
	uint64_t	 key;		/* running maximum of ts in its
					   stream: the order of the merge */
	const uint8_t	*payload;	/* in the page */
	uint32_t	 size;		/* bytes of payload, rounded up to 4 */
	uint32_t	 page;		/* index of its sub-buffer in the stream */
	uint32_t	 offset;	/* of its header in the sub-buffer */
	uint32_t	 position;	/* index in its stream */
	uint32_t	 stream;	/* index of its stream */
	int32_t		 pid;
	uint16_t	 type;
};

struct gen_page_info {			/* one sub-buffer */
	uint64_t	 ts;		/* its own stamp; 0 of a zero page */
	uint32_t	 first;		/* position of its first record */
	uint32_t	 nr;		/* records */
	enum gen_lost	 lost;		/* mark before its first record */
	uint64_t	 lost_count;	/* where it is counted */
};

struct gen_stream {			/* one CPU */
	int		 cpu;
	uint8_t		*pages;		/* [nr_pages * page_size] */
	uint32_t	 nr_pages;
	struct gen_page_info *info;	/* [nr_pages] */
	struct gen_event *events;	/* [nr_events], in the order of the stream */
	uint32_t	 nr_events;
	size_t		 cap_events;
};

struct gen_trace {
	struct gen_options options;
	struct gen_stream *streams;	/* [nr_streams], CPUs ascending; CPUs
					   without data are there with 0 pages */
	uint32_t	 nr_streams;
	uint64_t	 nr_events;	/* of all streams */
};

struct gen_trace *gen_trace_new(const struct gen_options *options);
void gen_trace_free(struct gen_trace *trace);		/* NULL is allowed */

/*
 * All events in the order of the merge: by key, then stream, then position.  To be freed by the
 * caller.
 */
const struct gen_event **gen_trace_sorted(const struct gen_trace *trace);

/* --- a trace.dat ---------------------------------------------------------------------- */
/* Event types of generated records; ids of GEN_UNKNOWN_TYPES lie above. */
enum gen_type {
	GEN_TYPE_PRINT	= 5,		/* ftrace:print, as trace_marker writes it */
	GEN_TYPE_TICK	= 301,		/* gen:tick: u32 seq, u32 value, and rubbish behind */
	GEN_TYPE_TEXT	= 302,		/* gen:text: __data_loc char[] text */
	GEN_TYPE_BARE	= 303,		/* gen:bare: common fields only */
};

/* Build a payload with the common fields in front.  Returns its size, a multiple of 4. */
uint32_t gen_payload(const struct gen_layout *layout, uint8_t *out, uint16_t type, int32_t pid,
		     const void *body, uint32_t size);
/* GEN_TYPE_TEXT */
uint32_t gen_payload_text(const struct gen_layout *layout, uint8_t *out, int32_t pid,
			  const char *text);
/* GEN_TYPE_PRINT */
uint32_t gen_payload_print(const struct gen_layout *layout, uint8_t *out, int32_t pid,
			   const char *text);

/*
 * Give a writer header_page, header_event, the formats of enum gen_type, a clock and an empty rest.
 */
void gen_write_metadata(struct trace_writer *w, const struct gen_layout *layout);

struct gen_file {
	int			version;	/* 6 or 7 */
	enum trace_compression	compression;
	uint32_t		chunk_pages;	/* 0 = 10 */
	const char		*cmdlines;	/* text, or NULL for names
						   "task-<pid>" of some pids */
	const char		*private;	/* our own section's text, or NULL */
	const char		*latency_text;	/* instead of CPU data, or NULL */
};

/**
 * gen_write() - write traces as the buffers of a trace.dat
 * @traces: [nr]; byte order and long size are those of the first
 * @names:  [nr], "" first; NULL for a single top buffer
 */
int gen_write(const char *path, const struct gen_file *file, const struct gen_trace *const *traces,
	      const char *const *names, unsigned int nr, struct ft_error *err);
#endif
