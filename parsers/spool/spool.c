/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/spool/spool.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/io/read_at.h"
#include "parsers/source/sub_buffer.h"
#include "parsers/spool/spool_private.h"
#include "src/base/memory.h"
#include "src/base/pid_bits.h"

#define BLOCK_BYTES	4096u		/* what a part of a page takes of the file system */
#define NEAR		64u		/* records that one may be moved up at once */

int spool_begin(struct spool_source *source, uint32_t memory, struct ft_error *err)
{
	struct spool *spool = mem_alloc(sizeof(*spool));

	source->spool = spool;
	spool->file = temporary_take();
	if (spool->file.fd < 0)
		return ft_error_errno(err, errno, -1, "cannot create a temporary file");
	spool->room = temporary_room(&spool->file);
	spool->memory = memory;
	spool->layout = page_maker_layout(SPOOL_PAGE_BYTES, HOST_BIG_ENDIAN);
	spool->page_bytes = mem_array(1, SPOOL_PAGE_BYTES);
	spool->counted = mem_array(SPOOL_TYPES, sizeof(*spool->counted));
	return 0;
}

void spool_fini(struct spool_source *source)
{
	struct spool *spool = source->spool;

	if (!spool)
		return;
	for (unsigned int i = 0; i < spool->nr_lanes; i++) {
		free(spool->lanes[i].waiting);
		text_fini(&spool->lanes[i].bytes);
		free(spool->lanes[i].pages);
		free(spool->lanes[i].runs);
	}
	for (unsigned int i = 0; i < SPOOL_MAX_BUFFERS; i++)
		free(spool->numbers[i]);
	free(spool->lanes);
	free(spool->page_bytes);
	free(spool->unused);
	free(spool->counts);
	free(spool->counted);
	text_fini(&spool->rest);
	if (spool->file.fd >= 0)
		close(spool->file.fd);
	free(spool);
}

unsigned int spool_lane(struct spool_source *source, unsigned int buffer, unsigned int cpu)
{
	struct spool *spool = source->spool;
	uint32_t *number;

	if (buffer >= SPOOL_MAX_BUFFERS || cpu >= SPOOL_MAX_CPUS)
		return SPOOL_NO_LANE;
	mem_reach(&spool->numbers[buffer], &spool->nr_numbers[buffer], cpu);
	number = &spool->numbers[buffer][cpu];
	if (!*number) {
		mem_grow(&spool->lanes, spool->nr_lanes, &spool->cap_lanes);
		spool->lanes[spool->nr_lanes++] = (struct spool_lane){ .buffer = buffer,
								       .cpu = cpu };
		*number = spool->nr_lanes;
	}
	return *number - 1;
}

/* --- pages ---------------------------------------------------------------------------------- */

static void begin_page(struct spool *spool, uint64_t ts)
{
	page_maker_begin(&spool->page, &spool->layout, spool->page_bytes);
	spool->sum = (struct page_sum){ .first = ts, .last = ts, .counts = spool->nr_counts };
	spool->is_begun = true;
}

static void add_page(struct spool_lane *lane, const struct spool_page *page)
{
	mem_grow(&lane->pages, lane->nr_pages, &lane->cap_pages);
	lane->pages[lane->nr_pages] = *page;
	lane->pages[lane->nr_pages++].sum.cpu = (uint16_t)lane->cpu;
}

/* -1: there is no room, or writing fails. */
static int write_page(struct spool *spool, uint32_t slot, uint32_t bytes)
{
	off_t at = (off_t)slot * SPOOL_PAGE_BYTES;
	ssize_t got;

	for (uint32_t done = 0; done < bytes; done += (uint32_t)got) {
		got = pwrite(spool->file.fd, spool->page_bytes + done, bytes - done, at + done);
		if (got < 0 && errno == EINTR)
			got = 0;
		if (got < 0)
			return ft_error_errno(&spool->err, errno, -1,
					      "cannot write a temporary file in %s (TMPDIR)",
					      temporary_folder(&spool->file));
	}
	return 0;
}

static int take_slot(struct spool *spool, uint32_t bytes, uint32_t *slot)
{
	uint64_t takes = (bytes + BLOCK_BYTES - 1) & ~(BLOCK_BYTES - 1);

	if (spool->nr_unused) {
		*slot = spool->unused[--spool->nr_unused];
		return 0;
	}
	if (takes > spool->room || spool->nr_slots == UINT32_MAX)
		return ft_error_set(&spool->err, FT_E_IO, -1,
				    "there is no more room for temporary files in %s (TMPDIR)",
				    temporary_folder(&spool->file));
	spool->room -= takes;
	*slot = spool->nr_slots++;
	return 0;
}

