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
		pb_point(&p.b, 600, 0, 11, 4);
		pb_tail(&p);
		add(arg, p.b.data, p.b.len);
	}
}
