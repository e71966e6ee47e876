/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_perf - opens the bytes as a perf.data, and walks the records of all its pages: they are
 * whole, have a type, and are the same when a page is read again.
 */
#include "parsers/open/open.h"
#include "tests/fuzz/fuzz.h"

#include "parsers/perf/perf_index.h"
#include "parsers/perf/perf_source.h"
#include "tests/fuzz/page_check.h"
#include "tests/lib/perf_bytes.h"

const char fuzz_name[] = "fuzz_perf";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_source(data, size, PERF_PAGE_BYTES, perf_source_is_it);
	return 0;
}

/* What simpleperf writes: its own records, formats within theirs, and what META_INFO tells. */
static void put_simpleperf(struct perf_bytes *p)
{
	struct file_bytes *b = &p->b;
	size_t at, from;

	pb_simpleperf(b, 32769, 12);
	at = fb_u32(b, 66);
	fb_u32(b, 0);
	from = fb_u32(b, 0);
	pb_formats(b);
	fb_patch(b, from, b->len - from - 4, 4);
	fb_patch(b, at + 6, b->len - at, 2);
	pb_point(b, 300, 0, 11, 3);
	pb_simpleperf(b, 32777, 21);
	pb_clock(b, 500, 0, 11);
	pb_simpleperf_tail(p, false);
}

/* Events of some tasks, and samples with a copy of the stack. */
static void put_tasks(struct perf_bytes *p)
{
	struct file_bytes *b = &p->b;
	size_t at;

	fb_patch(b, 224, PB_CLOCK_TYPE | 1 << PERF_STACK_USER, 8);
	pb_id_index(b, 1, 11);
	pb_thread_map(b, 11);
	pb_point(b, 300, 0, 11, 3);
	at = b->len;
	pb_clock(b, 500, 0, 11);
	fb_u64(b, 8);			/* bytes of the stack, the stack, how many are set */
	fb_u64(b, 0);
	fb_u64(b, 8);
	fb_patch(b, at + 6, b->len - at, 2);
	pb_tail(p);
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	static struct perf_bytes p;

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		pb_head(&p, big_endian);
		pb_with_counts(&p, 4 | 8);
		pb_counted(&p.b, 100, 0, 11, 1000, 1);
		pb_point(&p.b, 150, 0, 11, 3);
		pb_counted(&p.b, 200, 1, 12, 2000, 0);
		pb_counted(&p.b, 300, 0, 11, 1500, 9);
		pb_tail(&p);
		add(arg, p.b.data, p.b.len);
		pb_head(&p, big_endian);
		pb_comm(&p.b, 0, 11, "one");
		pb_point(&p.b, 300, 0, 11, 3);
		pb_point(&p.b, 100, 1, 11, 1);
		pb_round(&p.b);
		pb_lost(&p.b, 400, 0, 7);
		pb_clock(&p.b, 500, 0, 11);
		pb_bare(&p.b, 5, 0, 550, 0, 11);
		pb_bare(&p.b, 14, 1 << 13, 560, 0, 11);
		pb_round(&p.b);
		pb_deferring(&p.b, 580, 0, 11, 77);
		pb_point(&p.b, 600, 0, 11, 4);
		pb_deferred(&p.b, 700, 0, 11, 77, 0x21, 2);
		pb_tail(&p);
		add(arg, p.b.data, p.b.len);
		pb_head(&p, big_endian);
		put_simpleperf(&p);
		add(arg, p.b.data, p.b.len);
		pb_head(&p, big_endian);
		put_tasks(&p);
		add(arg, p.b.data, p.b.len);
	}
}
