/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool_merge - makes one run of the pages of a CPU.  A page that lies before the next records of
 * all other runs stays as it is.
 */
#include <stdlib.h>

#include "parsers/source/sub_buffer.h"
#include "parsers/spool/spool_private.h"
#include "src/base/memory.h"
#include "src/base/merge.h"

#define MOST_AT_ONCE	64u		/* runs; each has a page in memory */

struct spool_run {
	const struct spool_page *page, *end;
	uint8_t		*bytes;		/* owned, [SPOOL_PAGE_BYTES]: of the page, if it is open */
	struct sub_buffer sb;
	struct record	 rec;		/* the next one */
	bool		 is_open;
};

static int64_t key_of(uint64_t ts)	/* for the signed keys of merge.h */
{
	return (int64_t)(ts ^ 1ull << 63);
}

static void set_head(struct merge *merge, const struct spool_run *runs, uint32_t nr)
{
	const struct spool_run *run = &runs[nr];

	if (run->page == run->end)
		merge_end(merge, nr);
	else
		merge_set(merge, nr, key_of(run->is_open ? run->rec.ts : run->page->sum.first), nr);
}

static void release(struct spool *spool, const struct spool_page *page)
{
	mem_grow(&spool->unused, spool->nr_unused, &spool->cap_unused);
	spool->unused[spool->nr_unused++] = page->slot;
}

static void next_record(struct spool_run *run)
{
	run->is_open = sub_buffer_next(&run->sb, &run->rec);
	run->page += !run->is_open;
}

static void open_page(struct spool *spool, struct spool_lane *lane, struct spool_run *run)
{
	uint32_t bytes = spool_load(spool->reader, run->page, run->bytes);

	if (!bytes) {
		spool->dropped += run->page->sum.events;
		ft_error_set(&spool->err, FT_E_IO, -1, "cannot read a temporary file");
		run->page++;
		return;
	}
	if (run->page->bytes)
		release(spool, run->page);
	sub_buffer_open(&run->sb, &spool->layout, run->bytes, bytes);
	if (run->sb.lost)
		spool_put(spool, lane, run->page->sum.first, &run->sb.lost_count, 0);
	next_record(run);
}

static void keep_page(struct spool *spool, struct spool_lane *lane, struct spool_run *run)
{
	spool_reach(spool, lane, run->page->sum.first);
	spool_end_page(spool, lane);
	lane->latest = run->page->sum.last;
	mem_grow(&lane->pages, lane->nr_pages, &lane->cap_pages);
	lane->pages[lane->nr_pages++] = *run->page++;
}

static void merge_runs(struct spool *spool, struct spool_lane *lane, struct spool_run *runs,
		       uint32_t nr)
{
	struct merge merge;

	merge_init(&merge, nr);
	for (uint32_t i = 0; i < nr; i++)
		set_head(&merge, runs, i);
	merge_begin(&merge);
	for (; merge_any(&merge); merge_replay(&merge)) {
		uint32_t first = merge_first(&merge);
		struct spool_run *run = &runs[first];

		if (run->is_open) {
			spool_put(spool, lane, run->rec.ts, run->rec.data, run->rec.size);
			next_record(run);
		} else {
			struct merge_head second = merge_second(&merge),
					  end = { key_of(run->page->sum.last), first };

			if (merge_less(&end, &second))
				keep_page(spool, lane, run);
			else
				open_page(spool, lane, run);
		}
		set_head(&merge, runs, first);
	}
	spool_end_page(spool, lane);
	merge_fini(&merge);
}

void spool_merge(struct spool *spool, struct spool_lane *lane)
{
	struct spool_run runs[MOST_AT_ONCE] = { 0 };

	while (lane->nr_runs > 1) {
		struct spool_lane former = *lane;

		lane->pages = NULL;
		lane->runs = NULL;
		lane->nr_pages = lane->cap_pages = lane->nr_runs = lane->cap_runs = 0;
		for (unsigned int at = 0, nr; at < former.nr_runs; at += nr) {
			for (nr = 0; nr < MOST_AT_ONCE && at + nr < former.nr_runs; nr++) {
				unsigned int next = at + nr + 1;

				if (!runs[nr].bytes)
					runs[nr].bytes = mem_array(1, SPOOL_PAGE_BYTES);
				runs[nr].page = former.pages + former.runs[at + nr];
				runs[nr].end = former.pages + (next < former.nr_runs ?
								       former.runs[next] :
								       former.nr_pages);
				runs[nr].is_open = false;
			}
			merge_runs(spool, lane, runs, nr);
		}
		free(former.pages);
		free(former.runs);
	}
	for (unsigned int i = 0; i < MOST_AT_ONCE; i++)
		free(runs[i].bytes);
}