void spool_end_page(struct spool *spool, struct spool_lane *lane)
{
	struct spool_page page = { .sum = spool->sum };

	if (!spool->is_begun)
		return;
	spool->is_begun = false;
	page.bytes = page_maker_end(&spool->page);
	if (take_slot(spool, page.bytes, &page.slot) || write_page(spool, page.slot, page.bytes)) {
		spool->dropped += spool->sum.events;
		spool->nr_counts = spool->sum.counts;
		return;
	}
	add_page(lane, &page);
}

void spool_reach(struct spool *spool, struct spool_lane *lane, uint64_t ts)
{
	if (!lane->nr_runs || ts < lane->latest) {
		spool_end_page(spool, lane);
		mem_grow_from(&lane->runs, lane->nr_runs, &lane->cap_runs, 1);
		lane->runs[lane->nr_runs++] = lane->nr_pages;
	}
	lane->latest = ts;
}

static void count_type(struct spool *spool, uint16_t type)
{
	uint64_t *at = &spool->counted[type];

	if (*at < spool->sum.counts || *at >= spool->nr_counts || spool->counts[*at].type != type) {
		mem_grow(&spool->counts, spool->nr_counts, &spool->cap_counts);
		*at = spool->nr_counts++;
		spool->counts[*at] = (struct type_count){ .type = type };
		spool->sum.nr_counts++;
	}
	spool->counts[*at].nr++;
}

static void put_lost(struct spool *spool, struct spool_lane *lane, uint64_t ts, uint64_t lost)
{
	if (spool->is_begun && spool->sum.events)
		spool_end_page(spool, lane);
	if (!spool->is_begun)
		begin_page(spool, ts);
	page_maker_lost(&spool->page, ts, 0);
	spool->page.lost += lost;
	spool->sum.is_lost = true;
	spool->sum.lost += lost;
}

void spool_put(struct spool *spool, struct spool_lane *lane, uint64_t ts, const void *record,
	       uint32_t bytes)
{
	struct page_sum *sum = &spool->sum;

	spool_reach(spool, lane, ts);
	if (!bytes) {
		put_lost(spool, lane, ts, load_u64(record, false));
		return;
	}
	/* a stamp has 59 bits: the page has those above */
	if (!spool->is_begun || (ts ^ sum->first) & SUB_BUFFER_TS_MSB ||
	    !page_maker_put(&spool->page, ts, record, bytes)) {
		spool_end_page(spool, lane);
		begin_page(spool, ts);
		page_maker_put(&spool->page, ts, record, bytes);
	}
	if (!sum->events++)
		sum->first = ts;
	sum->last = ts;
	sum->pids |= pid_bits((int32_t)load_u32((const uint8_t *)record + 4, false));
	count_type(spool, load_u16(record, false));
}

/* --- what waits ----------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct spool_entry *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static uint32_t stored(const struct spool_entry *entry)
{
	return entry->bytes ? entry->bytes : (uint32_t)sizeof(uint64_t);
}

static uint64_t cost(const struct spool_entry *entry)
{
	return sizeof(*entry) + stored(entry);
}

/* What follows the first @nr goes on waiting, in the order of time. */
static void keep_rest(struct spool *spool, struct spool_lane *lane, unsigned int nr)
{
	struct text bytes = lane->bytes;
	uint32_t from = 0, end = 0, to = 0;

	text_clear(&spool->rest);
	for (unsigned int i = nr; i < lane->nr_waiting; i++) {
		struct spool_entry *entry = &lane->waiting[i];

		if (entry->at != end) {		/* mostly all is one piece */
			text_bytes(&spool->rest, bytes.data + from, end - from);
			from = end = entry->at;
		}
		end += stored(entry);
		entry->at = to;
		to += stored(entry);
	}
	text_bytes(&spool->rest, bytes.data + from, end - from);
	lane->bytes = spool->rest;
	spool->rest = bytes;
	lane->nr_waiting -= nr;
	if (lane->nr_waiting)
		memmove(lane->waiting, lane->waiting + nr,
			lane->nr_waiting * sizeof(*lane->waiting));
}

