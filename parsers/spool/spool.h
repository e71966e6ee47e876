/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SPOOL_SPOOL_H
#define FTOP_PARSERS_SPOOL_SPOOL_H
/*
 * spool - sub-buffers for a form of trace whose events are converted.  Records are added in about
 * the order of time.  They become sub-buffers in a temporary file, in exact order for each CPU.
 *
 *   struct x_source {
 *           struct spool_source base;
 *           …
 *   };
 *
 *   struct x_source *s = source_new(sizeof(*s), &x_ops, start);
 *
 *   spool_begin(&s->base, SPOOL_MEMORY, err);
 *   … for each event of the file:
 *           spool_add(&s->base, spool_lane(&s->base, buffer, cpu), ts, record, bytes);
 *   … set buffers and nr_buffers of the source: names and clocks …
 *   spool_end(&s->base);
 *
 * x_ops has spool_stream_bytes(), spool_read() and spool_sum(), and its `fini` calls spool_fini().
 *
 * A page whose events are in order need not be written: a form that sets `make` may only say what
 * its records will be (spool_add_page()), and makes them when the page is read.
 *
 * Records are in the byte order of this machine, and begin with the common fields of
 * page_maker.h's pages: u16 type, u8 flags, u8 preempt count, s32 pid.
 */
#include "parsers/source/page_maker.h"
#include "parsers/source/source_form.h"

#define SPOOL_MEMORY		(4u << 20)
#define SPOOL_PAGE_BYTES	(64u << 10)
#define SPOOL_RECORD_BYTES	(SPOOL_PAGE_BYTES - 40)	/* longest record: it fits into a page */
#define SPOOL_MAX_CPUS		16384u
#define SPOOL_MAX_BUFFERS	256u
#define SPOOL_NO_LANE		UINT32_MAX

struct spool_source {
	struct source	 base;
	struct spool	*spool;		/* owned; NULL before spool_begin() */
	/*
	 * Put the records of a page; any thread.  @place: as given to spool_add_page().  False,
	 * with a warning: they cannot be read.
	 */
	bool		(*make)(struct source_reader *reader, uint32_t place,
				struct page_maker *page);
};

/**
 * spool_begin() - create the temporary file
 * @memory: bytes of records that wait to be sorted; then the older half is written.  Records that
 *          come later than that are merged at the end.
 *
 * Return: 0, or -1 with FT_E_IO: it cannot be created.
 */
int spool_begin(struct spool_source *source, uint32_t memory, struct ft_error *err);
void spool_fini(struct spool_source *source);

/*
 * The records of a CPU of a buffer.  SPOOL_NO_LANE: a number is beyond the limits above; what is
 * added there is counted and left out.
 */
unsigned int spool_lane(struct spool_source *source, unsigned int buffer, unsigned int cpu);

/*
 * Add a record of at least 8 bytes.  Records with the same stamp stay in the order in which they
 * are added.  One that is longer than SPOOL_RECORD_BYTES is counted and left out; so is one for
 * which the file system has no room.
 */
void spool_add(struct spool_source *source, unsigned int lane, uint64_t ts, const void *record,
	       uint32_t bytes);

/* Events were lost before the records from @ts on that are added next.  @lost: 0 = unknown. */
void spool_lost(struct spool_source *source, unsigned int lane, uint64_t ts, uint64_t lost);

/*
 * Add a page that is made when it is read.  Its stamps do not fall, have the same bits
 * SUB_BUFFER_TS_MSB, and all of it fits into SPOOL_PAGE_BYTES.  @sum: what it has, but for the CPU;
 * sum->counts is set here.  @counts: [sum->nr_counts]; copied.
 */
void spool_add_page(struct spool_source *source, unsigned int lane, const struct page_sum *sum,
		    const struct type_count *counts, uint32_t place);

/*
 * All is added: makes the streams, and the layouts of the buffers.  The numbers of CPUs are set to
 * the highest that has records; set them afterwards if there are more.  What is left out is a
 * warning.  Buffers that have no name yet are "", without a clock.
 */
void spool_end(struct spool_source *source);

/* For struct source_ops. */
uint64_t spool_stream_bytes(const struct source *source, unsigned int stream);
uint32_t spool_read(struct source_reader *reader, unsigned int stream, uint64_t page, uint32_t max,
		    uint8_t *to, uint32_t *last);
bool spool_sum(const struct source *source, unsigned int stream, uint64_t page,
	       struct page_sum *sum, const struct type_count **counts);
#endif
