/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_hist - the bytes as an event's file hist: each histogram of it has its cells. */
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

#include "src/hist/hist.h"

const char fuzz_name[] = "fuzz_hist";

static void see(const struct hist *h)
{
	assert(h->nr_keys <= h->nr_columns && h->nr_columns <= HIST_MOST_COLUMNS);
	for (unsigned int i = 0; i < h->nr_columns; i++) {
		assert(h->columns[i].name && h->columns[i].title);
		for (uint32_t k = 0; k < h->nr; k++)
			assert(h->entries[k].cells[i].text || !h->columns[i].is_number);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text text = { 0 };
	struct hist_list hists = { 0 };

	text_bytes(&text, (const char *)data, size);
	hist_list_read(&hists, &text, 0, 0);
	for (unsigned int i = 0; i < hists.nr; i++)
		see(&hists.list[i]);
	hist_list_fini(&hists);
	text_fini(&text);
	return 0;
}

static const char *const seeds[] = {
	"# event histogram\n#\n# trigger info: hist:keys=call_site.sym,bytes_req:vals=hitcount,len.hex [active]\n#\n\n"
	"{ call_site: [ffffffff81292c84] f  , bytes_req:  4096 } hitcount:  10  len:  1f\n\n"
	"Totals:\n    Hits: 10\n    Entries: 1\n    Dropped: 0\n\n\n",
	"# event histogram\n#\n# trigger info: hist:keys=common_stacktrace,lat.log2,id.syscall:vals=hitcount [active]\n#\n\n"
	"{ common_stacktrace:\n         a+0x2/0x3\n         b+0x1/0x2\n, lat: ~ 2^5 , id: sys_read [  0]} hitcount:  1\n"
	"\tmax:   3  comm: sh      \n\nTotals:\n    Hits: 1\n",
	("# event histogram\n#\n# trigger info: hist:keys=common_pid.execname,x.buckets=10:vals=hitcount.percent,y.graph [active]\n"
	"{ common_pid: sh              [        12], x: ~ 10-19 } hitcount (%):  12.50  y: ##  \n"),
};

void fuzz_seeds(void (*add)(void *arg, const void *data, size_t size), void *arg)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++)
		add(arg, seeds[i], strlen(seeds[i]));
}