/* Write what waits in a lane: at least half of the bytes, the older ones; or all. */
static void settle(struct spool *spool, struct spool_lane *lane, bool all)
{
	uint64_t half = (lane->bytes.len + lane->nr_waiting * sizeof(*lane->waiting)) / 2, done = 0;
	unsigned int nr = 0;

	if (lane->is_unsorted)
		qsort(lane->waiting, lane->nr_waiting, sizeof(*lane->waiting), by_time);
	lane->is_unsorted = false;
	for (; nr < lane->nr_waiting && (all || done < half); nr++) {
		const struct spool_entry *entry = &lane->waiting[nr];

		spool_put(spool, lane, entry->ts, lane->bytes.data + entry->at, entry->bytes);
		done += cost(entry);
	}
	spool_end_page(spool, lane);
	spool->waiting -= done;
	if (nr)
		keep_rest(spool, lane, nr);
}

/* Move the last record up to its place, if that is near.  False: it is not. */
static bool move_up(struct spool_lane *lane)
{
	struct spool_entry *entry = &lane->waiting[lane->nr_waiting - 1], last = *entry;
	unsigned int left = lane->nr_waiting - 1, steps = left < NEAR ? left : NEAR;

	for (; steps && entry[-1].ts > last.ts; steps--, entry--)
		*entry = entry[-1];
	*entry = last;
	return entry == lane->waiting || entry[-1].ts <= last.ts;
}

static void wait_for(struct spool *spool, struct spool_lane *lane, uint64_t ts, const void *bytes,
		     uint32_t nr)
{
	struct spool_entry *entry;

	mem_grow(&lane->waiting, lane->nr_waiting, &lane->cap_waiting);
	entry = &lane->waiting[lane->nr_waiting];
	*entry = (struct spool_entry){ .ts = ts, .at = (uint32_t)lane->bytes.len, .bytes = nr };
	text_bytes(&lane->bytes, bytes, stored(entry));
	spool->waiting += cost(entry);
	if (lane->nr_waiting++ && ts < entry[-1].ts && !lane->is_unsorted)
		lane->is_unsorted = !move_up(lane);
	if (spool->waiting < spool->memory)
		return;
	for (unsigned int i = 0; i < spool->nr_lanes; i++)
		settle(spool, &spool->lanes[i], false);
}

void spool_add(struct spool_source *source, unsigned int lane, uint64_t ts, const void *record,
	       uint32_t bytes)
{
	struct spool *spool = source->spool;

	assert(bytes >= 8);
	if (lane == SPOOL_NO_LANE)
		spool->without_lane++;
	else if (bytes > SPOOL_RECORD_BYTES)
		spool->too_long++;
	else
		wait_for(spool, &spool->lanes[lane], ts, record, bytes);
}

void spool_lost(struct spool_source *source, unsigned int lane, uint64_t ts, uint64_t lost)
{
	if (lane != SPOOL_NO_LANE)
		wait_for(source->spool, &source->spool->lanes[lane], ts, &lost, 0);
}

/* --- pages that are made when they are read ------------------------------------------------- */

void spool_add_page(struct spool_source *source, unsigned int nr, const struct page_sum *sum,
		    const struct type_count *counts, uint32_t place)
{
	struct spool *spool = source->spool;
	struct spool_lane *lane = &spool->lanes[nr];
	struct spool_page page = { .sum = *sum, .slot = place };

	settle(spool, lane, true);	/* what was added before */
	spool_reach(spool, lane, sum->first);
	lane->latest = sum->last;
	page.sum.counts = spool->nr_counts;
	for (unsigned int i = 0; i < sum->nr_counts; i++) {
		mem_grow(&spool->counts, spool->nr_counts, &spool->cap_counts);
		spool->counts[spool->nr_counts++] = counts[i];
	}
	add_page(lane, &page);
}

/* --- all is added --------------------------------------------------------------------------- */

