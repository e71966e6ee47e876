/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_perfetto - opens the bytes as a trace of Perfetto, and walks the records of all its pages:
 * they are whole, have a type, and are the same when a page is read again.
 */
#include "parsers/open/open.h"
#include "tests/fuzz/fuzz.h"

#include "parsers/perfetto/perfetto_source.h"
#include "parsers/spool/spool.h"
#include "tests/fuzz/page_check.h"
#include "tests/lib/perfetto_bytes.h"
#include "tests/fuzz/structure.h"

const char fuzz_name[] = "fuzz_perfetto";

size_t fuzz_pieces(const uint8_t *data, size_t size, struct fuzz_piece *pieces)
{
	return fuzz_pieces_of_proto(data, size, pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_source(data, size, SPOOL_PAGE_BYTES, perfetto_source_is_it);
	return 0;
}

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	struct perfetto_bytes b = { 0 };

	xb_snapshot(&b, 5000, 4000, 1000005000);
	xb_bundle(&b, 1, true);
	xb_switch(&b, 300, 7, 8);
	xb_event(&b, 310, 7, 3);		/* print */
	proto_string(&b.t, 2, "B|7|slice");
	xb_end_event(&b);
	xb_event(&b, 320, 7, 327);		/* generic */
	proto_string(&b.t, 1, "own");
	xb_begin(&b, 2);
	proto_string(&b.t, 1, "a");
	proto_number(&b.t, 4, 1);
	xb_end(&b);
	xb_end_event(&b);
	xb_event(&b, 330, 7, 542);		/* kprobe_event */
	proto_string(&b.t, 1, "probe");
	xb_end_event(&b);
	xb_event(&b, 340, 7, 65535);		/* of a newer Perfetto */
	xb_end_event(&b);
	xb_event(&b, 350, 7, 17);		/* sched_wakeup, without its numbers that are 0 */
	proto_number(&b.t, 2, 8);
	xb_end_event(&b);
	for (unsigned int i = 0; i < 20; i++)	/* so many are a page */
		xb_switch(&b, 1000 + 10 * i, 7, 8);
	xb_begin(&b, 4);			/* compact_sched */
	proto_string(&b.t, 5, "work");
	XB_COLUMN(&b, 1, 1000, 50);
	XB_COLUMN(&b, 2, 1, 2);
	XB_COLUMN(&b, 3, 11, 0);
	XB_COLUMN(&b, 7, 1020);
	XB_COLUMN(&b, 8, 12);
	XB_COLUMN(&b, 12, 16);
	xb_end_all(&b);
	xb_track(&b, 1, 0, NULL, 70, 71);
	xb_track(&b, 3, 1, "queue", 0, 0);
	xb_slice(&b, 100, 1, 1, "outer");
	xb_slice(&b, 110, 1, 3, "waits");
	xb_slice(&b, 130, 2, 3, NULL);
	xb_slice(&b, 140, 2, 1, NULL);
	add(arg, text_str(&b.t), b.t.len);
	text_fini(&b.t);
}