/* Lanes that have pages first: they are the streams. */
static int by_place(const void *a, const void *b)
{
	const struct spool_lane *x = a, *y = b;

	if (!x->nr_pages != !y->nr_pages)
		return x->nr_pages ? -1 : 1;
	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void add_stream(struct source *base, const struct spool_lane *lane)
{
	struct source_stream *stream = &base->streams[base->nr_streams++];
	int nr_cpus = (int)lane->cpu + 1;

	*stream = (struct source_stream){ .buffer = (int)lane->buffer, .cpu = (int)lane->cpu };
	for (unsigned int i = 0; i < lane->nr_pages; i++)
		stream->file_size += lane->pages[i].bytes;
	base->buffers[lane->buffer].nr_streams++;
	if (base->buffers[lane->buffer].nr_cpus < nr_cpus)
		base->buffers[lane->buffer].nr_cpus = nr_cpus;
	if (base->info.cpu_count < nr_cpus)
		base->info.cpu_count = nr_cpus;
}

static void add_streams(struct source *base, struct spool *spool)
{
	unsigned int first = 0;

	if (spool->nr_lanes)
		qsort(spool->lanes, spool->nr_lanes, sizeof(*spool->lanes), by_place);
	base->streams = mem_array(spool->nr_lanes + 1ul, sizeof(*base->streams));
	for (unsigned int i = 0; i < spool->nr_lanes && spool->lanes[i].nr_pages; i++)
		add_stream(base, &spool->lanes[i]);
	for (unsigned int i = 0; i < base->nr_buffers; i++) {
		struct source_buffer *buffer = &base->buffers[i];

		buffer->layout = spool->layout;
		buffer->first_stream = first;
		first += buffer->nr_streams;
		if (!buffer->name)
			buffer->name = "";
		if (!buffer->clock)
			buffer->clock = "";
	}
}

static void add_warnings(const struct source *base, const struct spool *spool)
{
	if (spool->dropped)
		source_add_warning(base, -1, "events left out: %" PRIu64 "; %s", spool->dropped,
				   spool->err.message);
	if (spool->too_long)
		source_add_warning(base, -1, "events left out, of more than %u bytes: %" PRIu64,
				   SPOOL_RECORD_BYTES, spool->too_long);
	if (spool->without_lane)
		source_add_warning(
			base, -1,
			"events left out, of a CPU above %u or a buffer beyond the first "
			"%u: %" PRIu64,
			SPOOL_MAX_CPUS - 1, SPOOL_MAX_BUFFERS, spool->without_lane);
}

void spool_end(struct spool_source *source)
{
	struct spool *spool = source->spool;

	spool->reader = source_reader_new(&source->base);
	for (unsigned int i = 0; i < spool->nr_lanes; i++) {
		struct spool_lane *lane = &spool->lanes[i];

		settle(spool, lane, true);
		spool_merge(spool, lane);
		assert(!lane->nr_pages || lane->buffer < source->base.nr_buffers);
		text_fini(&lane->bytes);
		free(lane->waiting);
		lane->waiting = NULL;
	}
	source_reader_free(spool->reader);
	text_fini(&spool->rest);
	add_streams(&source->base, spool);
	add_warnings(&source->base, spool);
}

/* --- reading -------------------------------------------------------------------------------- */

static const struct spool *spool_of(const struct source *source)
{
	return ((const struct spool_source *)source)->spool;
}

uint32_t spool_load(struct source_reader *reader, const struct spool_page *page, uint8_t *to)
{
	const struct spool_source *source = (const struct spool_source *)reader->source;
	const struct spool *spool = source->spool;
	struct page_maker maker;

	if (!page->bytes) {
		page_maker_begin(&maker, &spool->layout, to);
		if (page->sum.is_lost)
			page_maker_lost(&maker, page->sum.first, 0);
		return source->make(reader, page->slot, &maker) ? page_maker_end(&maker) : 0;
	}
	if (read_at(spool->file.fd, to, page->bytes, (uint64_t)page->slot * SPOOL_PAGE_BYTES) ==
	    page->bytes)
		return page->bytes;
	source_add_warning(reader->source, -1, "cannot read the temporary file in %s: %s",
			   temporary_folder(&spool->file), strerror(errno));
	return 0;
}

uint64_t spool_stream_bytes(const struct source *source, unsigned int stream)
{
	return (uint64_t)spool_of(source)->lanes[stream].nr_pages * SPOOL_PAGE_BYTES;
}

uint32_t spool_read(struct source_reader *reader, unsigned int stream, uint64_t page, uint32_t max,
		    uint8_t *to, uint32_t *last)
{
	(void)max;
	*last = spool_load(reader, &spool_of(reader->source)->lanes[stream].pages[page], to);
	return *last != 0;
}

bool spool_sum(const struct source *source, unsigned int stream, uint64_t page,
	       struct page_sum *sum, const struct type_count **counts)
{
	const struct spool *spool = spool_of(source);

	*sum = spool->lanes[stream].pages[page].sum;
	*counts = spool->counts + sum->counts;
	return true;
}
